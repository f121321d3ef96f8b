package machine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/energy/groups/counts"
	"github.com/ebb-energy/ebb/internal/linux/cgroup"
)

// meterTree is a machine with one package and a meter that a test turns.
func meterTree(t *testing.T) (root string, turn func(uj int)) {
	t.Helper()
	root = devtest.Tree(t, `dir class/powercap
file 0444 devices/system/cpu/online
	0-1
file 0444 devices/system/cpu/cpu0/topology/physical_package_id
	0
file 0444 devices/system/cpu/cpu1/topology/physical_package_id
	0
file 0444 class/powercap/intel-rapl:0/name
	package-0
file 0444 class/powercap/intel-rapl:0/max_energy_range_uj
	262143328850
file 0644 class/powercap/intel-rapl:0/energy_uj
	0
`)
	file := filepath.Join(root, "class/powercap/intel-rapl:0/energy_uj")
	return root, func(uj int) {
		if err := os.WriteFile(file, []byte(strconv.Itoa(uj)+"\n"), 0o644); err != nil {
			t.Error(err)
		}
	}
}

// lines is a writer of whole lines. At each it turns a meter by a joule; after some it ends a run.
type lines struct {
	bytes.Buffer
	left, uj int
	turn     func(uj int)
	end      context.CancelFunc
}

func (l *lines) Write(b []byte) (int, error) {
	l.uj += 1_000_000
	l.turn(l.uj)
	if l.left--; l.left == 0 {
		l.end()
	}
	return l.Buffer.Write(b)
}

