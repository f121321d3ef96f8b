package tenants

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// hung is a time that only a hang takes.
const hung = time.Minute

const uid = "74c13223-5a00-11e9-b385-42010a80018d"

// TestSlowdown: the grammar is that of a job's comment of Slurm, and nothing else is a wish.
func TestSlowdown(t *testing.T) {
	for _, text := range []string{"5%", "2.5%", "0%", "00.10%", "200%",
		strings.Repeat("5", 63) + "%"} {
		if got, ok := Slowdown(text); !ok || got != text {
			t.Errorf("%q: %q, %v", text, got, ok)
		}
	}
	for _, text := range []string{"", "5", "%", "5%%", "-5%", "+5%", ".5%", "5.%", "1.2.3%",
		"5e1%", "*%", "5% --or-run", "5%\n", "\n5%", "5\n6%", " 5%", "5 %", "x5%", "$(id)%",
		"`id`%", "5;id%", "٥%", "0x5%", "5%\x00", "5\x00%", "NaN%", "inf%", "1_0%", "5,0%",
		strings.Repeat("5", 64) + "%", strings.Repeat("5", 250_000) + "%"} {
		if _, ok := Slowdown(text); ok {
			t.Errorf("%.80q is a wish", text)
		}
	}
}

// TestCgroups: where both drivers of the kubelet put a pod; of a uid that is none, nowhere.
func TestCgroups(t *testing.T) {
	under := strings.ReplaceAll(uid, "-", "_")
	for class, want := range map[string][]string{
		"Guaranteed": {"/kubepods.slice/kubepods-pod" + under + ".slice", "/kubepods/pod" + uid},
		"BestEffort": {"/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod" + under +
			".slice", "/kubepods/besteffort/pod" + uid},
		"":      nil,
		"../..": nil,
	} {
		if got := (&Wish{UID: uid, Class: class}).cgroups(); !slices.Equal(got, want) {
			t.Errorf("%q: %q", class, got)
		}
	}
	for _, not := range []string{"", "../../init.scope", uid + "/..", uid + "\n",
		strings.ToUpper(uid)} {
		if got := (&Wish{UID: not, Class: "Guaranteed"}).cgroups(); got != nil {
			t.Errorf("%q: %q", not, got)
		}
	}
}

// wishes is a source.
type wishes struct {
	mu  sync.Mutex
	all []Wish
}

func (w *wishes) Wishes() []Wish {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.all)
}

func (w *wishes) are(all ...Wish) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all = all
}

// lines is a log.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// asked is what a service was asked for, with the connection.
type asked struct {
	text string
	conn net.Conn
}

// service answers as ebb serve does: it grants what has a text in it.
func service(t *testing.T, path, grants string, got chan<- asked) net.Listener {
	t.Helper()
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			r, err := http.ReadRequest(bufio.NewReader(c))
			if err != nil { // the pod wished no more
				c.Close()
				continue
			}
			var body map[string]string
			if err := json.NewDecoder(r.Body).Decode(&body); err != nil || len(body) != 3 ||
				r.Method != "POST" || r.URL.Path != "/v1/lease" {
				t.Errorf("%v %v: %v, %v", r.Method, r.URL, body, err)
			}
			text := body["namespace"] + " " + body["cgroup"] + " " + body["slowdown"]
			status, answer := "403 Forbidden",
				`{"error":"\u001b[2J there is no such cgroup, or it is no pod's"}`
			if strings.Contains(text, grants) {
				status, answer = "200 OK", `{"tenant":"lease.1.1","slowdown_budget":0.05}`
			}
			fmt.Fprintf(c, "HTTP/1.1 %s\r\nContent-Type: application/json\r\n"+
				"Content-Length: %d\r\n\r\n%s\n", status, len(answer)+1, answer)
			if status[0] != '2' {
				c.Close()
				continue
			}
			got <- asked{text, c}
		}
	}()
	return l
}

