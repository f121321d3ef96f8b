//go:build !race

package sandbox

import (
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/linux/unixconn"
	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
	"github.com/ebb-energy/ebb/units"
)

// run is a Host, and the time as the test has it.
type run struct {
	*Host
	t   *testing.T
	now units.Instant
	out []answer // answers in the order in which they came
}

// answer is the outcome of a sample.
type answer struct {
	number int
	frames []uint64
	end    protocol.End
}

func newRun(t *testing.T) *run {
	t.Helper()
	h, err := Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close() })
	return &run{Host: h, t: t, now: units.Instant(time.Second)}
}

// here returns an address in the function that calls it.
func here() uint64 {
	var pc [1]uintptr
	runtime.Callers(2, pc[:])
	return uint64(pc[0])
}

// walk asks for the walk of this process's stack at an address, by its chain.
func (r *run) walk(image protocol.Image, number int, at uint64) {
	s := protocol.Sample{Image: image, PID: uint32(os.Getpid()), Chained: true,
		Chain: []uint64{at, uint64(number) + 4}}
	r.Walk(&s, r.now, func(frames []uint64, end protocol.End) {
		r.out = append(r.out, answer{number, slices.Clone(frames), end})
	})
}

// poll polls, and fails the test where that takes more than a moment. To start two processes takes
// a few.
func (r *run) poll() {
	r.t.Helper()
	before := time.Now()
	r.Poll(r.now)
	if d := time.Since(before); d > time.Second {
		r.t.Errorf("Poll took %v", d)
	}
}

// pollUntil polls until done, or until only a hang can be the reason that it is not.
func (r *run) pollUntil(done func() bool) {
	r.t.Helper()
	for end := time.Now().Add(devtest.Hung); !done() &&
		time.Now().Before(end); time.Sleep(time.Millisecond) {
		r.now = r.now.Add(time.Millisecond)
		r.poll()
	}
}

// until polls until so many samples were answered.
func (r *run) until(n int) {
	r.t.Helper()
	r.pollUntil(func() bool { return len(r.out) >= n })
	if len(r.out) != n {
		r.t.Fatalf("%d answers, not %d; %q", len(r.out), n, r.Problems())
	}
}

// lost returns the number of answers without frames. With inOrder all are in the order of the
// questions.
func (r *run) lost(inOrder bool) (n int) {
	r.t.Helper()
	for i, a := range r.out {
		if inOrder && a.number != i {
			r.t.Errorf("answer %d is that to %d", i, a.number)
		}
		if len(a.frames) == 0 {
			n++
		} else if a.frames[1] != uint64(a.number)+4 {
			r.t.Errorf("sample %d has %x", a.number, a.frames)
		}
	}
	return n
}

// mayOpen skips where the files that a process has mapped cannot be opened.
func mayOpen(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
}

func (r *run) named(image protocol.Image, addr uint64) protocol.Frame {
	r.t.Helper()
	return r.Names(r.t.Context(), []protocol.Address{{Image: image, Addr: addr}})[0]
}

// TestAskNames: names come by Poll while samples are walked, in the order of the addresses; there
// is one question at a time; and when the child is lost, what it was asked for has no names.
func TestAskNames(t *testing.T) {
	mayOpen(t)
	r := newRun(t)
	r.Bind(1, os.Getpid())
	pc := here()
	r.walk(1, 0, pc)
	r.until(1)
	var got []protocol.Frame
	take := func(_ []protocol.Address, frames []protocol.Frame) { got = frames }
	list := []protocol.Address{{Image: 1, Addr: pc}, {Image: 1, Addr: 8}}
	if !r.AskNames(list, r.now, take) || r.AskNames(list, r.now, take) {
		t.Fatal("not one question at a time")
	}
	r.walk(1, 1, pc)
	r.until(2) // the child answers it first where the names take long
	answered := func() bool { return got != nil }
	r.pollUntil(answered)
	if len(got) != 2 || !strings.HasSuffix(got[0].Name, "sandbox.TestAskNames") ||
		got[1].Kind != "unresolved" {
		t.Fatalf("%+v; %q", got, r.Problems())
	}
	// A question of the run's end meanwhile takes its own answer.
	if got = nil; !r.AskNames(list, r.now, take) {
		t.Fatal("not asked")
	}
	if f := r.named(1, pc); !strings.HasSuffix(f.Name, "sandbox.TestAskNames") || len(got) != 2 {
		t.Errorf("%+v, %+v", f, got)
	}
	if got = nil; !r.AskNames(list, r.now, take) {
		t.Fatal("not asked")
	}
	if err := r.child.Kill(); err != nil {
		t.Fatal(err)
	}
	r.pollUntil(answered)
	if len(got) != 2 {
		t.Errorf("%+v; %q", got, r.Problems())
	}
	r.walk(1, 2, pc)
	r.until(3)
}

// TestWalkAndName: samples are answered in their order, with nothing lost, and their addresses have
// their functions' names.
func TestWalkAndName(t *testing.T) {
	r := newRun(t)
	r.Bind(1, os.Getpid())
	pc := here()
	for i := range 200 {
		if r.walk(1, i, pc); !r.Room() {
			r.until(i + 1)
		}
	}
	r.until(200)
	if n := r.lost(true); n > 0 || r.restarts > 0 {
		t.Errorf("%d lost, %q", n, r.Problems())
	}
	if _, waits := r.Oldest(); waits {
		t.Error("something waits still")
	}
	mayOpen(t)
	if len(r.Problems()) > 0 {
		t.Errorf("%q", r.Problems())
	}
	if f := r.named(1, pc); !strings.HasSuffix(f.Name, "sandbox.TestWalkAndName") ||
		f.Kind != "native" {
		t.Errorf("%+v, %q", f, r.Problems())
	}
	if f := r.named(2, pc); f.Kind != "unresolved" {
		t.Errorf("of an image that is none: %+v", f)
	}
	if line, err := CommandLine(t.Context(), os.Getpid()); err != nil ||
		!strings.HasPrefix(line, os.Args[0]) {
		t.Errorf("%q, %v", line, err)
	}
}

