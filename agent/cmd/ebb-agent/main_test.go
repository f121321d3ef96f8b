package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/agent/internal/names"
)

// hung is a time that only a hang takes.
const hung = time.Minute

const group = `ebb_group_energy_joules_total{kind="pod",name="74-a/9ec39b91f3d7",zone="package-0",` +
	`source="measured"} 3.000000000` + "\n"

// words is a writer for several goroutines.
type words struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (w *words) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.Write(p)
}

func (w *words) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.String()
}

// agent runs in this process.
type agent struct {
	t       *testing.T
	said    *words
	address string
}

func startAgent(t *testing.T, args ...string) *agent {
	t.Helper()
	ctx, end := context.WithCancel(context.Background())
	a := &agent{t: t, said: &words{}}
	done := make(chan error, 1)
	s, err := parse(append(args, "-listen", "127.0.0.1:0"), a.said)
	if err != nil {
		t.Fatal(err)
	}
	go func() { done <- run(ctx, s, a.said) }()
	t.Cleanup(func() {
		end()
		select {
		case err := <-done:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(hung):
			t.Error("it does not end")
		}
	})
	a.until("an address", func() bool {
		m := regexp.MustCompile(`http://(\S+)/metrics`).FindStringSubmatch(a.said.String())
		if m != nil {
			a.address = m[1]
		}
		return m != nil
	})
	return a
}

func (a *agent) until(what string, done func() bool) {
	a.t.Helper()
	for end := time.Now().Add(hung); !done(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			a.t.Fatalf("never: %s; it said %s", what, a.said)
		}
	}
}

func (a *agent) get(path string) (int, string) {
	a.t.Helper()
	r, err := http.Get("http://" + a.address + path)
	if err != nil {
		a.t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		a.t.Fatal(err)
	}
	return r.StatusCode, string(text)
}

// shows waits until the metrics have a text.
func (a *agent) shows(text string) {
	a.t.Helper()
	a.until(text, func() bool {
		_, all := a.get("/metrics")
		return strings.Contains(all, text)
	})
}

// nodeWith is a directory with a file of ebb's and a link of the kubelet's.
func nodeWith(t *testing.T) (file, links string) {
	t.Helper()
	dir := t.TempDir()
	links = filepath.Join(dir, "containers")
	if err := os.Mkdir(links, 0o755); err != nil {
		t.Fatal(err)
	}
	id := strings.Repeat("9ec39b91f3d70e1b", 4)
	if err := os.Symlink("/x", filepath.Join(links, "web_shop_nginx-"+id+".log")); err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(dir, "ebb.prom")
	replace(t, file, group)
	return file, links
}

// replace has a file appear whole, as ebb does.
func replace(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file+".new", []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(file+".new", file); err != nil {
		t.Fatal(err)
	}
}

// TestServes: ebb's file with names; where the file is none that can be served there are no series
// of it, each reason is said once, and the next file is served again.
func TestServes(t *testing.T) {
	file, links := nodeWith(t)
	a := startAgent(t, "-textfile", file, "-links", links)
	const named = `source="measured",namespace="shop",pod="web",container="nginx"} 3.000000000` + "\n"
	a.shows(named)
	a.shows("ebb_agent_fresh 1\n")
	a.shows("ebb_agent_unnamed_groups 0\n")
	if code, _ := a.get("/debug/pprof"); code != http.StatusNotFound {
		t.Errorf("another path: %d", code)
	}
	for name, spoil := range map[string]func(){
		"gone":     func() { _ = os.Remove(file) },
		"half":     func() { replace(t, file, group+"half a") },
		"old":      func() { _ = os.Chtimes(file, time.Time{}, time.Now().Add(-time.Hour)) },
		"a pipe":   func() { _ = os.Remove(file); _ = syscall.Mkfifo(file, 0o644) },
		"a folder": func() { _ = os.Remove(file); _ = os.Mkdir(file, 0o755) },
		"too large": func() {
			replace(t, file, "")
			_ = os.Truncate(file, mostText+1)
		},
	} {
		spoil()
		a.shows("ebb_agent_fresh 0\n")
		if _, text := a.get("/metrics"); strings.Contains(text, "joules") {
			t.Errorf("%s: %s", name, text)
		}
		_ = os.Remove(file)
		replace(t, file, group)
		a.shows(named)
	}
	if n := strings.Count(a.said.String(), "no series"); n < 6 || n > 12 {
		t.Errorf("%d complaints for six reasons:\n%s", n, a.said)
	}
}

