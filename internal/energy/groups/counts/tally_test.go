package counts

import (
	"math/rand/v2"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/units"
)

func inode(t testing.TB, dir string) uint64 {
	t.Helper()
	st, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	return st.Sys().(*syscall.Stat_t).Ino
}

// TestTally follows random switches of two CPUs by the program's rule, and compares with a plain
// list of stretches. A cgroup may be forgotten at any time.
func TestTally(t *testing.T) {
	const cpus, groups = 2, 3
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		sums := make(map[uint64][]uint64)
		entries := make([]cpuEntry, cpus)
		on := make([]uint64, cpus) // the group that runs, 0: idle
		for i := range entries {
			entries[i].Idle -= stamp(1)
		}
		now := units.Instant(1)
		want, got := map[uint64]time.Duration{}, map[uint64]time.Duration{}
		tal := newTally(cpus*(groups+1), false)
		last := make([]units.Instant, cpus)
		last[0], last[1] = 1, 1
		end := func(cpu int) {
			id := on[cpu]
			want[id] += now.Sub(last[cpu])
			if id == 0 {
				entries[cpu].Idle += stamp(now)
			} else {
				if sums[id] == nil {
					sums[id] = make([]uint64, cpus)
				}
				sums[id][cpu] += uint64(now.Sub(last[cpu]))
			}
			last[cpu] = now
		}
		read := func() {
			for cpu := range cpus {
				if on[cpu] != 0 {
					end(cpu) // renew
				}
			}
			out := tal.advance(now, entries, cellsOf(sums))
			for cpu := range cpus {
				got[0] += out.Idle[cpu]
				got[99] += out.Full[cpu]
			}
			for _, part := range out.Parts {
				got[part.ID] += part.Time
			}
		}
		for range 300 {
			now += units.Instant(r.IntN(1_000_000))
			switch cpu := r.IntN(cpus); r.IntN(10) {
			case 0:
				read()
			case 1:
				id := uint64(1 + r.IntN(groups))
				if s := sums[id]; s != nil && on[0] != id && on[1] != id {
					tal.forget(cellsOf(map[uint64][]uint64{id: s}))
					delete(sums, id)
				}
			default:
				end(cpu)
				if on[cpu] = uint64(r.IntN(groups + 1)); on[cpu] == 0 {
					entries[cpu].Idle -= stamp(now)
				}
			}
		}
		read()
		read()
		var all, late, idle time.Duration
		for cpu := range cpus {
			if on[cpu] == 0 {
				want[0] += now.Sub(last[cpu])
			}
		}
		for id := range uint64(groups + 1) {
			if got[id] > want[id] {
				t.Fatalf("seed %d: group %d has %v of %v", seed, id, got[id], want[id])
			}
			all += got[id]
			late += want[id] - got[id]
		}
		idle = want[0] - got[0]
		if late != got[99] || idle != 0 || all+got[99] != cpus*now.Sub(1) {
			t.Fatalf("seed %d: %v and %v late (%v), of %v", seed, all, got[99], late,
				cpus*now.Sub(1))
		}
	}
}

// cellsOf are the entries of sums by cgroup and CPU.
func cellsOf(sums map[uint64][]uint64) (cells []cell) {
	for id, s := range sums {
		for cpu, sum := range s {
			cells = append(cells, cell{cpu: cpu, at: int(id)*len(s) + cpu, id: id, sum: sum})
		}
	}
	return cells
}

// stamp is the program's.
func stamp(at units.Instant) uint64 { return uint64(at)<<1 | 1 }

// TestLateClock: whoever reads may wait for a CPU between the clock and the table. An idle CPU whose
// rest began meanwhile rests in the next window, and one whose rest ended meanwhile rested as long
// as it did.
func TestLateClock(t *testing.T) {
	tal := newTally(0, false)
	entries := make([]cpuEntry, 1)
	read := func(now units.Instant, idle uint64) time.Duration {
		entries[0].Idle = idle
		return tal.advance(now, entries, nil).Idle[0]
	}
	sum := -stamp(100)
	if got := read(1000, sum); got != 900 {
		t.Fatalf("an idle CPU: %v", got)
	}
	sum += stamp(2050)
	if got := read(2000, sum); got != 1050 {
		t.Fatalf("its rest ended behind the clock: %v", got)
	}
	sum -= stamp(3050)
	if got := read(3000, sum); got != 0 {
		t.Fatalf("another began behind the clock: %v", got)
	}
	if got := read(4000, sum); got != 950 {
		t.Fatalf("it goes on: %v", got)
	}
}

// TestTallysMemory: what is kept of entries does not grow with the number of cgroups that went.
func TestTallysMemory(t *testing.T) {
	const entries = 64
	tal := newTally(entries, true)
	cpus := make([]cpuEntry, 4)
	now := units.Instant(1)
	for id := range uint64(100_000) {
		c := cell{cpu: int(id) % len(cpus), at: int(id) % entries, id: id,
			sum: 10}
		r := tal.advance(now, cpus, []cell{c})
		if len(r.Parts) != 1 || r.Parts[0].Time != 10 {
			t.Fatalf("cgroup %d: %+v", id, r.Parts)
		}
		tal.forget([]cell{c})
		now += 10
	}
	if n := testing.AllocsPerRun(10, func() { tal.advance(now, cpus, nil) }); n > 0 {
		t.Errorf("%v allocations of a window", n)
	}
	if n := cap(tal.out.Parts); n > 8 {
		t.Errorf("room for %d parts", n)
	}
}
