package run

import (
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/internal/app/report"
)

// TestBusiest: a thread's share of a CPU is the time of its slices; the first five are shown, and
// what is no slice, or none that can be, counts nothing.
func TestBusiest(t *testing.T) {
	b := busy{}
	for i := range 8 {
		b.add(&epochs.Event{Kind: epochs.Slice, Thread: epochs.TID(i), From: 1000,
			At: 1000 + 1e6})
		b.add(&epochs.Event{Kind: epochs.Off, Thread: epochs.TID(i), From: 2e6,
			At: 2e6 + 1e6*2})
	}
	b.add(&epochs.Event{Kind: epochs.Off, Thread: 6, From: 1e7, At: 1e7 + 27e6})
	for _, ev := range []epochs.Event{{Kind: epochs.On, Thread: 1, From: 1, At: 9e9},
		{Kind: epochs.Off, Thread: 2, At: 9e9}, {Kind: epochs.Slice, Thread: 3, From: 9e9, At: 1}} {
		b.add(&ev)
	}
	top, all := b.top(100 * time.Millisecond)
	if len(top) != liveThreads || top[0] != (busiest{6, 0.30}) || top[1] != (busiest{0, 0.03}) ||
		all < 0.509 || all > 0.511 {
		t.Errorf("%v of %v", top, all)
	}
	if top, all := b.top(0); top != nil || all != 0 {
		t.Errorf("%v of %v in no time", top, all)
	}
	for i := range 2 * mostBusy {
		b.add(&epochs.Event{Kind: epochs.Off, Thread: epochs.TID(i), From: 1, At: 2})
	}
	if len(b) != mostBusy {
		t.Errorf("%d threads are kept", len(b))
	}
}

// TestLiveLinesFit: on a narrow terminal the row keeps what weighs most, and no figure is cut.
func TestLiveLinesFit(t *testing.T) {
	m := moment{row: []cell{{"   12.3 s", 4}, {"  3.9 GHz", 5}, {"   4.0 % slower", 9},
		{" of 5.0 %", 8}, {"   36.6 W", 7}, {"  Ctrl-C ends it", 1}},
		threads: []busiest{{7, 0.285}, {8, 0.001}}}
	name := func(t epochs.TID) string { return map[epochs.TID]string{7: "worker (7)"}[t] }
	for width, want := range map[int]string{
		80: "ebb   12.3 s  3.9 GHz   4.0 % slower of 5.0 %   36.6 W  Ctrl-C ends it",
		46: "ebb  3.9 GHz   4.0 % slower of 5.0 %   36.6 W",
		39: "ebb   4.0 % slower of 5.0 %   36.6 W",
		5:  "ebb   4.0 % slower",
	} {
		got := m.lines(width, name)
		if got[0] != want {
			t.Errorf("%d wide: %q, want %q", width, got[0], want)
		}
		if rest := strings.Join(got[1:], "|"); rest !=
			"      CPU  thread|   28.5 %  worker (7)|    0.1 %  " {
			t.Errorf("%q", rest)
		}
	}
	if m.threads = nil; len(m.lines(80, name)) != 1 {
		t.Errorf("%q", m.lines(80, name))
	}
}

// TestFirstSecond: a run that has hardly begun has no slowdown yet, and its row is as wide as
// later.
func TestFirstSecond(t *testing.T) {
	p := progress{budget: 0.05}
	width := 0
	for _, at := range []time.Duration{0, 500 * time.Millisecond, time.Second} {
		row := fitCells(p.row(report.SoFar{Time: at, Slowdown: 0.186}, 0), 80)
		if strings.Contains(row, "18.6 % slower") != (at == time.Second) ||
			!strings.Contains(row, " slower of 5.0 %") || width > 0 && len(row) != width {
			t.Errorf("at %v: %q", at, row)
		}
		width = len(row)
	}
}
