package predictor

import (
	"math"
	"slices"

	"github.com/ebb-energy/ebb/epochs"
)

// plainWake is the second implementation of the model wake: it walks the epochs at the target
// frequency and keeps every thread's clock in a map, from the counters to the end, with the time of
// a stretch as the documentation words it.
type plainWake struct {
	p     *plain
	clock map[epochs.TID]float64
	wall  map[epochs.TID]float64 // measured time that the clock stands for
	sum   map[epochs.TID]*stretch
	other map[epochs.TID]bool
	past  map[epochs.TID][]ran
	now   float64
	last  []epochs.TID
	waits map[epochs.TID]plainWait
	turns map[epochs.TID]int // on a CPU
	// plainWait.more of the newest stretch of 100 us or more that ended in a wait
	usual      float64
	usualKnown bool
	// time without a thread that could run since threads were throttled last, and before that
	slept, sleptBefore float64
}

// ran is a stretch that a thread has run: when, how long, and its clock before and after.
type ran struct{ from, dur, before, after float64 }

func (p *plain) wake() float64 {
	w := &plainWake{p: p, clock: map[epochs.TID]float64{}, wall: map[epochs.TID]float64{},
		sum: map[epochs.TID]*stretch{}, other: map[epochs.TID]bool{}, past: map[epochs.TID][]ran{},
		waits: map[epochs.TID]plainWait{}, turns: map[epochs.TID]int{}}
	var met []epochs.TID // woken one after the other by metBy, up to the epoch before
	metBy := epochs.NoThread
	reported, apart := false, map[epochs.TID]bool{}
	meetings := plainMeetings{ran: map[epochs.TID]bool{}, asleep: map[epochs.TID]bool{}}
	for i := range p.es {
		e := &p.es[i]
		for _, r := range e.Rows {
			w.enter(r.Thread, p.base[i])
		}
		for _, r := range e.Rows {
			w.run(i, r)
			meetings.ran[r.Thread], meetings.asleep[r.Thread] = true, false
		}
		if len(e.Rows) == 0 && !w.held() {
			w.slept += float64(e.Dur)
		}
		w.now += float64(e.Dur)
		var now []epochs.TID
		for _, r := range e.Rows {
			w.wall[r.Thread] = w.now
			now = append(now, r.Thread)
		}
		if len(now) > 0 {
			w.last = now
		}
		for _, x := range e.Ends {
			reported = reported || x.Kind == epochs.EndWake && x.By != epochs.NoThread
			if x.Kind == epochs.EndSleep || x.Kind == epochs.EndOtherSleep {
				w.other[x.Thread] = x.Kind == epochs.EndOtherSleep
				apart[x.Thread] = apart[x.Thread] || w.other[x.Thread]
				meetings.asleep[x.Thread] = !w.other[x.Thread]
			}
		}
		onlyBy := soleWaker(e.Ends)
		first := onlyBy == epochs.NoThread || onlyBy != metBy
		if first {
			met = nil
		}
		metBy = onlyBy
		handled := map[epochs.TID]bool{}
		freed := w.freed(e.Ends)
		w.stop(e.Ends)
		for j, x := range e.Ends {
			if x.Kind == epochs.EndWake {
				meetings.asleep[x.Thread] = false
				apart[x.Thread] = x.By == epochs.NoThread && (w.other[x.Thread] || reported)
			}
			from := before(e.Ends, j, freed)
			switch {
			case x.Kind == epochs.EndStart && w.known(x.By) && from != epochs.NoThread:
				w.settle(x.By)
				w.settle(x.Thread)
				w.clock[x.Thread] = w.clock[x.By]
				w.after(x.Thread, from)
			case x.Kind == epochs.EndStart && w.known(x.By):
				w.follow(x.Thread, x.By, true)
			case x.Kind == epochs.EndStart:
				delete(w.wall, x.Thread)
				w.latest(x.Thread)
			case x.Kind == epochs.EndResume:
				w.resume(x.Thread, from, freed)
			case x.Kind == epochs.EndWake && x.By == epochs.NoThread:
				switch {
				case from != epochs.NoThread:
					w.after(x.Thread, from)
				case w.longest(x.Thread) != epochs.NoThread:
					w.turn(x.Thread, w.longest(x.Thread))
				case !w.other[x.Thread] && !reported && len(e.Rows) > 0:
					w.latest(x.Thread)
				default:
					w.elapse(x.Thread)
				}
			case x.Kind == epochs.EndWake && !handled[x.By]:
				handled[x.By] = true
				var woken []epochs.TID
				for _, y := range e.Ends {
					if y.Kind == epochs.EndWake && y.By == x.By && y.Thread != y.By {
						woken = append(woken, y.Thread)
					}
				}
				all := append(append([]epochs.TID{}, met...), woken...)
				if onlyBy == epochs.NoThread {
					all = woken
				}
				all = distinct(all)
				if first {
					meetings.begin()
				}
				barrier := true
				for _, t := range w.last { // a thread beside which another runs meets nobody
					if t != x.By && !slices.Contains(all, t) {
						barrier = false
					}
				}
				barrier = barrier && len(all) >= 2 && w.known(x.By) && w.wall[x.By] == w.now &&
					meetings.atBarrier(all, x.By)
				if barrier {
					w.meet(all, woken, x.By, w.newest(e.Ends, x.By))
				}
				for k, y := range e.Ends {
					if y.Kind != epochs.EndWake || y.By != x.By || y.Thread == y.By {
						continue
					}
					met := barrier
					at, since, known := w.whenWoken(x.By, float64(y.Delay))
					// a thread that waited in a futex for 50 us or less waits at most twice as
					// long, except at a lower clock
					latest := math.Inf(1)
					if slept, ok := w.wall[y.Thread]; ok && slept > 0 && slept < w.now &&
						w.now-slept <= 50_000 && !w.other[y.Thread] {
						w.settle(y.Thread)
						latest = w.clock[y.Thread] + 2*(w.now-slept)*math.Max(p.base[i]/p.f, 1)
					}
					from := before(e.Ends, k, freed)
					switch {
					case from != epochs.NoThread && !met && known:
						w.notBefore(y.Thread, at)
						w.after(y.Thread, from)
					case from != epochs.NoThread && !met:
						w.after(y.Thread, x.By)
						w.after(y.Thread, from)
					case from != epochs.NoThread:
						w.after(y.Thread, from)
					case !met && known:
						w.notBefore(y.Thread, math.Min(at+since, latest))
					case !met && p.base[i] > p.f && w.known(x.By):
						w.settle(x.By)
						at := w.clock[x.By] + w.now - w.wall[x.By]
						w.notBefore(y.Thread, math.Min(at, latest))
					case !met:
						w.follow(y.Thread, x.By, false)
					}
				}
				if onlyBy != epochs.NoThread {
					met = all
				}
			}
		}
	}
	var end, stopped float64
	for t := range w.wall {
		w.settle(t)
		if x, waits := w.waits[t]; waits && !x.turn {
			end = math.Max(end, w.clock[t]+w.waited(t, x))
			stopped = w.now
			continue
		}
		if apart[t] && !slices.Contains(w.last, t) {
			continue
		}
		end, stopped = math.Max(end, w.clock[t]), math.Max(stopped, w.wall[t])
	}
	return end + w.now - stopped
}

func distinct(ts []epochs.TID) (out []epochs.TID) {
	seen := map[epochs.TID]bool{}
	for _, t := range ts {
		if !seen[t] {
			seen[t] = true
			out = append(out, t)
		}
	}
	return out
}

// soleWaker is the one known waker if the ends are nothing but its wakes.
func soleWaker(ends []epochs.End) epochs.TID {
	by := epochs.NoThread
	for i, x := range ends {
		if x.Kind != epochs.EndWake || i > 0 && x.By != by {
			return epochs.NoThread
		}
		by = x.By
	}
	return by
}
