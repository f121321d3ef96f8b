//go:build !race

package sandbox

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
)

// TestNewOpenerKnowsNoReusedID: a new opener knows the processes that live, and opens nothing of a
// process that has got an ended one's id.
func TestNewOpenerKnowsNoReusedID(t *testing.T) {
	r := newRun(t)
	cmd := exec.CommandContext(t.Context(), "sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	r.Bind(1, cmd.Process.Pid)
	r.Bind(2, os.Getpid())
	command := func(image protocol.Image) (string, error) {
		return r.text(t.Context(), func(seq uint64) []byte {
			return protocol.Ask(protocol.KindCommand, seq, image)
		})
	}
	if text, err := command(1); err != nil || !strings.HasPrefix(text, "sleep") {
		t.Errorf("%q, %v", text, err)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	r.bound.pids[1] = os.Getpid() // as if this process had got the id
	r.restartOpener()
	if text, err := command(1); err == nil {
		t.Errorf("of a process that has ended: %q", text)
	}
	if text, err := command(2); err != nil || text == "" {
		t.Errorf("of one that lives: %q, %v", text, err)
	}
}

// TestBindings: descriptors of processes are bounded; those that have ended make room, and images
// that were given up need none.
func TestBindings(t *testing.T) {
	b := newBindings()
	defer b.close()
	cmd := exec.CommandContext(t.Context(), "true")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	const ended, rest = 10, maxBound - 10
	for i := range ended {
		if !b.add(protocol.Image(i+1), cmd.Process.Pid) {
			t.Fatal("not bound")
		}
	}
	_ = cmd.Wait()
	if b.add(99999, cmd.Process.Pid) {
		t.Error("a process was bound that had ended")
	}
	for i := range rest {
		if !b.add(protocol.Image(i+100), os.Getpid()) {
			t.Fatal("not bound")
		}
	}
	if b.add(100, os.Getpid()) {
		t.Error("an image became another process")
	}
	for i := range ended {
		if !b.add(protocol.Image(i+5000), os.Getpid()) {
			t.Errorf("%d: the ended ones made no room", i)
		}
	}
	if b.add(6000, os.Getpid()) || len(b.fds) != maxBound {
		t.Errorf("%d are bound", len(b.fds))
	}
	before := descriptors(t)
	b.drop(5000)
	if now := descriptors(t); now != before-1 || !b.add(6001, os.Getpid()) {
		t.Errorf("%d descriptors, before %d", now, before)
	}
}