// TestFull: a sample more than fits waits nowhere, and the oldest is known.
func TestFull(t *testing.T) {
	r := newRun(t)
	if err := r.child.Signal(unix.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	first := r.now
	n := 0
	for ; r.Room() && n < 10_000; n++ {
		r.walk(1, n, here())
		r.now = r.now.Add(time.Microsecond)
		r.poll()
	}
	if n != maxPending {
		t.Errorf("room for %d", n)
	}
	if oldest, waits := r.Oldest(); !waits || oldest != first {
		t.Errorf("%v, %v, want %v", oldest, waits, first)
	}
	if err := r.child.Signal(unix.SIGCONT); err != nil {
		t.Fatal(err)
	}
	r.until(n)
	r.lost(true)
	if !r.Room() || r.restarts > 0 {
		t.Errorf("%d restarts, room: %v", r.restarts, r.Room())
	}
}

// TestLies: a child that answers what nobody asked, or says what makes no sense, is replaced, and
// what waits is answered by the next.
func TestLies(t *testing.T) {
	stack := func(seq uint64) []byte {
		return protocol.AppendStack(protocol.BeginStacks(nil),
			&protocol.Stack{Seq: seq, Frames: []uint64{1}})
	}
	for name, packet := range map[string][]byte{
		"a stack that was not asked for": stack(100),
		"one out of order":               stack(2),
		"one twice":                      append(stack(1), stack(1)[1:]...),
		"an unknown kind":                {7},
		"a cut packet":                   {byte(protocol.KindCodes), 1},
		"names that were not asked for":  protocol.Frames(1, nil),
		"an answer to no question":       protocol.Text(1, "a", ""),
		"too much":                       make([]byte, 70_000),
	} {
		t.Run(name, func(t *testing.T) {
			r, liar := lied(t)
			for i := range 3 {
				r.walk(0, i, here())
			}
			r.now = r.now.Add(flushAfter)
			r.poll()
			if err := liar.Send(packet); err != nil {
				t.Fatal(err)
			}
			if r.poll(); r.restarts != 1 {
				t.Errorf("%d restarts", r.restarts)
			}
			r.until(3)
			if len(r.Problems()) == 0 {
				t.Error("nothing is said")
			}
		})
	}
}

// lied returns a run whose first child is the test itself.
func lied(t *testing.T) (*run, *unixconn.Conn) {
	t.Helper()
	r := newRun(t)
	mine, theirs, err := unixconn.Pair()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { theirs.Close() })
	_ = r.child.conn.Close() // it ends
	r.child.conn = mine
	return r, theirs
}

// TestFlood: a child that says more than is taken does not keep the governor.
func TestFlood(t *testing.T) {
	r, liar := lied(t)
	stop := make(chan struct{})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-stop:
				return
			default:
				_ = liar.TrySend(protocol.Problem("and so on"))
			}
		}
	}()
	for range 20 {
		r.poll()
	}
	close(stop)
	<-ended
	if r.restarts != 0 {
		t.Errorf("%d restarts", r.restarts)
	}
}

// TestCodesBounded: what a child says of code takes no more memory than that of a bearable number
// of marks and names.
func TestCodesBounded(t *testing.T) {
	c := newCodes()
	list := make([]protocol.Code, 1<<15)
	for i := range 200 {
		c.add(protocol.Image(i%3), uint32(len(c.marksOf[protocol.Image(i%3)])), list)
	}
	n := 0
	for _, of := range c.marksOf {
		n += len(of)
	}
	if n > maxMarks || n != c.marks || n < maxMarks/2 {
		t.Errorf("%d marks, %d counted", n, c.marks)
	}
	for i := range protocol.Image(3) {
		c.forget(i)
	}
	if c.marks != 0 || len(c.marksOf) != 0 {
		t.Errorf("%d marks are left", c.marks)
	}
	c.add(5, 0, []protocol.Code{{Name: "\x1b[2Jevil\n"}})
	frames := []uint64{7, protocol.Marked, protocol.Marked | 1, protocol.Marked | 1<<40}
	c.translate(5, frames)
	for i, want := range []string{"", "?[2Jevil?", "[unknown]", "[unknown]"} {
		if i > 0 && c.frame(frames[i]).Name != want {
			t.Errorf("%d: %+v", i, c.frame(frames[i]))
		}
	}
}

// FuzzTake: no packet of a child harms the governor.
func FuzzTake(f *testing.F) {
	f.Add(protocol.AppendStack(protocol.BeginStacks(nil),
		&protocol.Stack{Seq: 1, Frames: []uint64{protocol.Marked}}))
	f.Add(protocol.Problem("a\x00b"))
	b, _ := protocol.Codes(1, 0, []protocol.Code{{Name: "x"}})
	f.Add(b)
	b, _ = protocol.Threads(1, []protocol.Thread{{ID: 7, Name: "x\x1b"}})
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) == 0 {
			return
		}
		h := &Host{bound: newBindings(), deaths: map[protocol.Image]int{},
			banned: map[protocol.Image]bool{}, codes: newCodes()}
		done := 0
		h.queue.walk(&protocol.Sample{Image: 1}, 1, func([]uint64, protocol.End) { done++ })
		h.queue.flush()
		h.queue.sent, h.queue.unsent = h.queue.unsent, nil
		if err := h.take(b); done > 1 {
			t.Fatalf("answered %d times, %v", done, err)
		}
	})
}