// possible skips where the kernel refuses to count.
func possible(t *testing.T) {
	t.Helper()
	c, err := counts.Open(-1, nil)
	if errors.Is(err, counts.ErrPermission) || errors.Is(err, counts.ErrNotSupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	h, err := cgroup.OpenHierarchy("")
	if err != nil {
		t.Skip(err)
	}
	h.Close()
}

func settings(root string) *Settings {
	return &Settings{Every: 100 * time.Millisecond, Sysfs: root, Top: 5}
}

// TestLines: each line's parts add up to what the meter counted, and no sum ever drops.
func TestLines(t *testing.T) {
	possible(t)
	root, turn := meterTree(t)
	s := settings(root)
	s.JSON, s.ShareIdle = true, "equal"
	s.Textfile = filepath.Join(t.TempDir(), "ebb.prom")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	out := &lines{left: 4, turn: turn, end: cancel}
	if err := Execute(ctx, s, command.Stdio{Out: out, Err: io.Discard}); err != nil {
		t.Fatal(err)
	}
	last, n := int64(0), int64(0)
	for line := range strings.Lines(out.String()) {
		var r Report
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		z := r.Zones[0]
		sum := int64(0)
		for _, g := range r.Groups {
			sum += g.Energy[0].EnergyNJ
		}
		if sum != z.AttributedNJ || z.MeasuredNJ < last ||
			z.AttributedNJ+z.OthersNJ+z.IdleNJ+z.UnattributedNJ != z.MeasuredNJ {
			t.Errorf("%d nJ of groups: %+v", sum, z)
		}
		if last = z.MeasuredNJ; last != n*1e9 {
			t.Errorf("line %d has %d nJ, and the meter counted %d J", n+1, last, n)
		}
		n++
	}
	if n < 4 {
		t.Errorf("%d lines", n)
	}
	text, err := os.ReadFile(s.Textfile)
	if err != nil || !bytes.Contains(text, []byte("ebb_machine_energy_joules_total{")) {
		t.Errorf("%v: %s", err, text)
	}
	if st, err := os.Stat(s.Textfile); err != nil || st.Mode().Perm()&0o044 != 0o044 {
		t.Errorf("node_exporter cannot read the file: %v, %v", st, err)
	}
}

// TestEndsWithTheContext: without a bound it goes on until it is ended, and prints the table then.
func TestEndsWithTheContext(t *testing.T) {
	possible(t)
	root, _ := meterTree(t)
	s := settings(root)
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	var out bytes.Buffer
	if err := Execute(ctx, s, command.Stdio{Out: &out, Err: io.Discard}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "\nmeasured ") {
		t.Error(out.String())
	}
}

func TestRefused(t *testing.T) {
	for what, change := range map[string]func(*Settings){
		"an interval of 0":   func(s *Settings) { s.Every = 0 },
		"a long interval":    func(s *Settings) { s.Every = time.Hour },
		"an unknown kind":    func(s *Settings) { s.Kind = "pods" },
		"depth and kind":     func(s *Settings) { s.Depth, s.Kind = 1, "pod" },
		"a depth below 0":    func(s *Settings) { s.Depth = -1 },
		"an unknown rule":    func(s *Settings) { s.ShareIdle = "fair" },
		"all addresses":      func(s *Settings) { s.Listen = ":9101" },
		"all, of version 6":  func(s *Settings) { s.Listen = "[::]:9101" },
		"another machine":    func(s *Settings) { s.Listen = "192.0.2.1:9101" },
		"a name":             func(s *Settings) { s.Listen = "localhost:9101" },
		"no port":            func(s *Settings) { s.Listen = "127.0.0.1" },
		"no such hierarchy":  func(s *Settings) { s.Hierarchy = "rdma" },
		"fewer rows than no": func(s *Settings) { s.Top = -1 },
	} {
		s := settings("/sys")
		change(s)
		err := Execute(context.Background(), s, command.Stdio{Out: io.Discard, Err: io.Discard})
		if command.StatusOf(err) != command.StatusOf(command.Usagef("x")) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", what, err)
		}
	}
	for _, address := range []string{"127.0.0.1:9101", "127.8.0.1:0", "[::1]:9101"} {
		if err := checkLoopback(address); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// serving serves a report at a port of the kernel's choice.
func serving(t *testing.T, r *Report) *server {
	t.Helper()
	s, err := listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := r.exposition(&text); err != nil {
		t.Fatal(err)
	}
	over := make(chan struct{})
	go func() {
		for {
			select {
			case reply := <-s.asked:
				reply <- text.Bytes()
			case <-over:
				return
			}
		}
	}()
	t.Cleanup(func() { close(over) })
	t.Cleanup(func() { s.close() })
	return s
}

// TestServer: a browser gets the metrics, and callers that ask for nothing or too much get nothing,
// and hinder nobody.
func TestServer(t *testing.T) {
	s := serving(t, exampleOf(t, ""))
	address := s.listener.Addr().String()
	silent, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	long, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer long.Close()
	_, _ = long.Write(bytes.Repeat([]byte("x"), mostRequest)) // it may be closed before
	if got, _ := io.ReadAll(long); len(got) > 0 {
		t.Errorf("an endless request got %q", got)
	}
	got, err := http.Get("http://" + address + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	text, err := io.ReadAll(got.Body)
	if err != nil || got.StatusCode != http.StatusOK ||
		!bytes.Contains(text, []byte("ebb_group_energy_joules_total{")) ||
		!strings.HasPrefix(got.Header.Get("Content-Type"), "text/plain; version=0.0.4") {
		t.Errorf("%v, %v: %s", err, got.Header, text)
	}
}

// TestSlowCallersGiveWay: callers that connect and say nothing keep nobody away, however many there
// are, and no more are kept than the bound.
func TestSlowCallersGiveWay(t *testing.T) {
	s := serving(t, exampleOf(t, ""))
	address := s.listener.Addr().String()
	var silent []net.Conn
	for range 3 * mostCallers {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		silent = append(silent, c)
	}
	got, err := http.Get("http://" + address + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	if text, err := io.ReadAll(got.Body); err != nil || len(text) == 0 {
		t.Errorf("%v: %q", err, text)
	}
	s.mu.Lock()
	if n := len(s.callers); n > mostCallers {
		t.Errorf("%d callers", n)
	}
	s.mu.Unlock()
	if text, err := io.ReadAll(silent[0]); len(text) > 0 {
		t.Errorf("the oldest got %q, %v", text, err)
	}
}

// TestAcceptIsTriedAgain: where the kernel has no descriptor for a caller, the next one is served.
func TestAcceptIsTriedAgain(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &server{listener: &refusing{Listener: l, left: 3}, asked: make(chan chan<- []byte)}
	ended := make(chan struct{})
	go func() {
		s.accept()
		close(ended)
	}()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, "GET / HTTP/1.1\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	reply := <-s.asked
	reply <- []byte("metrics")
	if text, err := io.ReadAll(c); err != nil || !bytes.HasSuffix(text, []byte("metrics")) {
		t.Errorf("%q, %v", text, err)
	}
	s.close()
	<-ended
}

// refusing is a listener whose first calls fail for a time.
type refusing struct {
	net.Listener
	left int
}

func (r *refusing) Accept() (net.Conn, error) {
	if r.left--; r.left >= 0 {
		return nil, &net.OpError{Op: "accept", Err: unix.EMFILE}
	}
	return r.Listener.Accept()
}
