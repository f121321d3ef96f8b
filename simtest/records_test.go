package simtest

import (
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/simtest/hardware"
	"github.com/ebb-energy/ebb/units"
)

// tracker follows records as an assembler does and reports impossible ones.
type tracker struct {
	t       *testing.T
	what    string
	now     units.Instant
	ticked  units.Instant
	on      map[epochs.TID]int16         // running threads and their cores
	cpu     map[int16]epochs.TID         // busy cores
	from    map[epochs.TID]units.Instant // of open slices
	run     map[epochs.TID]units.Instant
	totals  [maxCounters]uint64
	slices  int
	known   map[epochs.TID]bool
	quantum units.Instant
}

func newTracker(t *testing.T, what string) *tracker {
	return &tracker{t: t, what: what, on: map[epochs.TID]int16{}, cpu: map[int16]epochs.TID{},
		from: map[epochs.TID]units.Instant{},
		run:  map[epochs.TID]units.Instant{}, known: map[epochs.TID]bool{firstThread: true},
		quantum: 5_000_000}
}

func (k *tracker) see(ev *Event) {
	t := k.t
	if ev.At < k.now {
		t.Fatalf("%s: event at %d after one at %d: %+v", k.what, ev.At, k.now, ev)
	}
	k.now = ev.At
	if ev.Kind != Sched {
		return
	}
	s := &ev.Sched
	if s.At != ev.At || s.At <= k.ticked && s.Kind != epochs.Tick {
		t.Fatalf("%s: record at %d, handed out at %d, when the tick had promised all up to %d",
			k.what, s.At, ev.At, k.ticked)
	}
	cpu, runs := k.on[s.Thread]
	switch s.Kind {
	case epochs.Fork:
		k.known[s.Thread] = true
	case epochs.On:
		other, taken := k.cpu[s.CPU]
		if runs || taken || !k.known[s.Thread] {
			t.Fatalf("%s: %+v while it runs: %v, on a core that has %d: %v, known: %v", k.what, s,
				runs, other, taken, k.known[s.Thread])
		}
		if s.Cause == epochs.Woken && (s.WokenAt > s.At || s.WokenAt < k.run[s.Thread]) {
			t.Fatalf("%s: woken at %d, runs at %d, slept from %d", k.what, s.WokenAt, s.At,
				k.run[s.Thread])
		}
		k.on[s.Thread], k.cpu[s.CPU], k.from[s.Thread] = s.CPU, s.Thread, s.At
	case epochs.Off, epochs.Slice:
		if !runs || cpu != s.CPU || k.from[s.Thread] != s.From {
			t.Fatalf("%s: %+v, but it runs: %v, on %d, its slice since %d", k.what, s, runs, cpu,
				k.from[s.Thread])
		}
		if s.At-s.From > slicePeriod {
			t.Fatalf("%s: a slice of %v", k.what, s.At.Sub(s.From))
		}
		for i, c := range s.Counters {
			k.totals[i] += c
		}
		k.slices++
		k.from[s.Thread] = s.At
		if s.Kind == epochs.Off {
			delete(k.on, s.Thread)
			delete(k.cpu, s.CPU)
			k.run[s.Thread] = s.At
		}
	case epochs.Tick:
		if s.At%k.quantum != 0 {
			t.Fatalf("%s: tick at %d, off the grid", k.what, s.At)
		}
		for th, from := range k.from {
			if _, runs := k.on[th]; runs && from != s.At {
				t.Fatalf("%s: at the tick thread %d has a slice open since %d", k.what, th, from)
			}
		}
		k.ticked = s.At
	}
}

// TestRecords: records come in order, each thread's slices join up, ticks are on the grid with all
// slices closed and keep their promise.
func TestRecords(t *testing.T) {
	for _, p := range []hardware.Profile{paper(), paper().WithCores(2)} {
		for seed := range uint64(10) {
			for _, exact := range []bool{false, true} {
				m := newMachine(t, p, busyProgram(4, 50),
					Options{Seed: seed, Exact: exact, Counters: []string{"cycles", "insts"}})
				k := newTracker(t, p.Name)
				act := requester(m)
				events(t, m, func(ev *Event) { k.see(ev); act(ev) })
				if len(k.on) > 0 {
					t.Errorf("seed %d: at the end %d threads run", seed, len(k.on))
				}
				if tr := m.Truth(); int64(k.totals[1]) > tr.Instructions ||
					tr.Instructions-int64(k.totals[1]) > int64(k.slices)+100 {
					t.Errorf("seed %d, exact %v: slices have %d instructions, %d were retired",
						seed, exact, k.totals[1], tr.Instructions)
				}
			}
		}
	}
}

