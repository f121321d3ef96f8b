package epochs

// boundary ends the open epoch at at and opens the next one. An epoch without length does not
// count: then the epoch that ended at this instant, if any, stays the last.
func (a *Assembler) boundary(at Ticks) {
	if at <= a.start {
		return
	}
	for !a.pending.fits(len(a.threads.order)) {
		a.expelOldest()
	}
	a.pending.makeRoom(len(a.threads.order))
	n := a.pending.tail
	e := a.pending.push(len(a.threads.order))
	e.ID, e.Start, e.Dur = a.nextID, a.start, at-a.start
	e.Hole = a.hole || a.start < a.doubt.until
	e.Waits = a.waits.during(e.Dur)
	a.nextID++
	rowAt := e.rowAt
	for i, s := range a.threads.order {
		slot := &a.threads.slots[s]
		if slot.heard <= a.doubt.lost {
			e.Hole = true
		}
		pos := rowAt + uint64(i)
		r := a.pending.row(pos)
		r.Thread, r.Uncounted = slot.tid, 0
		if a.n == 0 {
			continue
		}
		if slot.touched {
			copy(r.Values, slot.part[:])
			slot.part, slot.touched = [MaxCounters]int64{}, false
		} else {
			clear(r.Values)
		}
		r.Uncounted, slot.uncounted = slot.uncounted, 0
		if slot.since >= at {
			continue
		}
		a.pending.link(pos).epoch = n
		if slot.waiting == 0 {
			slot.first = pos
		} else {
			a.pending.link(slot.last).next = pos
		}
		slot.last = pos
		slot.waiting++
		e.open++
	}
	a.start, a.hole = at, false
}

// ended adds an end to the epoch that ended at at. If none ended, because time had just begun, the
// end is dropped.
func (a *Assembler) ended(at Ticks, end End) {
	if !a.pending.waits() {
		return
	}
	e := a.pending.newest()
	if e.end() != at {
		return
	}
	if len(e.Ends) >= maxEnds {
		e.Hole = true
		return
	}
	e.Ends = append(e.Ends, end)
}

// drain lets the oldest epochs out as far as they are confirmed and complete.
func (a *Assembler) drain() {
	for a.pending.waits() {
		e := a.pending.oldest()
		if e.open > 0 || e.end() > a.confirmed {
			return
		}
		a.releaseOldest()
	}
}

func (a *Assembler) releaseOldest() {
	e := a.pending.oldest()
	a.stats.Epochs++
	a.stats.Rows += uint64(e.rowN)
	if e.Hole {
		a.stats.Holes++
	}
	a.pending.release()
}

// expelOldest lets the oldest epoch out, as a hole when rows of it wait for counters.
func (a *Assembler) expelOldest() {
	if a.pending.oldest().open > 0 {
		a.stats.Forced++
		a.pending.oldest().Hole = true
		for _, s := range a.threads.order {
			a.unlinkOldest(s)
		}
		for _, s := range a.draining {
			a.unlinkOldest(s)
		}
	}
	a.releaseOldest()
}

// unlinkOldest lets the thread in s forget its row of the oldest epoch.
func (a *Assembler) unlinkOldest(s int32) {
	slot := &a.threads.slots[s]
	if slot.waiting == 0 {
		return
	}
	if l := a.pending.link(slot.first); l.epoch == a.pending.out {
		slot.first = l.next
		slot.waiting--
	}
}
