package attribution

import (
	"slices"
	"testing"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/network"
)

// heard are callers by hand.
type heard []network.Caller

func (h *heard) Callers(take func(*network.Caller)) {
	for i := range *h {
		take(&(*h)[i])
	}
	*h = nil
}

// TestNetwork: what a thread moved is its callers' and, for the rest, nobody's; bytes and nJ add up
// to the thread's. A thread that is not there otherwise is added, and one with an id that was used
// before is not mistaken for the other.
func TestNetwork(t *testing.T) {
	s := newScript(t, 0)
	s.cfg.Callers = &heard{
		{At: at(10 * ms), PID: 7, TID: 7, Number: 1, Frames: []uint64{0x10}},
		{At: at(20 * ms), PID: 7, TID: 7, Number: 2, Frames: []uint64{0x20}},
	}
	s.runs(7, 0, 40*ms, epochs.Preempted, true)
	s.sched(epochs.Event{Kind: epochs.Exit, Thread: 7, At: at(45 * ms)})
	s.runs(7, 40*ms, 50*ms, epochs.Exited, false)
	s.tick(100 * ms)
	s.sched(epochs.Event{Kind: epochs.Fork, Thread: 7, By: 1, At: at(110 * ms)})
	*s.cfg.Callers.(*heard) = []network.Caller{{At: at(120 * ms), PID: 7, TID: 7, Number: 3,
		Frames: []uint64{0x30}}}
	s.runs(7, 110*ms, 150*ms, epochs.Preempted, true)
	s.tick(200 * ms)
	by := func(number, sent, received, loop uint64) network.CallerCount {
		return network.CallerCount{PID: 7, TID: 7, Number: number,
			Bytes: network.Bytes{Sent: sent, Received: received, LoopSent: loop}}
	}
	s.Observe(over(300*ms), nil)
	p, err := s.Finish(t.Context(),
		[]Named{{TID: 7, PID: 7, Comm: "first", Ended: at(50 * ms)},
			{TID: 7, PID: 7, Comm: "second"}}, []Moved{
			{
				PID: 7, TID: 7, Comm: "second", Bytes: network.Bytes{Sent: 500, Received: 60,
					LoopSent: 7}, Energy: 1001,
				// nobody described the last caller
				By: []network.CallerCount{by(1, 300, 0, 7), by(2, 100, 0, 0), by(3, 0, 60, 0),
					by(9, 99, 0, 0)},
			},
			{PID: 7, TID: 50, Comm: "iou-wrk-7", Bytes: network.Bytes{LoopReceived: 1}},
			{PID: 7, TID: 0, Comm: "second", Bytes: network.Bytes{Sent: 8}, Energy: 3},
		}, 0)
	if err != nil || p.Check() != nil {
		t.Fatal(err, p.Check())
	}
	want := []profile.Transfer{
		// 1001 * 300 / 560
		{Thread: 0, Frames: []int{0},
			Traffic: profile.Traffic{Sent: 300, LoopSent: 7, EnergyNJ: 536}},
		{Thread: 0, Frames: []int{0}, Traffic: profile.Traffic{Sent: 100, EnergyNJ: 179}},
		{Thread: 1, Frames: []int{0}, Traffic: profile.Traffic{Received: 60, EnergyNJ: 107}},
		{Thread: 1, Traffic: profile.Traffic{Sent: 100, EnergyNJ: 179}},
		{Thread: 2, Traffic: profile.Traffic{LoopReceived: 1}},
		{Thread: 3, Traffic: profile.Traffic{Sent: 8, EnergyNJ: 3}},
	}
	var energy int64
	for i, x := range p.Network.Transfers {
		energy += x.EnergyNJ
		if i >= len(want) || x.Thread != want[i].Thread || x.Traffic != want[i].Traffic ||
			len(x.Frames) != len(want[i].Frames) {
			t.Errorf("transfer %d is %+v", i, x)
		}
	}
	if len(p.Network.Transfers) != len(want) || energy != 1004 {
		t.Errorf("%d transfers with %d nJ, want %d with 1004", len(p.Network.Transfers), energy,
			len(want))
	}
	if !slices.ContainsFunc(p.Threads,
		func(t profile.Thread) bool { return t.TID == 50 && t.Comm == "iou-wrk-7" }) {
		t.Errorf("threads: %+v", p.Threads)
	}
}
