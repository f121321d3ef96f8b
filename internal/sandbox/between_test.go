//go:build !race

package sandbox

import (
	"os"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
)

// TestSamplesBetweenNames: a sample that comes while a file is read for names is answered before
// the names are known, and one behind a message whose order matters is answered after them. The
// child is stopped until all questions are on their way, so that no clock has a part in it.
func TestSamplesBetweenNames(t *testing.T) {
	mayOpen(t)
	r := newRun(t)
	r.Bind(1, os.Getpid())
	r.Bind(2, os.Getpid())
	pc := here()
	r.walk(1, 0, pc)
	r.walk(2, 1, pc) // a new image's samples wait for no others
	r.until(2)
	if err := r.child.Signal(unix.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	var order []string
	said := func(what string) func([]uint64, protocol.End) {
		return func([]uint64, protocol.End) { order = append(order, what) }
	}
	ask := func(what string) {
		s := protocol.Sample{Image: 1, PID: uint32(os.Getpid()), Chained: true,
			Chain: []uint64{pc, 4}}
		r.Walk(&s, r.now, said(what))
		r.queue.flush()
	}
	asked := r.AskNames([]protocol.Address{{Image: 1, Addr: pc}}, r.now,
		func([]protocol.Address, []protocol.Frame) { order = append(order, "names") })
	if !asked {
		t.Fatal("not asked")
	}
	ask("before")
	r.Unbind(2)
	ask("between")
	r.Forget(2)
	ask("behind")
	r.poll()
	if err := r.child.Signal(unix.SIGCONT); err != nil {
		t.Fatal(err)
	}
	for len(order) < 4 && r.restarts == 0 {
		r.poll()
		time.Sleep(time.Millisecond)
	}
	if want := []string{"before", "between", "names", "behind"}; !slices.Equal(order, want) {
		t.Errorf("%q, %d restarts, %q", order, r.restarts, r.Problems())
	}
}
