package simtest

import (
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/units"
)

// allocating has threads allocate bytes in pieces, with some work between.
func allocating(threads int, c HeapConfig, pieces int, piece, work int64) Workload {
	return Workload{Name: "allocating", Threads: threads, Build: func(b *Builder) {
		h := b.Heap(c)
		for range b.Threads() {
			b.Thread("app", App, func(t *Thread) {
				for range pieces {
					t.Alloc(h, piece)
					t.Run(&computeMix, work)
				}
			})
		}
	}}
}

// TestCollections: there is one for each nursery that is filled, whatever the frequency and the
// threads, and all of the survivors are copied.
func TestCollections(t *testing.T) {
	const nursery, piece, pieces = 1 << 20, 32 << 10, 200
	for _, threads := range []int{1, 2, 4, 8} {
		for _, f := range []units.Frequency{testGHz, 4 * testGHz} {
			c := HeapConfig{Nursery: nursery, Survival: 0.2, Collectors: 2}
			tr := static(t, paper(), allocating(threads, c, pieces, piece, 50_000),
				Options{Seed: 1}, f)
			if want := threads * pieces * piece / nursery; tr.Collections != want ||
				tr.Allocated != int64(threads*pieces*piece) {
				t.Errorf("%d threads, %v: %d collections of %d bytes, want %d", threads, f,
					tr.Collections, tr.Allocated, want)
			}
			var work int64
			for _, x := range tr.Threads {
				if x.Role == Collector {
					work += x.Work
				}
			}
			perByte := tracePerByte + copyPerByte
			want := float64(tr.Collections) * 0.2 * nursery * perByte
			if float64(work) < want*0.999 || float64(work) > want*1.001 {
				t.Errorf("%d threads, %v: collectors retired %d instructions, want %.0f", threads,
					f, work, want)
			}
		}
	}
}

// TestWorldStops: between the records of a collection's begin and end no application thread does
// anything but stop.
func TestWorldStops(t *testing.T) {
	for seed := range uint64(5) {
		m := newMachine(t, paper(), busyProgram(4, 100), Options{Seed: seed})
		collecting := false
		var done map[epochs.TID]int64
		total, phases := time.Duration(0), 0
		var began units.Instant
		for !m.ended {
			if err := m.step(); err != nil {
				t.Fatal(err)
			}
			for _, ev := range m.out.events {
				if ev.Kind == Sched && ev.Sched.Kind == epochs.Phase {
					collecting = ev.Sched.Cause == epochs.CollectionBegins
					if collecting {
						phases++
						began = ev.At
						done = map[epochs.TID]int64{}
					} else {
						total += ev.At.Sub(began)
					}
				}
			}
			m.out.discard()
			if !collecting {
				continue
			}
			for _, th := range m.threads {
				if th.role != App {
					continue
				}
				w := th.workDone()
				if was, ok := done[th.id]; ok && was != w {
					t.Fatalf("seed %d: %s %d worked in a collection, at %v", seed, th.name, th.id,
						m.now.since())
				}
				done[th.id] = w
			}
		}
		tr := m.Truth()
		if phases != tr.Collections || phases == 0 {
			t.Errorf("seed %d: %d collections, %d reported", seed, tr.Collections, phases)
		}
		if stops := tr.GCTime - total; stops <= 0 ||
			stops > time.Duration(phases)*50*time.Microsecond {
			t.Errorf("seed %d: %d collections of together %v, with stopping %v", seed, phases,
				total, tr.GCTime)
		}
	}
}

// TestZeroingIsABurst: allocation fills the store queue, and takes memory's time for its lines.
func TestZeroingIsABurst(t *testing.T) {
	c := HeapConfig{Nursery: 1 << 40, Survival: 0.1}
	m := newMachine(t, paper(), allocating(1, c, 50, 64<<10, 1000),
		Options{Seed: 1, Counters: []string{"sq_full", "sq_ren", "st_dram"}})
	var full, blocked, lines uint64
	events(t, m, func(ev *Event) {
		if ev.Kind == Sched {
			full += ev.Sched.Counters[0]
			blocked += ev.Sched.Counters[1]
			lines += ev.Sched.Counters[2]
		}
	})
	wall := uint64(m.Truth().Wall)
	if full < wall*8/10 || blocked < full*8/10 || blocked > full {
		t.Errorf("store queue full for %d of %d ns, the core blocked for %d", full, wall, blocked)
	}
	if want := uint64(50 * 1024); lines < want-200 || lines > want+1 {
		t.Errorf("%d lines, want %d", lines, want)
	}
}

// TestMoreCollectorsAreFaster: they share the work.
func TestMoreCollectorsAreFaster(t *testing.T) {
	var last time.Duration
	for _, n := range []int{4, 2, 1} {
		c := HeapConfig{Nursery: 4 << 20, Survival: 0.3, Collectors: n}
		tr := static(t, paper(), allocating(4, c, 400, 32<<10, 10_000), Options{Seed: 1}, 4*testGHz)
		if tr.GCTime < last*5/4 {
			t.Errorf("%d collectors need %v, twice as many %v", n, tr.GCTime, last)
		}
		last = tr.GCTime
	}
}