// TestSlowCallers: as many as are answered at a time connect and say nothing. Others are answered
// when their time is over; nothing else waits for them.
func TestSlowCallers(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for answerFor")
	}
	file, links := nodeWith(t)
	a := startAgent(t, "-textfile", file, "-links", links)
	for range mostCallers {
		c, err := net.Dial("tcp", a.address)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	a.shows("ebb_agent_fresh 1\n")
}

// TestNewNames: a pod that comes later has its name, and one that ended keeps its energy.
func TestNewNames(t *testing.T) {
	file, links := nodeWith(t)
	a := startAgent(t, "-textfile", file, "-links", links)
	a.shows(`pod="web"`)
	late := strings.ReplaceAll(group, "74-a/9ec39b91f3d7", "74-b/0123456789ab")
	replace(t, file, group+late)
	a.shows("ebb_agent_unnamed_groups 1\n")
	id := "0123456789ab" + strings.Repeat("0", 52)
	if err := os.Symlink("/x", filepath.Join(links, "db_shop_postgres-"+id+".log")); err != nil {
		t.Fatal(err)
	}
	a.until("a name", func() bool {
		replace(t, file, group+late)
		_, text := a.get("/metrics")
		return strings.Contains(text, `namespace="shop",pod="db",container="postgres"} 3.0`)
	})
	all := `ebb_group_energy_joules_total{kind="pod",name="ended",zone="package-0",source="measured"`
	replace(t, file, all+"} 6.000000000\n")
	a.shows(all + `,namespace="shop"} 6.000000000` + "\n" + all + "} 0.000000000\n")
}

func TestRefused(t *testing.T) {
	_, links := nodeWith(t)
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"-names", "nri"}, "there are links and api"},
		{[]string{"-names", "api"}, "find the API server"},
		{[]string{"-links", "/does/not/exist"}, "read the kubelet's links"},
		{[]string{"-links", links, "-listen", "nowhere"}, "serve metrics"},
		{[]string{"x"}, "flags alone"},
	} {
		s, err := parse(c.args, io.Discard)
		if err == nil {
			err = run(t.Context(), s, io.Discard)
		}
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q: %v", c.args, err)
		}
	}
	if _, err := parse([]string{"-h"}, io.Discard); !errors.Is(err, flag.ErrHelp) {
		t.Error(fmt.Sprint(err))
	}
}

// TestMemory: the greatest file fits into the memory that the manifest allows, answered again and
// again.
func TestMemory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ebb.prom")
	e := newExporter(&settings{textfile: file, stale: time.Hour}, none{}, io.Discard)
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(mostMemory)) // as run sets it
	for round := range 4 {
		var text strings.Builder
		text.Grow(mostText)
		for i := 0; text.Len() < mostText-200; i++ {
			fmt.Fprintf(&text, "ebb_group_energy_joules_total{kind=\"pod\",name=\"74c13223-5a00-"+
				"11e9-b385-%012x/%012x\",zone=\"package-0\",source=\"measured\"} %d.000000000\n",
				i/4, i, round)
		}
		if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		text.Reset()
		for range 2 {
			if got, _ := e.metrics(); len(got) < mostText/2 {
				t.Fatalf("%d bytes of an answer", len(got))
			}
		}
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if has := m.Sys - m.HeapReleased; has > mostMemory {
		t.Errorf("%d MiB of memory", has>>20)
	}
}

// none names nothing.
type none struct{}

func (none) Of(string) (names.Container, bool) { return names.Container{}, false }
