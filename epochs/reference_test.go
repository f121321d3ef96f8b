package epochs

// The reference takes all events of a run at once and computes the epochs by exhaustive search. It
// knows nothing of pending epochs, positions or partial sums.

func (r *reference) event(ev *Event) {
	if ev.Kind == Lost {
		at := max(Ticks(ev.At), Ticks(ev.WokenAt))
		from := min(Ticks(ev.From), at, r.lastBoundary()) // including the open epoch
		r.doubt(from, max(at, r.now+1))
		if at > r.lost {
			r.lost = at
			if r.resync > 0 {
				r.expires = r.lost + r.resync
				r.doubt(from, r.expires)
			}
		}
		return
	}
	late := ev.Late || Ticks(ev.At) < r.now
	r.now = max(r.now, Ticks(ev.At))
	if r.resync > 0 && r.now >= r.expires {
		for _, run := range r.runs {
			if run.open && run.heard <= r.lost {
				r.cut(max(r.expires, r.lastBoundary()))
				run.open, run.to = false, max(r.expires, r.lastBoundary())
			}
		}
		r.expires = refFar
		r.lost = -1
	}
	if late {
		r.doubt(r.now-1, r.now)
	}
	if ev.Kind == testCut {
		r.cut(r.now, End{Kind: EndCut, Thread: NoThread, By: NoThread})
		return
	}
	run := r.byTID(ev.Thread)
	if ev.Kind == Off || ev.Kind == Slice {
		run = r.of(ev)
	}
	switch ev.Kind {
	case On:
		end := End{Kind: EndResume, Thread: ev.Thread, By: NoThread}
		switch ev.Cause {
		case Woken:
			end = End{Kind: EndWake, Thread: ev.Thread, By: ev.By}
			if ev.By != NoThread && ev.WokenAt > 0 && Ticks(ev.WokenAt) < r.now {
				end.Delay = r.now - Ticks(ev.WokenAt)
			}
		case Started:
			end.Kind = EndStart
			if by, ok := r.forked[ev.Thread]; ok {
				end.By = by
				delete(r.forked, ev.Thread)
			}
		}
		if run != nil && ev.Cause == Seen && run.cpu == ev.CPU {
			run.heard = r.now
			return
		}
		r.cut(r.now)
		if run != nil {
			r.evict(run)
		}
		r.vacate(ev.CPU)
		r.cut(r.now, end)
		r.runs = append(r.runs, &refRun{tid: ev.Thread, cpu: ev.CPU, from: r.now, began: r.now,
			heard: r.now, open: true})
	case Off:
		if run == nil {
			run = r.adopt(ev)
		}
		r.cut(r.now, End{Kind: endOf(ev.Cause), Thread: run.tid, By: NoThread})
		r.closeSlice(run, ev)
		run.open, run.to = false, r.now
	case Slice:
		if run == nil {
			run = r.adopt(ev)
		} else if run.cpu != ev.CPU {
			r.doubt(min(run.heard, r.now-1), r.now)
			r.vacate(ev.CPU)
			run.cpu = ev.CPU
		}
		r.closeSlice(run, ev)
	case Phase:
		r.cut(r.now, End{Kind: EndPhase, Thread: NoThread, By: NoThread})
	case Fork:
		r.forked[ev.Thread] = ev.By
	case Exit:
		delete(r.forked, ev.Thread)
	case Exec:
		if by := r.byTID(ev.By); by != nil && ev.By != ev.Thread {
			// Epochs that have ended keep the old names.
			if run != nil {
				r.rename(run, ev.By)
				run.former, run.taken = ev.Thread, true
			}
			r.rename(by, ev.Thread)
		}
	}
}

// rename splits a run: what lies before the last boundary keeps its name, and both parts share the
// slices.
func (r *reference) rename(run *refRun, tid TID) {
	last := r.lastBoundary()
	if run.from < last {
		before := *run
		before.open, before.to = false, last
		r.runs = append(r.runs, &before)
		r.renamed = append(r.renamed, &before, run)
		run.from = last
	}
	run.tid = tid
}
