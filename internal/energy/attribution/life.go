package attribution

import (
	"math"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/units"
)

// maxRenamed bounds the threads with a used id that are distinguished. Beyond it, a thread with a
// used id is taken for the thread that had the id last.
const maxRenamed = 1 << 16

// lives distinguishes threads that had the same id one after the other. That happens in runs long
// enough for the kernel to use its ids again. The first thread keeps the id as its number. Later
// ones get numbers that are no thread's.
type lives struct {
	of     map[epochs.TID][]life // lives by id, for ids whose first thread has ended
	kernel map[epochs.TID]epochs.TID
	former map[epochs.TID]epochs.TID // id that a thread had before it took its process's, by number
	last   epochs.TID                // the last number given, which no thread of the kernel has
	has    func(epochs.TID) bool     // reports whether a number stands for somebody; nil: none does
}

// life is the time of one thread.
type life struct {
	id    epochs.TID
	begin units.Instant
	end   units.Instant
	ended bool
	past  bool // forgotten, and kept only because later threads had its id
	due   bool // the one whose id it took has yet to stop for the last time
}

func newLives() *lives {
	return &lives{of: map[epochs.TID][]life{},
		kernel: map[epochs.TID]epochs.TID{}, former: map[epochs.TID]epochs.TID{},
		last: epochs.NoThread}
}

// unused returns a number that no thread has, for one with a used id or for several together. A run
// of several months has given out all of them once, but nearly all are free again.
func (l *lives) unused() epochs.TID {
	for {
		if l.last == math.MinInt32 {
			l.last = epochs.NoThread
		}
		l.last--
		if _, given := l.kernel[l.last]; !given && (l.has == nil || !l.has(l.last)) {
			return l.last
		}
	}
}

// at returns the thread that had an id at a time.
func (l *lives) at(t epochs.TID, when units.Instant) epochs.TID {
	all := l.of[t]
	for i := len(all) - 1; i > 0; i-- {
		if all[i].begin <= when {
			return all[i].id
		}
	}
	return t
}

// runs returns the thread of a slice, and whether the thread ends with it. If the id's last owner
// had left its CPU for the last time before, the slice is a new thread's, even if the record of its
// creation is lost. The last slice of one whose id another has taken can come late. It is the
// former's as long as the other has not announced its end.
func (l *lives) runs(ev *epochs.Event) (id epochs.TID, ends bool) {
	ends = ev.Kind == epochs.Off && ev.Cause == epochs.Exited
	if all := l.of[ev.Thread]; len(all) > 0 {
		last := &all[len(all)-1]
		if ends && last.due {
			last.due = false
			return all[len(all)-2].id, true // its life has ended already, when the id was taken
		}
		if last.ended && ev.From >= last.end {
			l.created(ev.Thread, ev.From)
		}
	}
	if ends {
		return l.ended(ev.Thread, ev.At), true
	}
	return l.at(ev.Thread, ev.At), false // one that was renamed ran under its old id at From
}

// exits notes that a thread has announced its end: its next last slice is its own.
func (l *lives) exits(t epochs.TID) {
	if all := l.of[t]; len(all) > 0 {
		all[len(all)-1].due = false
	}
}

// created begins a thread's life.
func (l *lives) created(t epochs.TID, at units.Instant) {
	all := l.of[t]
	if len(all) == 0 || !all[len(all)-1].ended || len(l.kernel) >= maxRenamed {
		return // nobody had the id before
	}
	id := l.unused()
	l.kernel[id] = t
	l.of[t] = append(all, life{id: id, begin: at})
}

// renamed continues a thread's life under another id. It executed a program, and took the id of
// its process's first thread, which has ended by then. Whoever has the old id later is another.
func (l *lives) renamed(from, to epochs.TID, at units.Instant) {
	if from == to || from == epochs.NoThread || len(l.kernel) >= maxRenamed {
		return
	}
	var next life
	if all := l.of[to]; len(all) == 0 || !all[len(all)-1].ended {
		l.ended(to, at)
		next.due = true
	}
	next.begin, next.id = l.of[to][len(l.of[to])-1].end+1, l.ended(from, at)
	l.of[to] = append(l.of[to], next)
	l.kernel[next.id], l.former[next.id] = to, from
}

// ended ends a thread's life: it has left its CPU for the last time.
func (l *lives) ended(t epochs.TID, at units.Instant) epochs.TID {
	if len(l.of[t]) == 0 {
		l.of[t] = []life{{id: t}}
	}
	all := l.of[t]
	last := &all[len(all)-1]
	last.end, last.ended = at, true
	return last.id
}

// forget drops a thread that ended a while ago and has nothing kept under its number. The kernel's
// id is then as good as new.
func (l *lives) forget(id epochs.TID) {
	t := l.number(id)
	delete(l.kernel, id)
	l.drop(t, id)
	if before, ok := l.former[id]; ok {
		delete(l.former, id)
		l.drop(before, id)
	}
}

// drop removes a thread's life under one of the kernel's ids.
func (l *lives) drop(t, id epochs.TID) {
	all := l.of[t]
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].id != id || !all[i].ended {
			continue
		}
		if i == 0 {
			all[0].past = true
		} else {
			all = append(all[:i], all[i+1:]...)
			l.of[t] = all
		}
	}
	if len(all) == 1 && all[0].past {
		delete(l.of, t)
	}
}

// number returns the kernel's id of a thread.
func (l *lives) number(id epochs.TID) epochs.TID {
	if t, ok := l.kernel[id]; ok {
		return t
	}
	return id
}
