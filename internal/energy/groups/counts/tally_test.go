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
		read := func() {
			out := tal.advance(now, entries, cellsOf(sums))
			for cpu := range cpus {
				got[0] += out.Idle[cpu]
				got[99] += out.Full[cpu]
			}
			for _, part := range out.Parts {
				got[part.ID] += part.Time
			}
		}
		last := make([]units.Instant, cpus)
		last[0], last[1] = 1, 1
		for range 300 {
			now += units.Instant(r.IntN(1_000_000))
			switch cpu := r.IntN(cpus); r.IntN(10) {
			case 0:
				read()
			case 1:
				id := uint64(1 + r.IntN(groups))
				if s := sums[id]; s != nil && s[0]&1 == 0 && s[1]&1 == 0 {
					tal.forget(cellsOf(map[uint64][]uint64{id: s}))
					delete(sums, id)
				}
			default:
				next, at := uint64(r.IntN(groups+1)), stamp(now)
				want[on[cpu]] += now.Sub(last[cpu])
				if on[cpu] == 0 {
					entries[cpu].Idle += at
				} else {
					sums[on[cpu]][cpu] += at
				}
				on[cpu], last[cpu] = next, now
				if next == 0 {
					entries[cpu].Idle -= at
				} else {
					if sums[next] == nil {
						sums[next] = make([]uint64, cpus)
					}
					sums[next][cpu] -= at
				}
			}
		}
		read()
		read()
		var all, late, idle time.Duration
		for cpu := range cpus {
			want[on[cpu]] += now.Sub(last[cpu])
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

// TestLateClock: whoever reads may wait for a CPU between the clock and the table. A stretch that
// began meanwhile is of the next window, and one that ended meanwhile counts as long as it was.
func TestLateClock(t *testing.T) {
	const cpu = 0
	tal := newTally(2, false)
	entries := make([]cpuEntry, 1)
	read := func(now units.Instant, sums ...uint64) (got [2]time.Duration) {
		for i := range sums {
			r := tal.advance(now, entries, []cell{{cpu: cpu, at: i, id: uint64(i), sum: sums[i]}})
			for _, part := range r.Parts {
				got[part.ID] += part.Time
			}
		}
		return got
	}
	one := -stamp(100)
	if got := read(1000, one); got[0] != 900 {
		t.Fatalf("an open stretch: %v", got)
	}
	one += stamp(2050) // it ended behind the clock of 2000, and another began
	two := -stamp(2050)
	if got := read(2000, one, two); got != [2]time.Duration{1050, 0} {
		t.Fatalf("it ended behind the clock: %v", got)
	}
	if got := read(3000, one, two); got != [2]time.Duration{0, 950} {
		t.Fatalf("the other one goes on: %v", got)
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
			sum: stamp(now+10) - stamp(now)}
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