// TestOnePlaceIsRefused: the service's reason is the log's, and a wish that it refuses for another
// reason than the place is not said again of the other place.
func TestOnePlaceIsRefused(t *testing.T) {
	for text, want := range map[string]int{"this user has 16 leases": 1,
		"there is no such cgroup of version 2, or it is no pod's": 2} {
		path := filepath.Join(t.TempDir(), "s")
		l, err := net.Listen("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		var asks atomic.Int32
		s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			asks.Add(1)
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprintf(w, "{\"error\": %q}", text)
		})}
		go func() { _ = s.Serve(l) }()
		k := New(path, &wishes{}, &lines{})
		_, err = k.take(t.Context(), &Wish{UID: uid, Class: "Burstable", Slowdown: "5%"})
		if n := int(asks.Load()); n != want || err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%q: asked %d times, want %d: %v", text, n, want, err)
		}
		_ = s.Close()
	}
}

// TestAllowedFirst: the agent asks on the socket of the allowed, whose queue strangers cannot fill.
func TestAllowedFirst(t *testing.T) {
	dir, got := t.TempDir(), make(chan asked, 2)
	everybodys := filepath.Join(dir, "ebb.sock")
	full, err := net.Listen("unix", everybodys) // nobody takes what waits there
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	service(t, filepath.Join(dir, "allowed.sock"), "pod", got)
	ctx, end := context.WithTimeout(t.Context(), hung)
	defer end()
	c, err := New(everybodys, &wishes{}, &lines{}).take(ctx, &Wish{Namespace: "shop", UID: uid,
		Class: "Burstable", Slowdown: "5%"})
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
}

// TestKeeps: a pod that wishes has a lease at the place of its cgroup until it wishes no more; one
// that loses it asks again, also a service that is another by then.
func TestKeeps(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	got := make(chan asked, 100)
	first := service(t, path, "/kubepods/burstable/", got)
	source, log := &wishes{}, &lines{}
	k := New(path, source, log)
	k.look, k.soon = time.Millisecond, time.Millisecond
	ctx, end := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { k.Run(ctx); close(done) }()
	next := func(what, want string) net.Conn {
		t.Helper()
		select {
		case a := <-got:
			if a.text != want {
				t.Errorf("%s: %q", what, a.text)
			}
			return a.conn
		case <-time.After(hung):
			t.Fatal("never: ", what)
		}
		return nil
	}
	gone := func(what string, c net.Conn) {
		t.Helper()
		_ = c.SetReadDeadline(time.Now().Add(hung))
		if n, err := c.Read(make([]byte, 1)); n != 0 || err == nil ||
			strings.Contains(err.Error(), "timeout") {
			t.Errorf("%s: %d bytes, %v", what, n, err)
		}
		c.Close()
	}
	web := Wish{Namespace: "shop", Pod: "web", UID: uid, Class: "Burstable", Slowdown: "5%"}
	at := "shop /kubepods/burstable/pod" + uid
	source.are(web, Wish{Namespace: "shop", Pod: "db", UID: uid[1:] + "0", Class: "Guaranteed",
		Slowdown: "5%"})
	c := next("a lease", at+" 5%")
	web.Slowdown = "7%"
	source.are(web)
	gone("the lease of another budget", c)
	c = next("a lease with the new one", at+" 7%")
	c.Close()
	c = next("a lease after the service ended it", at+" 7%")
	first.Close()
	c.Close()
	service(t, path, "7%", got)
	c = next("a lease of the next service", "shop /kubepods.slice/kubepods-burstable.slice/"+
		"kubepods-burstable-pod"+strings.ReplaceAll(uid, "-", "_")+".slice 7%")
	source.are()
	gone("the lease of a pod that is gone", c)
	source.are(web)
	c = next("the pod again", "shop /kubepods.slice/kubepods-burstable.slice/"+
		"kubepods-burstable-pod"+strings.ReplaceAll(uid, "-", "_")+".slice 7%")
	end()
	gone("the lease at the agent's end", c)
	<-done
	if text := log.String(); !strings.Contains(text, `"shop", pod "web": a tenant`) ||
		!strings.Contains(text, `"db": no tenant`) || strings.ContainsRune(text, '\x1b') {
		t.Errorf("%q", text)
	}
}
