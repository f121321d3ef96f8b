package epochs

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ebb-energy/ebb/units"
)

func TestReorderWithinAnInstant(t *testing.T) {
	const at = 100
	off := func(cpu int16, tid TID, from units.Instant) Event {
		return Event{Kind: Off, At: at, From: from, CPU: cpu, Thread: tid}
	}
	on := func(cpu int16, tid TID) Event { return Event{Kind: On, At: at, CPU: cpu, Thread: tid} }
	tests := map[string]struct{ arrive, want []Event }{
		"a thread leaves one CPU and comes to another": {
			[]Event{on(1, 7), off(0, 7, 50)}, []Event{off(0, 7, 50), on(1, 7)}},
		"a thread comes and goes": {
			[]Event{on(0, 7), off(0, 7, at)}, []Event{on(0, 7), off(0, 7, at)}},
		"a CPU keeps its order": {
			[]Event{on(0, 7), off(0, 7, 50)}, []Event{on(0, 7), off(0, 7, 50)}},
		"a child is known before it runs": {
			[]Event{on(1, 8), {Kind: Fork, At: at, Thread: 8, By: 7}},
			[]Event{{Kind: Fork, At: at, Thread: 8, By: 7}, on(1, 8)}},
		"an id is free before it is taken": {
			[]Event{{Kind: Fork, At: at, CPU: 1, Thread: 7, By: 3}, off(0, 7, 50),
				{Kind: Exit, At: at, CPU: 2, Thread: 7}},
			[]Event{{Kind: Exit, At: at, CPU: 2, Thread: 7}, off(0, 7, 50),
				{Kind: Fork, At: at, CPU: 1, Thread: 7, By: 3}}},
		"a loss comes before what it spoils": {
			[]Event{on(0, 7), {Kind: Lost, At: at + 5, From: 90}},
			[]Event{{Kind: Lost, At: 90, From: 90, WokenAt: at + 5}, on(0, 7)}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, _ := ordered(tt.arrive, at)
			want := append(slices.Clone(tt.want), Event{Kind: Tick, At: at})
			if !slices.IsSortedFunc(got, func(a, b Event) int { return int(a.At - b.At) }) ||
				!slices.Equal(got, want) {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
		})
	}
}

func TestReorderSorts(t *testing.T) {
	for seed := range uint64(500) {
		rng := rand.New(rand.NewPCG(seed, 3))
		var out []Event
		r := NewReorder(0, func(ev *Event) { out = append(out, *ev) })
		var in []Event
		tick := units.Instant(0)
		for i := range 300 {
			if rng.IntN(10) == 0 {
				tick += units.Instant(rng.Int64N(100))
				r.Push(&Event{Kind: Tick, At: tick})
				continue
			}
			// Each time occurs once, so that the order is clear.
			ev := Event{Kind: On, At: tick + 1 + units.Instant(i) +
				1000*units.Instant(rng.Int64N(3)), Thread: TID(i), CPU: -1}
			in = append(in, ev)
			r.Push(&ev)
		}
		r.Push(&Event{Kind: Tick, At: tick + 10000})
		out = slices.DeleteFunc(out, func(ev Event) bool { return ev.Kind == Tick })
		slices.SortStableFunc(in, func(a, b Event) int { return int(a.At - b.At) })
		if !slices.Equal(in, out) || r.Late() != 0 || r.early != 0 || r.Len() != 0 {
			t.Fatalf("seed %d: %d late, %d early, %d held\n got %+v\nwant %+v", seed, r.Late(),
				r.early, r.Len(), out, in)
		}
	}
}

func TestReorderReleasesOnTick(t *testing.T) {
	var out []Event
	r := NewReorder(0, func(ev *Event) { out = append(out, *ev) })
	r.Push(&Event{Kind: On, At: 30, Thread: 3})
	r.Push(&Event{Kind: On, At: 10, Thread: 1})
	if len(out) != 0 || r.Len() != 2 {
		t.Fatalf("released %+v before a tick", out)
	}
	r.Push(&Event{Kind: Tick, At: 20})
	if want := []Event{{Kind: On, At: 10, Thread: 1}, {Kind: Tick, At: 20}}; !slices.Equal(out,
		want) || r.Len() != 1 {
		t.Fatalf("got %+v, want %+v", out, want)
	}
	// Events that the tick covered come late and are moved up; the others are in time.
	out = nil
	r.Push(&Event{Kind: On, At: 12, Thread: 4})
	r.Push(&Event{Kind: On, At: 21, Thread: 5})
	r.Push(&Event{Kind: Lost, At: 25, Count: 2})
	r.Push(&Event{Kind: Tick, At: 30})
	want := []Event{
		{Kind: Lost, At: 20, From: 20, WokenAt: 25, Count: 2},
		{Kind: On, At: 20, Thread: 4, Late: true}, {Kind: On, At: 21, Thread: 5},
		{Kind: On, At: 30, Thread: 3}, {Kind: Tick, At: 30},
	}
	if !slices.Equal(out, want) || r.Late() != 1 {
		t.Fatalf("got  %+v\nwant %+v", out, want)
	}
}

func TestReorderIsBounded(t *testing.T) {
	var out []Event
	r := NewReorder(8, func(ev *Event) { out = append(out, *ev) })
	for i := range 100 {
		r.Push(&Event{Kind: On, At: units.Instant(1000 - i), CPU: -1})
		if r.Len() > 8 {
			t.Fatalf("%d events held", r.Len())
		}
	}
	if r.early != 92 || len(out) != 92 || r.Late() == 0 {
		t.Errorf("%d early, %d released, %d late", r.early, len(out), r.Late())
	}
	if !slices.IsSortedFunc(out, func(a, b Event) int { return int(a.At - b.At) }) {
		t.Errorf("not in order: %+v", out)
	}
}
