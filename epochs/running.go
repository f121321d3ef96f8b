package epochs

// slot holds the known state of a thread that runs.
type slot struct {
	tid TID
	// former is the id that the thread had before another took it (exchange), and that its last
	// events still name; else NoThread.
	former  TID
	cpu     int16
	touched bool  // part is not zero
	since   Ticks // start of the open slice
	heard   Ticks // time of the last event about the thread
	// Rows of ended epochs that wait for the open slice, in order. There are waiting of them,
	// linked from first to last.
	first, last uint64
	waiting     int
	// part holds the counts of closed slices in the open epoch.
	part      [MaxCounters]int64
	uncounted Ticks // part of the open epoch whose slices could not be read
}

// running is the set of the threads that run, each in a slot.
type running struct {
	slots []slot
	free  []int32
	order []int32 // slots in use, by thread id
	tids  []TID   // their thread ids
	onCPU []int32 // by CPU: the slot of the thread that runs there, plus one
}

// place returns the place of tid in order, or the place where it belongs.
func (r *running) place(tid TID) (int, bool) {
	lo, hi := 0, len(r.tids)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if r.tids[mid] < tid {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo, lo < len(r.tids) && r.tids[lo] == tid
}

// find returns the slot of tid, if it runs.
func (r *running) find(tid TID) (int32, bool) {
	i, ok := r.place(tid)
	if !ok {
		return 0, false
	}
	return r.order[i], true
}

// add gives tid, which must not run, a slot.
func (r *running) add(tid TID, cpu int16) int32 {
	var s int32
	if n := len(r.free); n > 0 {
		s = r.free[n-1]
		r.free = r.free[:n-1]
	} else {
		s = int32(len(r.slots))
		r.slots = append(r.slots, slot{})
	}
	r.slots[s] = slot{tid: tid, former: NoThread, cpu: -1}
	r.insert(s, tid)
	r.bind(s, cpu)
	return s
}

func (r *running) insert(s int32, tid TID) {
	i, _ := r.place(tid)
	r.order = append(r.order, 0)
	copy(r.order[i+1:], r.order[i:])
	r.order[i] = s
	r.tids = append(r.tids, 0)
	copy(r.tids[i+1:], r.tids[i:])
	r.tids[i] = tid
}

// withdraw takes s out of the order and off its CPU, but keeps the slot.
func (r *running) withdraw(s int32) {
	r.unbind(s)
	i, _ := r.place(r.slots[s].tid)
	r.order = append(r.order[:i], r.order[i+1:]...)
	r.tids = append(r.tids[:i], r.tids[i+1:]...)
}

// remove ends the use of a slot that is in the order.
func (r *running) remove(s int32) {
	r.withdraw(s)
	r.discard(s)
}

// discard ends the use of a slot that is in no order.
func (r *running) discard(s int32) { r.free = append(r.free, s) }

// rename gives the thread in s another id, which no running thread has.
func (r *running) rename(s int32, tid TID) {
	cpu := r.slots[s].cpu
	r.withdraw(s)
	r.slots[s].tid = tid
	r.insert(s, tid)
	r.bind(s, cpu)
}

// exchange gives the thread in s the id of that in first, which gets the other's for the rest of
// its time, as in the kernel.
func (r *running) exchange(s, first int32) {
	cpu, from, to := r.slots[first].cpu, r.slots[s].tid, r.slots[first].tid
	r.withdraw(first)
	r.rename(s, to)
	r.slots[first].tid, r.slots[first].former = from, to
	r.insert(first, from)
	r.bind(first, cpu)
}

// of returns the slot of the thread of an event, if it runs.
func (r *running) of(ev *Event) (int32, bool) {
	if s, ok := r.on(ev.CPU); ok && r.slots[s].former == ev.Thread && ev.Thread != NoThread {
		return s, true
	}
	return r.find(ev.Thread)
}

// bind notes that the thread in s runs on cpu. A negative CPU is an unknown one.
func (r *running) bind(s int32, cpu int16) {
	r.slots[s].cpu = cpu
	if cpu < 0 {
		return
	}
	for int(cpu) >= len(r.onCPU) {
		r.onCPU = append(r.onCPU, 0)
	}
	r.onCPU[cpu] = s + 1
}

func (r *running) unbind(s int32) {
	cpu := r.slots[s].cpu
	if cpu >= 0 && r.onCPU[cpu] == s+1 {
		r.onCPU[cpu] = 0
	}
}

// on returns the slot of the thread that runs on cpu.
func (r *running) on(cpu int16) (int32, bool) {
	if cpu < 0 || int(cpu) >= len(r.onCPU) || r.onCPU[cpu] == 0 {
		return 0, false
	}
	return r.onCPU[cpu] - 1, true
}

// forget empties the order; the slots stay in use.
func (r *running) forget() {
	for _, s := range r.order {
		r.unbind(s)
	}
	r.order, r.tids = r.order[:0], r.tids[:0]
}
