package unwind

import "slices"

// Carrier says where a thread of the machine has the number of the Java thread that it runs as. JDK
// 24 and later have it in the thread (JavaThread::_lock_id, then _monitor_owner_id). JDK 21 to 23
// have a reference there to the object with the number (JavaThread::_vthread).
type Carrier struct {
	Block uint64 // address of the thread's own block (pthread_t)
	// At is the address of the number. With Field it is that of the reference, and Field is where
	// the object has the number.
	At, Field uint64
	Own       uint64 // number of the thread itself
}

// handle returns the address in a carrier's thread of the handle of the object that is mounted.
func (h *HotSpot) handle(thread uint64) uint64 { return thread + h.threads.mounted.offset }

// carrying is a thread on which a virtual thread was seen.
type carrying struct {
	Carrier
	thread uint64 // its address
}

// Virtual is a virtual thread.
type Virtual struct {
	ID   uint64 // java.lang.Thread.threadId
	Name string // "" for most: they are made without
}

const (
	// maxThreadNumber bounds threads' numbers, which count from 1. Larger ones were read while
	// their object was being moved.
	maxThreadNumber = 1 << 48
	// maxCarrying bounds the threads that are asked for a name. There are as many as CPUs.
	maxCarrying = 256
)

// carrier takes note of a thread that says which virtual thread is mounted on it.
func (h *HotSpot) carrier(thread, system uint64) {
	l := &h.threads
	if l.number == 0 || !l.block.known || !l.mounted.known {
		return
	}
	c := Carrier{At: thread + l.owner.offset}
	ok := true
	if !l.owner.known {
		c.Field = l.number
		c.At, ok = h.word(h.handle(thread))
		c.At += l.oop.offset
		ok = ok && !l.zgc // whose references are no addresses, or of places that are free by then
	}
	object, ok1 := h.object(thread + l.object.offset)
	own, ok2 := h.word(object + l.number)
	block, ok3 := h.word(system + l.block.offset)
	c.Own, c.Block = own, block
	if !ok || !ok1 || !ok2 || !ok3 || own == 0 || own >= maxThreadNumber {
		return
	}
	h.carriers = append(h.carriers, c)
	n, ok1 := h.carried(&c)
	mounted, ok2 := h.object(h.handle(thread))
	if ok1 && ok2 && n != c.Own && mounted != object {
		h.carrying = slices.DeleteFunc(h.carrying,
			func(x carrying) bool { return x.thread == thread })
		h.carrying = append(h.carrying, carrying{c, thread})
		h.carrying = h.carrying[max(len(h.carrying)-maxCarrying, 0):]
	}
}

// carried returns the number of the thread that a thread runs as.
func (h *HotSpot) carried(c *Carrier) (number uint64, ok bool) {
	at := c.At
	if c.Field != 0 {
		object, ok := h.word(at)
		if !ok || object == 0 {
			return 0, false
		}
		at = object + c.Field
	}
	number, ok = h.word(at)
	return number, ok && number > 0 && number < maxThreadNumber
}

// Carriers returns the threads of the list that Threads read last which say whom they carry, first
// those on which a virtual thread was seen; none where none ever was.
func (h *HotSpot) Carriers() []Carrier {
	if len(h.carrying) == 0 {
		return nil
	}
	seen := map[Carrier]bool{}
	for i := range h.carrying {
		seen[h.carrying[i].Carrier] = true
	}
	var first, rest []Carrier
	for _, c := range h.carriers {
		if seen[c] {
			first = append(first, c)
		} else {
			rest = append(rest, c)
		}
	}
	return append(first, rest...)
}

// Virtual returns a virtual thread if it is still mounted.
func (h *HotSpot) Virtual(number uint64) (v Virtual, ok bool) {
	h.reads = maxReads
	h.forget()
	mounted := func(c *carrying) (object uint64, ok bool) {
		if n, ok := h.carried(&c.Carrier); !ok || n != number || n == c.Own {
			return 0, false
		}
		object, ok1 := h.object(h.handle(c.thread))
		own, ok2 := h.word(object + h.threads.number)
		return object, ok1 && ok2 && own == number
	}
	for i := range h.carrying {
		c := &h.carrying[i]
		object, ok := mounted(c)
		if !ok {
			continue
		}
		v = Virtual{ID: number, Name: h.nameOf(object)}
		h.forget() // meanwhile the object could be moved, or another be mounted
		again, ok := mounted(c)
		return v, ok && again == object
	}
	return Virtual{}, false
}
