package attribution

import (
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
		id, _ := p.of(l.runs(tid, now))
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
