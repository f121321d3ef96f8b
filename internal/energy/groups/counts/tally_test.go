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
		tal := newTally()
		read := func() {
			out := tal.advance(now, entries, cellsOf(sums))
			for cpu := range cpus {
				got[0] += out.Idle[cpu]
				got[99] += out.Full[cpu]
			}
			for _, g := range out.Groups {
				for _, d := range g.Time {
					got[g.ID] += d
				}
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
					tal.forget(id, cellsOf(map[uint64][]uint64{id: s}))
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
			cells = append(cells, cell{cpu: cpu, id: id, sum: sum})
		}
	}
	return cells
}

// stamp is the program's.
func stamp(at units.Instant) uint64 { return uint64(at)<<1 | 1 }

// TestSpentBeforeTheEnd: an end that the reader saw too late takes nothing back.
func TestSpentBeforeTheEnd(t *testing.T) {
	var was uint64
	open := -stamp(100)
	if d := further(&was, spent(open, 1100)); d != 1000 {
		t.Fatalf("an open stretch: %v", d)
	}
	closed := open + stamp(1050)
	if d := further(&was, spent(closed, 2000)); d != 0 {
		t.Fatalf("it ended before: %v", d)
	}
	again := closed - stamp(2000)
	if d := further(&was, spent(again, 2100)); d != 50 {
		t.Fatalf("50 ns of 100 were handed out before: %v", d)
	}
}
