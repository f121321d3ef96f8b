//go:build !race

package sandbox

import (
	"context"
	"errors"
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

// TestUnansweredQuestion: a question that is not waited for any more is the last. Its answer could
// come as one to another question.
func TestUnansweredQuestion(t *testing.T) {
	r := newRun(t)
	r.Bind(1, os.Getpid())
	if err := r.child.Signal(unix.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	enough := errors.New("enough")
	ctx, cancel := context.WithTimeoutCause(t.Context(), pollInterval, enough)
	defer cancel()
	begun := time.Now()
	if _, err := r.Switches(ctx, 1); !errors.Is(err, enough) {
		t.Errorf("the answer is %v", err)
	}
	list := []protocol.Address{{Image: 1, Addr: here()}}
	names, err := r.Names(t.Context(), list), r.PerfMaps(t.Context(), []protocol.Image{1})
	if len(names) != 1 || names[0] != unnamed() || !errors.Is(err, enough) {
		t.Errorf("%+v, %v", names, err)
	}
	if took := time.Since(begun); took > questionPatience {
		t.Errorf("it took %v", took)
	}
}

// TestPerfMapsLeaveTime: a child that does not answer for the perf maps takes half of the time that
// names have, and the next one names functions in the other half.
func TestPerfMapsLeaveTime(t *testing.T) {
	r := newRun(t)
	r.Bind(1, os.Getpid())
	r.Bind(2, os.Getpid())
	if err := r.child.Signal(unix.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	r.nameBy = time.Now().Add(questionPatience) // a question may take all of it
	if err := r.PerfMaps(t.Context(), []protocol.Image{1}); !errors.Is(err, ErrLost) {
		t.Fatal(err)
	}
	if left := time.Until(r.nameBy); left < questionPatience/4 {
		t.Errorf("%v are left for names", left)
	}
	r.nameBy = time.Now().Add(devtest.Hung)
	names := r.Names(t.Context(), []protocol.Address{{Image: 2, Addr: here()}})
	if names[0] == unnamed() {
		t.Errorf("%+v; %q", names, r.Problems())
	}
}

// TestNamesAreNotWaitedFor: once the time for names is over nothing is asked any more, and the
// report says how many addresses have no name.
func TestNamesAreNotWaitedFor(t *testing.T) {
	r := newRun(t)
	r.Bind(1, os.Getpid())
	list := []protocol.Address{{Image: 1, Addr: here()}, {Image: 1, Addr: here() + 1}}
	if err := r.PerfMaps(t.Context(), []protocol.Image{1}); err != nil {
		t.Fatal(err)
	}
	if got := r.Names(t.Context(), list); got[0] == unnamed() || len(r.Problems()) > 0 {
		t.Fatalf("%+v; %q", got, r.Problems())
	}
	r.nameBy = time.Now()
	names := r.Names(t.Context(), list)
	if len(names) != 2 || names[0] != unnamed() || names[1] != unnamed() {
		t.Errorf("%+v", names)
	}
	if err := r.PerfMaps(t.Context(), []protocol.Image{1}); !errors.Is(err, errNames) {
		t.Errorf("perf maps: %v", err)
	}
	const want = "2 addresses were not named: the end of the run waited 30s for names"
	if said := r.Problems(); len(said) != 1 || !strings.HasPrefix(said[0], want) {
		t.Errorf("said %q", said)
	}
	if _, err := r.Switches(t.Context(), 1); err != nil {
		t.Errorf("the child was given up: %v", err)
	}
}
