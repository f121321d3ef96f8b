package epochs

type refRun struct { // a thread runs from one instant to another
	tid      TID
	former   TID // the id that another has taken, if taken
	taken    bool
	cpu      int16
	from, to Ticks
	began    Ticks // from, or before it when the thread had another id then
	heard    Ticks
	open     bool
	slices   []refSlice
}

type refSlice struct {
	from, to Ticks // as recorded
	since    Ticks // where it counts: from, or later when the thread was not known before
	counters [MaxCounters]uint64
}

type refBoundary struct {
	at   Ticks
	ends []End
}

type reference struct {
	n          int
	resync     Ticks
	begin      Ticks
	runs       []*refRun
	boundaries []refBoundary
	holes      [][2]Ticks
	renamed    []*refRun // pairs: a run under its old id, the run that it went on in
	forked     map[TID]TID
	now        Ticks
	settled    Ticks // the last slice was closed here
	lost       Ticks
	expires    Ticks
}

// cut notes a boundary and what happened there.
func (r *reference) cut(at Ticks, ends ...End) {
	if at < r.begin {
		return
	}
	for i := range r.boundaries {
		if r.boundaries[i].at == at {
			r.boundaries[i].ends = append(r.boundaries[i].ends, ends...)
			return
		}
	}
	for _, run := range r.runs {
		if run.open && run.heard <= r.lost {
			r.doubt(r.lastBoundary(), at)
		}
	}
	r.boundaries = append(r.boundaries, refBoundary{at, ends})
}

func (r *reference) lastBoundary() Ticks {
	last := r.begin
	for _, b := range r.boundaries {
		last = max(last, b.at)
	}
	return last
}

func (r *reference) running(match func(*refRun) bool) *refRun {
	for _, run := range r.runs {
		if run.open && match(run) {
			return run
		}
	}
	return nil
}

func (r *reference) byTID(tid TID) *refRun {
	return r.running(func(x *refRun) bool { return x.tid == tid })
}

// of returns the run that an Off or a Slice is of.
func (r *reference) of(ev *Event) *refRun {
	run := r.running(func(x *refRun) bool {
		return x.taken && x.former == ev.Thread && x.cpu == ev.CPU && ev.CPU >= 0
	})
	if run != nil {
		return run
	}
	return r.byTID(ev.Thread)
}

// doubt makes holes of the epochs between from and to, and of the first one when time has just
// begun.
func (r *reference) doubt(from, to Ticks) {
	r.holes = append(r.holes, [2]Ticks{from, max(to, r.begin+1)})
}

func (r *reference) evict(run *refRun) {
	r.doubt(min(run.heard, r.now-1), r.now)
	run.open, run.to = false, r.lastBoundary()
}

func (r *reference) vacate(cpu int16) {
	known := func(x *refRun) bool { return x.cpu == cpu && cpu >= 0 }
	if run := r.running(known); run != nil {
		r.evict(run)
	}
}

func (r *reference) adopt(ev *Event) *refRun {
	from := min(Ticks(ev.From), r.now)
	clean := r.lastBoundary() == r.begin && from <= r.begin
	if !clean {
		r.doubt(min(from, r.now-1), r.now)
	}
	since := min(max(from, r.lastBoundary(), r.settled), r.now)
	if since > r.lastBoundary() {
		r.cut(since, End{Kind: EndResume, Thread: ev.Thread, By: NoThread})
	}
	r.vacate(ev.CPU)
	run := &refRun{tid: ev.Thread, cpu: ev.CPU, from: since, began: since, heard: r.now, open: true}
	r.runs = append(r.runs, run)
	return run
}

func (r *reference) closeSlice(run *refRun, ev *Event) {
	s := refSlice{from: min(Ticks(ev.From), r.now), to: r.now, counters: ev.Counters}
	s.since = run.began
	if n := len(run.slices); n > 0 {
		s.since = run.slices[n-1].to
	}
	s.since = max(s.since, s.from)
	run.slices = append(run.slices, s)
	run.heard, r.settled = r.now, r.now
}
