package counts

import (
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
)

// TestRoom: 4,000 cgroups have entries in a table for 8,192, though the first tries of all are
// among few buckets.
func TestRoom(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 0))
		t.Run("", func(t *testing.T) {
			tab, used := &table{buckets: bucketsOfCPU, factor: r.Uint64() | 1}, [bucketsOfCPU]int{}
			for id := uint64(1); id <= 4000; id++ {
				var at []int
				for try := range tries {
					at = append(at, tab.tried(tab.first(id*41), try))
				}
				i := slices.IndexFunc(at, func(b int) bool { return used[b] < places })
				if i < 0 {
					t.Fatalf("seed %d: the buckets of cgroup %d are full: %d", seed, id, at)
				}
				used[at[i]]++
				if slices.Sort(at); len(slices.Compact(at)) < tries || at[0] < 0 {
					t.Fatalf("a bucket is tried twice: %d", at)
				}
			}
		})
	}
}

// TestBehindTheFirst: where the buckets of the first tries are full, the program and the reader
// look for a cgroup's entry in the same others.
func TestBehindTheFirst(t *testing.T) {
	c := opened(t, bucketsOfCPU)
	for cpu := range c.cpus {
		for at := range near * places {
			e := &c.table.entries[cpu*bucketsOfCPU*places+at]
			atomic.CompareAndSwapUint64(&e.id, 0, 1<<63) // nobody's
		}
	}
	for _, name := range []string{"a", "b", "c", "d"} {
		dir, id := cgroupOf(t, name)
		spin(t, dir, 100_000)
		cells := c.table.of(id, nil)
		if len(cells) == 0 {
			t.Error("no entry")
		}
		for _, at := range cells {
			if at.at%(bucketsOfCPU*places) < near*places {
				t.Errorf("an entry at %d", at.at)
			}
		}
	}
	r, err := c.Read()
	if err != nil {
		t.Fatal(err)
	}
	if r.Refused > 0 {
		t.Errorf("%d stretches found no entry", r.Refused)
	}
}
