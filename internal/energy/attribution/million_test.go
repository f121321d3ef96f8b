package attribution

import (
	"math"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/units"
)

// TestMillionThreads: what is kept of threads that ended has a bound, however many there were,
// while the kernel gives their ids again and again.
func TestMillionThreads(t *testing.T) {
	devtest.Long(t)
	const threads, ids, process = 1_000_000, 32_000, 7
	l := newLives()
	p := newPopulation(l)
	p.of(process)
	now := units.Instant(time.Second)
	most := struct{ all, of, kernel int }{}
	for i := range threads {
		now = now.Add(time.Millisecond)
		tid := epochs.TID(1000 + i%ids)
		l.created(tid, now)
		id, _ := p.of(l.ran(tid, now, now))
		now = now.Add(time.Millisecond)
		if l.ended(tid, now) != id {
			t.Fatalf("thread %d ran as %d", tid, id)
		}
		p.exited(id, now, process, "worker")
		if p.over() {
			p.fold(now, nil)
		}
		most.all, most.of = max(most.all, len(p.all)), max(most.of, len(l.of))
		most.kernel = max(most.kernel, len(l.kernel))
	}
	// Those that ended in the last second are kept in any case.
	const bound = maxEndedThreads + 1000
	if most.all > bound || most.of > bound || most.kernel > bound || len(p.groups) > 2 {
		t.Errorf("kept %+v at most, and %d groups; no more than %d are due", most, len(p.groups),
			bound)
	}
	if g := p.all[p.groups[groupKey{process, "worker"}]]; g == nil ||
		g.threads+p.ended != threads {
		t.Errorf("of %d threads %+v and %d are left", threads, g, p.ended)
	}
}

// TestNumbersComeRound: a run in which the kernel gave used ids two thousand million times still
// has numbers for their threads, and none that stands for another.
func TestNumbersComeRound(t *testing.T) {
	l := newLives()
	p := newPopulation(l)
	now := units.Instant(time.Second)
	run := func(tid epochs.TID) epochs.TID {
		now++
		l.created(tid, now)
		id, _ := p.of(l.ran(tid, now, now))
		return id
	}
	first := run(1000)
	l.ended(1000, now)
	old := run(1000) // lives on
	p.join(first, groupKey{epochs.NoThread, "worker"}, map[epochs.TID]epochs.TID{})
	group := p.groups[groupKey{epochs.NoThread, "worker"}]
	l.last = math.MinInt32 + 2
	seen := map[epochs.TID]bool{old: true, group: true}
	for i := range epochs.TID(8) {
		run(2000 + i)
		l.ended(2000+i, now)
		id := run(2000 + i)
		if seen[id] || id >= epochs.NoThread || l.number(id) != 2000+i {
			t.Fatalf("thread %d goes by %d, which is somebody's", 2000+i, id)
		}
		seen[id] = true
	}
}