// TestCountersAreBounded: no time of a slice is longer than the slice, what is part of something is
// not more than it, and every counter counts something in some program.
func TestCountersAreBounded(t *testing.T) {
	all := CounterNames()
	counted := map[string]uint64{}
	for len(all) > 0 {
		n := min(len(all), maxCounters-1)
		names := append([]string{"crit_off"}, all[:n]...)
		all = all[n:]
		m := newMachine(t, paper(), busyProgram(4, 60), Options{Seed: 9, Counters: names})
		events(t, m, func(ev *Event) {
			if ev.Kind != Sched || ev.Sched.Kind != epochs.Off && ev.Sched.Kind != epochs.Slice {
				return
			}
			s := &ev.Sched
			ns := uint64(s.At - s.From)
			for i, name := range names {
				v := s.Counters[i]
				counted[name] += v
				bound := ns + 2
				switch countersQuantity(name) {
				case qCycles, qReference, qStallLoCycles, qOccupiedHiCycles, qOccupiedDRAMCycles,
					qStoreFullCycles, qStoreOwnCycles, qFetchCycles, qEmptyCycles:
					bound = 4*ns + 8
				case qInstructions:
					bound = 4*4*ns + 16
				case qLoadsOff, qLoadsDRAM, qStoresOff, qStoresDRAM, qReads, qWrites:
					bound = ns + 16
				}
				if v > bound {
					t.Fatalf("%s is %d in a slice of %d ns", name, v, ns)
				}
			}
		})
	}
	for name, v := range counted {
		if v == 0 {
			t.Errorf("%s counted nothing", name)
		}
	}
	for _, part := range [][2]string{
		{"stall_dram", "stall_off"}, {"crit_dram", "crit_off"}, {"crit_offx", "crit_off"},
		{"crit_dramx", "crit_dram"},
		{"ll_off", "crit_off"}, {"ll_dram", "crit_dram"}, {"crit_offx", "occ_off"},
		{"occ_dram", "occ_off"}, {"sq_ren", "sq_full"}, {"sq_off", "sq_full"},
		{"ld_dram", "ld_off"}, {"dram_wr", "dram_rd"},
	} {
		if counted[part[0]] > counted[part[1]]*1001/1000 {
			t.Errorf("%s is %d, more than %s with %d", part[0], counted[part[0]], part[1],
				counted[part[1]])
		}
	}
}

func countersQuantity(name string) quantity {
	q, err := countersByName([]string{name})
	if err != nil {
		panic(err)
	}
	return q[0]
}

// TestExactAndSplit: slices that are cut at each epoch's end carry the same totals as slices cut by
// the timer, and are more numerous.
func TestExactAndSplit(t *testing.T) {
	names := []string{"cycles", "insts", "crit_dram", "sq_full", "stall_lo_cycles", "occ_hi_cycles"}
	var totals [2][maxCounters]uint64
	var slices [2]int
	for i, exact := range []bool{false, true} {
		m := newMachine(t, paper(), busyProgram(4, 60),
			Options{Seed: 2, Exact: exact, Counters: names})
		k := newTracker(t, "exact or split")
		events(t, m, k.see)
		totals[i], slices[i] = k.totals, k.slices
	}
	for i, n := range names {
		// The counts of an instant that opens and closes a slice go to no slice.
		if a, b := totals[0][i], totals[1][i]; a > b+b/1000 || b > a+a/1000 {
			t.Errorf("%s: %d split, %d exact", n, a, b)
		}
	}
	if slices[1] <= slices[0] {
		t.Errorf("%d slices when exact, %d when not", slices[1], slices[0])
	}
}

// TestHoldOffRecordsOneQuantumInH: with a hold-off of h records come in each h-th quantum only; a
// window begins with the threads that run.
func TestHoldOffRecordsOneQuantumInH(t *testing.T) {
	const h = 3
	m := newMachine(t, paper(), busyProgram(4, 800),
		Options{Seed: 2, HoldOff: h, Counters: []string{"insts"}})
	seen, windows := 0, map[units.Instant]bool{}
	events(t, m, func(ev *Event) {
		if ev.Kind != Sched {
			return
		}
		q := (ev.At - 1) / 5_000_000
		if ev.Sched.Kind == epochs.On && ev.Sched.Cause == epochs.Seen {
			seen++
			q = ev.At / 5_000_000
			if ev.At%5_000_000 != 0 {
				t.Errorf("a thread is seen at %d, off the grid", ev.At)
			}
		}
		windows[q] = true
		if q%h != 0 && ev.At != Beginning {
			t.Errorf("a record at %d, in quantum %d: %+v", ev.At, q, ev.Sched)
		}
	})
	if seen == 0 || len(windows) < 3 {
		t.Errorf("%d windows, %d threads seen at their beginning", len(windows), seen)
	}
}

// TestLostRecords: lost records are counted, and the count is reported before the next record or
// tick.
func TestLostRecords(t *testing.T) {
	m := newMachine(t, paper(), busyProgram(4, 60),
		Options{Seed: 2, Faults: hardware.FaultPlan{Lose: 0.05}})
	var reported uint64
	events(t, m, func(ev *Event) {
		if ev.Kind == Sched && ev.Sched.Kind == epochs.Lost {
			reported += ev.Sched.Count
			if ev.Sched.From > ev.Sched.At || ev.Sched.Count == 0 {
				t.Errorf("a loss of %d from %d to %d", ev.Sched.Count, ev.Sched.From, ev.Sched.At)
			}
		}
	})
	if lost := m.Truth().Lost; lost == 0 || reported != uint64(lost) {
		t.Errorf("%d records lost, %d reported", lost, reported)
	}
}

// TestIdleProgramIsQuiet: while no thread runs, no tick and no slice comes.
func TestIdleProgramIsQuiet(t *testing.T) {
	w := Workload{Name: "idle", Threads: 1, Build: func(b *Builder) {
		b.Thread("app", App, func(t *Thread) {
			t.Run(&computeMix,
				1000)
			t.Sleep(100 * time.Millisecond)
			t.Run(&computeMix, 1000)
		})
	}}
	m := newMachine(t, paper(), w, Options{Seed: 1})
	if all := events(t, m, nil); len(all) > 12 {
		t.Errorf("%d events of a program that sleeps: %+v", len(all), all)
	}
	if wall := m.Truth().Wall; wall < 100*time.Millisecond || wall > 101*time.Millisecond {
		t.Errorf("took %v", wall)
	}
}
