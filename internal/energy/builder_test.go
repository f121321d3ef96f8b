package energy

import (
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/units"
)

// TestWindows cuts two threads on the two hardware threads of a core, and one on a core of its own,
// at two readings.
func TestWindows(t *testing.T) {
	var got []Window
	b := NewBuilder(map[CPU]Core{0: 7, 1: 7}, func(w *Window) {
		c := *w
		c.Runs = append([]Run(nil), w.Runs...)
		c.Samples = append([]Sample(nil), w.Samples...)
		got = append(got, c)
	})
	b.Begin(100)
	// began before the first reading
	b.Slice(Slice{Thread: 1, CPU: 0, From: 90, To: 150, Frequency: 2e9})
	b.Slice(Slice{Thread: 2, CPU: 1, From: 120, To: 140})
	b.Slice(Slice{Thread: 3, CPU: 2, From: 110, To: 260})
	b.Slice(Slice{Thread: 1, CPU: 0, From: 150, To: 230, Frequency: 2e9})
	b.Sample(Sample{Thread: 1, At: 199, Stack: 5})
	b.Sample(Sample{Thread: 1, At: 200, Stack: 6})
	b.Reading(200, []units.Energy{10}, nil)
	b.Reading(300, []units.Energy{20}, []Other{{CPU: 3, Time: 4}})
	if b.Delivered(199); len(got) != 0 {
		t.Fatalf("a window before all of it was there: %+v", got)
	}
	b.Delivered(250)
	b.Sample(Sample{Thread: 3, At: 120, Stack: 7}) // too late for its own window
	b.Delivered(300)
	want := []Window{{
		From: 100, To: 200, Used: []units.Energy{10},
		Runs: []Run{
			{Thread: 1, CPU: 0, Frequency: 2e9, Alone: 80, Shared: 20, Probed: true,
				Last: 200}, // the probe is at 100
			{Thread: 2, CPU: 1, Shared: 20, Last: 140},
			{Thread: 3, CPU: 2, Alone: 90, Last: 200},
		},
		Samples: []Sample{{Thread: 1, At: 199, Stack: 5}},
	}, {
		From: 200, To: 300, Used: []units.Energy{20},
		Runs: []Run{{Thread: 1, CPU: 0, Frequency: 2e9, Alone: 30, Last: 230},
			{Thread: 3, CPU: 2, Alone: 60, Last: 260}}, // the probe is at 261
		Samples: []Sample{{Thread: 1, At: 200, Stack: 6}, {Thread: 3, At: 120, Stack: 7}},
		Others:  []Other{{CPU: 3, Time: 4}},
	}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
	if len(b.slices) != 0 || len(b.samples) != 0 || len(b.cuts) != 0 {
		t.Errorf("left over: %+v, %+v, %+v", b.slices, b.samples, b.cuts)
	}
}

// TestWindowsWhole: whatever the cuts, every thread's time is in the windows exactly once, and what
// is shared agrees with a count of every single ns.
func TestWindowsWhole(t *testing.T) {
	const seed = 5
	r := rand.New(rand.NewPCG(seed, 0))
	for range 2000 {
		run := map[epochs.TID]time.Duration{}
		var shared time.Duration
		b := NewBuilder(map[CPU]Core{0: 0, 1: 0, 2: 1, 3: 1}, func(w *Window) {
			for _, x := range w.Runs {
				run[x.Thread] += x.Time()
				shared += x.Shared
			}
		})
		b.Begin(0)
		want := map[epochs.TID]time.Duration{}
		var busy [4][400]bool
		for cpu := range 4 {
			for at := int64(0); at < 300; {
				from := at + r.Int64N(20)
				to := from + r.Int64N(40)
				tid := epochs.TID(r.IntN(5))
				b.Slice(Slice{Thread: tid, CPU: CPU(cpu), From: units.Instant(from),
					To: units.Instant(to)})
				want[tid] += time.Duration(to - from)
				for ns := from; ns < to; ns++ {
					busy[cpu][ns] = true
				}
				at = to
			}
		}
		for at := units.Instant(0); at < 400; {
			at += units.Instant(r.Int64N(120))
			b.Reading(at, nil, nil)
			b.Delivered(at)
		}
		var wantShared time.Duration
		for ns := range 400 {
			for _, core := range [][2]int{{0, 1}, {2, 3}} {
				if busy[core[0]][ns] && busy[core[1]][ns] {
					wantShared += 2
				}
			}
		}
		for tid, d := range want {
			if run[tid] != d {
				t.Fatalf("seed %d: thread %d ran %d of %d", seed, tid, run[tid], d)
			}
		}
		if shared != wantShared {
			t.Fatalf("seed %d: %d shared, want %d", seed, shared, wantShared)
		}
	}
}

// TestSharedWithALateShortSlice: a thread is charged from its wake-up on, so that its slice may
// begin before one of its CPU that had ended when it came. That one shares none of the later time.
func TestSharedWithALateShortSlice(t *testing.T) {
	shared := map[epochs.TID]time.Duration{}
	b := NewBuilder(map[CPU]Core{0: 0, 1: 0}, func(w *Window) {
		for _, x := range w.Runs {
			shared[x.Thread] += x.Shared
		}
	})
	b.Begin(0)
	b.Slice(Slice{Thread: 1, CPU: 0, From: 50, To: 60})
	b.Slice(Slice{Thread: 2, CPU: 1, From: 20, To: 25})
	b.Slice(Slice{Thread: 3, CPU: 1, From: 5, To: 100})
	b.Reading(200, nil, nil)
	b.Delivered(200)
	want := map[epochs.TID]time.Duration{1: 10, 2: 0, 3: 10}
	if !reflect.DeepEqual(shared, want) {
		t.Errorf("shared %v, want %v", shared, want)
	}
}
