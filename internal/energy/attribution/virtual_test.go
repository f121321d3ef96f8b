package attribution

import (
	"fmt"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
	"github.com/ebb-energy/ebb/internal/stacks"
)

// carried is a millisecond of thread 7, number n of them, and a sample in which a virtual thread
// was mounted.
func (s *script) carried(n int, mounted, frame, caller uint64) {
	from, to := time.Duration(n)*ms, time.Duration(n+1)*ms
	s.waiting = append(s.waiting, stacks.Sample{At: at((from + to) / 2), Thread: 7, PID: 7,
		User: []uint64{frame, caller}, Mounted: mounted, Period: ms})
	s.sched(epochs.Event{Kind: epochs.Off, Thread: 7, From: at(from), At: at(to),
		Cause: epochs.Preempted})
	if n%100 == 99 {
		s.tick(to)
	}
}

// byUnit is each row of the view by thread, after its check against the whole.
func byUnit(t *testing.T, p *profile.Profile) map[string]profile.Row {
	t.Helper()
	v, err := profile.NewView(p, "thread", nil)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]profile.Row{}
	var energy, cpu int64
	for _, r := range p.Rows(v, 0) {
		out[r.Unit] = r
		energy, cpu = energy+r.Energy, cpu+r.TimeNS
	}
	if energy != p.Zones[0].Attr[0] || cpu != p.Threads[0].RunNS {
		t.Errorf("the rows have %d nJ and %d ns, the thread %d and %d", energy, cpu,
			p.Zones[0].Attr[0], p.Threads[0].RunNS)
	}
	return out
}

// TestVirtualThreads: each virtual thread has what it used, by name or number, and the thread that
// carried it the rest. Of a sample that does not say, the stack says whether there was one, and so
// it does of a number that is not the thread's any more.
func TestVirtualThreads(t *testing.T) {
	s := newScript(t, 0)
	s.reader.virtual = map[uint64]string{30: "one"}
	s.reader.name = func(a protocol.Address) protocol.Frame {
		switch a.Addr { // a caller, less one
		case 1:
			return protocol.Frame{Name: "start_thread", Module: "libc.so.6", Kind: "native"}
		case 0:
			return protocol.Frame{Name: "jdk.internal.vm.Continuation.run", Module: "[java]",
				Kind: "jit"}
		}
		return protocol.Frame{Name: fmt.Sprintf("f%d", a.Addr), Module: "[java]", Kind: "jit"}
	}
	for n := range 1000 {
		s.carried(n, []uint64{30, 30, 30, 30, 31, 31, 31, stacks.Itself, 99, 0}[n%10],
			uint64(100+n%3), []uint64{1, 1, 9, 1, 1, 1, 1, 1, 2, 1}[n%10])
	}
	p := s.finish(time.Second, Named{TID: 7, PID: 7, Comm: "worker"})
	rows := byUnit(t, p)
	for unit, want := range map[string]float64{"one (virtual thread 30)": 0.4,
		"(virtual thread 31)": 0.3, "worker (7)": 0.2,
		"(virtual threads, not known which)": 0.1} {
		if r := rows[unit]; r.Share < want-0.001 || r.Share > want+0.001 || r.Low >= want ||
			r.High <= want {
			t.Errorf("%s: %+v, want %v", unit, r, want)
		}
	}
	if len(rows) != 4 {
		t.Errorf("rows: %v", rows)
	}
	if got := float64(p.VirtualNJ[0]) / float64(p.Zones[0].Attr[0]); got < 0.799 || got > 0.801 {
		t.Errorf("virtual threads used %v of all", got)
	}
}

