//go:build !race

package sandbox

import (
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
	"github.com/ebb-energy/ebb/units"
)

// TestAnswersDoNotWait: at the run's end stacks that the child does not walk in time are given up
// and counted, once for all. The same child names functions after that, whatever it says of those
// stacks then, and has heard of an image that was forgotten meanwhile.
func TestAnswersDoNotWait(t *testing.T) {
	r := newRun(t)
	r.Bind(1, os.Getpid())
	r.walk(1, 1, here())
	r.until(1)
	if err := r.child.Signal(unix.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	for n := 2; n < 5; n++ {
		r.walk(1, n, here())
	}
	r.queue.flush()
	r.poll() // these are on their way
	r.walk(1, 5, here())
	r.Forget(7)
	begun := time.Now()
	for range 3 {
		r.AwaitAnswers(t.Context(), func() units.Instant { return r.now })
	}
	if took := time.Since(begun); took > devtest.Hung {
		t.Errorf("it took %v", took)
	}
	if len(r.out) != 5 {
		t.Errorf("%d of 5 samples are over", len(r.out))
	}
	for _, a := range r.out[1:] {
		if len(a.frames) > 0 || a.end != protocol.Cut {
			t.Errorf("sample %d has %d frames", a.number, len(a.frames))
		}
	}
	if err := r.child.Signal(unix.SIGCONT); err != nil {
		t.Fatal(err)
	}
	child := r.child
	names := r.Names(t.Context(), []protocol.Address{{Image: 1, Addr: here()}})
	if !strings.Contains(names[0].Name, "TestAnswersDoNotWait") || r.child != child {
		t.Errorf("%+v, another child: %v", names, r.child != child)
	}
	if len(r.out) != 5 {
		t.Errorf("%d answers", len(r.out))
	}
	if said := r.Problems(); len(said) != 1 || !strings.Contains(said[0], "4 samples") {
		t.Errorf("said %q", said)
	}
}
