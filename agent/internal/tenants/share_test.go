package tenants

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"
)

// leases is a service with some leases, which it refuses beyond as ebb serve does.
type leases struct {
	mu   sync.Mutex
	held map[string]int // by namespace
	most int
}

func (l *leases) serve(c net.Conn) {
	defer c.Close()
	r, err := http.ReadRequest(bufio.NewReader(c))
	if err != nil {
		return
	}
	var body struct{ Namespace string }
	if json.NewDecoder(r.Body).Decode(&body) != nil {
		return
	}
	say := func(status, answer string) {
		fmt.Fprintf(c, "HTTP/1.1 %s\r\nContent-Length: %d\r\n\r\n%s", status, len(answer), answer)
	}
	l.mu.Lock()
	sum := 0
	for _, n := range l.held {
		sum += n
	}
	if body.Namespace == "forbidden" || sum >= l.most {
		l.mu.Unlock()
		why := fmt.Sprintf("this user has %d leases, and no more can be", l.most)
		if body.Namespace == "forbidden" {
			why = "this user may take no lease of that namespace's pods"
		}
		say("403 Forbidden", fmt.Sprintf(`{"error":%q}`, why))
		return
	}
	l.held[body.Namespace]++
	l.mu.Unlock()
	say("200 OK", `{"tenant":"lease.1.1","slowdown_budget":0.05}`)
	_, _ = c.Read(make([]byte, 1)) // until the agent gives it back
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held[body.Namespace]--; l.held[body.Namespace] == 0 {
		delete(l.held, body.Namespace)
	}
}

func (l *leases) are(want map[string]int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Equal(l.held, want)
}

// TestShares: a namespace whose pods came first gives leases back to others until none has more
// than any other that wishes for more; what one needs no longer goes to the rest, and a namespace
// whose pods may have none takes none away.
func TestShares(t *testing.T) {
	l := &leases{held: map[string]int{}, most: 16}
	path := filepath.Join(t.TempDir(), "s")
	in, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close() })
	go func() {
		for {
			c, err := in.Accept()
			if err != nil {
				return
			}
			go l.serve(c)
		}
	}()
	source := &wishes{}
	k := New(path, source, &lines{})
	k.look, k.soon, k.late = 5*time.Millisecond, 5*time.Millisecond, 200*time.Millisecond
	ctx, end := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { k.Run(ctx); close(done) }()
	defer func() { end(); <-done }()
	pods := func(space string, n int) (all []Wish) {
		for i := range n {
			all = append(all, Wish{Namespace: space, Pod: fmt.Sprint(i), Class: "Guaranteed",
				UID: fmt.Sprintf("%08d-0000-0000-0000-000000000000", i), Slowdown: "5%"})
		}
		return all
	}
	until := func(want map[string]int) {
		t.Helper()
		for end := time.Now().Add(hung); !l.are(want); time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				l.mu.Lock()
				defer l.mu.Unlock()
				t.Fatalf("%v, never %v", l.held, want)
			}
		}
		for range 100 { // and they stay so
			if time.Sleep(5 * time.Millisecond); !l.are(want) {
				t.Fatalf("no longer %v", want)
			}
		}
	}
	many, other := pods("many", 20), pods("other", 20)
	source.are(many...)
	until(map[string]int{"many": 16})
	source.are(slices.Concat(many, pods("forbidden", 5))...)
	until(map[string]int{"many": 16})
	source.are(slices.Concat(many, pods("few", 3))...)
	until(map[string]int{"many": 13, "few": 3})
	source.are(slices.Concat(many, pods("few", 3), other)...)
	for end := time.Now().Add(hung); ; time.Sleep(time.Millisecond) {
		a, b := l.are(map[string]int{"many": 7, "few": 3, "other": 6}),
			l.are(map[string]int{"many": 6, "few": 3, "other": 7})
		if a || b {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("never even: %v", l.held)
		}
	}
	source.are(slices.Concat(other, pods("few", 3))...)
	until(map[string]int{"other": 13, "few": 3})
}
