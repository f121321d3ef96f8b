//go:build !race

package sandbox

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
)

// TestPlaces: the child says in which function of which file an address is, and which files are
// mapped, with their addresses and build ids.
func TestPlaces(t *testing.T) {
	mayOpen(t)
	r := newRun(t)
	answers := 0
	var got []protocol.Origin
	r.OnOrigins(func(image protocol.Image, list []protocol.Origin) {
		answers, got = answers+1, list
	})
	ask := func(image protocol.Image, pid int, functions bool, addrs ...uint64) []protocol.Origin {
		t.Helper()
		r.Bind(image, pid)
		before := answers
		q := protocol.AskOrigins{Image: image, PID: uint32(pid), Functions: functions, Addrs: addrs}
		if !r.AskOrigins(&q, r.now) {
			t.Fatal("it was not asked")
		}
		if r.AskOrigins(&q, r.now) {
			t.Error("it was asked twice")
		}
		for end := time.Now().Add(devtest.Hung); answers == before &&
			time.Now().Before(end); time.Sleep(time.Millisecond) {
			r.now = r.now.Add(time.Millisecond)
			r.poll()
		}
		if answers == before {
			t.Fatalf("no answer: %q", r.Problems())
		}
		return got
	}
	at := here()
	functions := ask(1, os.Getpid(), true, at, 1<<40)
	if len(functions) != 1 || !strings.Contains(functions[0].Function, "TestPlaces") ||
		at < functions[0].Start || at >= functions[0].End {
		t.Fatalf("%#x is in %+v", at, functions)
	}
	f := functions[0]
	for _, m := range ask(1, os.Getpid(), false, at) {
		if at >= m.Start && at < m.End {
			if m.Function != "" || m.Addr+(f.Start-m.Start) != f.Addr || m.BuildID != f.BuildID {
				t.Errorf("mapped %+v, the function %+v", m, f)
			}
		}
	}
	cmd := exec.CommandContext(t.Context(), "sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	built := 0
	// It takes a while until the process is that program, with its libraries.
	end := time.Now().Add(devtest.Hung)
	for image := protocol.Image(2); built == 0 && time.Now().Before(end); image++ {
		for _, m := range ask(image, cmd.Process.Pid, false, 1) {
			if len(m.BuildID) == 40 { // SHA-1, as distributions have it
				built++
			}
		}
		r.Forget(image)
	}
	if built == 0 {
		t.Errorf("no build ids: %+v", got)
	}
}
