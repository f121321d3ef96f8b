package simtest

// timerKind is a timer's action.
type timerKind uint8

const (
	timerWake   timerKind = iota + 1 // the wake of thread arrives: it comes to a core
	timerSleep                       // the sleep of thread is over
	timerCall                        // calls call
	timerClock                       // moves the clock
	timerResume                      // the cores run again after a transition's stall
	timerFault                       // a fault begins or ends
	timerRefill                      // a period of the program's quota begins
)

// timer is an action that is due at a fixed time.
type timer struct {
	at     ps
	seq    uint64 // timers of one instant ring in the order in which they were set
	kind   timerKind
	thread *Thread
	call   func()
	stamp  uint64 // timerClock: stamp of the transition that set it
}

// timers is a heap of timers by time.
type timers struct {
	heap []timer
	seq  uint64
}

func (q *timers) next() ps {
	if len(q.heap) == 0 {
		return never
	}
	return q.heap[0].at
}

func (t *timer) before(o *timer) bool { return t.at < o.at || t.at == o.at && t.seq < o.seq }

func (q *timers) add(at ps, t timer) {
	t.at, t.seq = at, q.seq
	q.seq++
	q.heap = append(q.heap, t)
	h := q.heap
	for i := len(h) - 1; i > 0; {
		up := (i - 1) / 2
		if !h[i].before(&h[up]) {
			break
		}
		h[i], h[up] = h[up], h[i]
		i = up
	}
}

func (q *timers) pop() timer {
	h := q.heap
	t := h[0]
	last := len(h) - 1
	h[0] = h[last]
	h[last] = timer{}
	q.heap = h[:last]
	h = q.heap
	for i := 0; ; {
		least := i
		for c := 2*i + 1; c <= 2*i+2 && c < len(h); c++ {
			if h[c].before(&h[least]) {
				least = c
			}
		}
		if least == i {
			return t
		}
		h[i], h[least] = h[least], h[i]
		i = least
	}
}