// TestVirtualThreadsNotSaid: where no sample has a number, a carrier's line has all that it
// carried, and the profile says how much that is.
func TestVirtualThreadsNotSaid(t *testing.T) {
	s := newScript(t, 0)
	s.reader.name = func(a protocol.Address) protocol.Frame {
		name := map[uint64]string{0: "jdk.internal.vm.Continuation.run"}[a.Addr]
		return protocol.Frame{Name: name, Module: "[java]", Kind: "jit"}
	}
	for n := range 100 {
		s.carried(n, 0, 100, []uint64{1, 9}[n%2])
	}
	p := s.finish(100*ms, Named{TID: 7, PID: 7, Comm: "worker"})
	if rows := byUnit(t, p); rows["worker (7)"].Share != 1 || len(p.VirtualThreads) > 0 {
		t.Errorf("%v; %v", rows, p.VirtualThreads)
	}
	if got := float64(p.VirtualNJ[0]) / float64(p.Zones[0].Attr[0]); got < 0.49 || got > 0.51 {
		t.Errorf("virtual threads used %v of all", got)
	}
}

// TestNumbersOfOthers: numbers that stacks contradict, as in the place of a thread that ended, are
// no virtual threads, however many there are.
func TestNumbersOfOthers(t *testing.T) {
	s := newScript(t, 0)
	s.reader.room = 1000
	s.reader.name = func(a protocol.Address) protocol.Frame {
		switch a.Addr {
		case 1:
			return protocol.Frame{Name: "start_thread", Module: "libc.so.6", Kind: "native"}
		case 0:
			return protocol.Frame{Name: "jdk.internal.vm.Continuation.run", Module: "[java]",
				Kind: "jit"}
		}
		return protocol.Frame{Name: fmt.Sprintf("f%d", a.Addr), Module: "[java]", Kind: "jit"}
	}
	const all = 2 * maxVirtual
	for n := range all {
		if n%4 == 0 {
			s.carried(n, 30, 100, 1)
		} else {
			s.carried(n, uint64(1000+n), 100, 2)
		}
	}
	rows := byUnit(t, s.finish(all*ms, Named{TID: 7, PID: 7, Comm: "worker"}))
	if r := rows["worker (7)"]; len(rows) != 2 || r.Share < 0.749 || r.Share > 0.751 {
		t.Errorf("%v", rows)
	}
}

// TestManyVirtualThreads: however many virtual threads a program makes, or makes up, those that
// used most keep their lines, the others share one, and nothing is lost.
func TestManyVirtualThreads(t *testing.T) {
	s := newScript(t, 0)
	s.reader.room = 1000
	const all = 5 * maxVirtual
	for n := range all {
		mounted := uint64(1)<<40 + uint64(n) // each once
		if n%4 == 0 {
			mounted = 30
		} else if n == all-1 {
			mounted = 1<<40 + 1 // again, after it lost its line
		}
		s.carried(n, mounted, 100, 9)
		if k := len(s.virtual.list); k > maxVirtual+200 {
			t.Fatalf("%d are kept", k)
		}
	}
	p := s.finish(all*ms, Named{TID: 7, PID: 7, Comm: "worker"})
	rows := byUnit(t, p)
	more := rows["(more virtual threads)"].Share
	if len(rows) != 2 || more < 0.749 || more > 0.751 {
		t.Errorf("%d rows; those that ran once each have %v", len(rows), more)
	}
	if r := rows["(virtual thread 30)"]; r.Share < 0.249 || r.Share > 0.251 || r.Samples != all/4 {
		t.Errorf("the one that ran a quarter: %+v", r)
	}
	var lost int
	for _, spare := range s.reader.spare {
		if spare {
			lost++
		}
	}
	if had := lost + len(s.virtual.index); had < all/2 || had > all {
		t.Errorf("%d lost their lines or have one, of %d that ran", had, 3*all/4+1)
	}
	for k := range s.virtual.index {
		if s.reader.spare[k.id] {
			t.Fatalf("the name of %d is spare, which has a line", k.id)
		}
	}
	if len(s.virtual.index) > maxVirtual || len(s.stacks.stacks) > 2*maxVirtual {
		t.Errorf("%d virtual threads and %d stacks are kept", len(s.virtual.index),
			len(s.stacks.stacks))
	}
}
