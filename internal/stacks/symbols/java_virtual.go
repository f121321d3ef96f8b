package symbols

import (
	"slices"

	"github.com/ebb-energy/ebb/internal/stacks/unwind"
)

// carried is what is known of a machine's virtual threads.
type carried struct {
	carriers []unwind.Carrier
	changed  bool            // since Carriers was called last
	seen     map[uint64]bool // numbers whose names were read
	named    []unwind.Virtual
	wait     int // stacks until the threads are read again after one that says too little
}

const (
	maxVirtual = 1 << 14 // numbers that are remembered
	// itself is the number of a thread that carries no other.
	itself = ^uint64(0)
	// soon is the least number of stacks until the threads are read again after one in which a
	// virtual thread was mounted, nobody knows which. It doubles each time that nothing is new.
	soon = 2
)

// listed notes what a list of threads said.
func (c *carried) listed(carriers []unwind.Carrier) {
	if slices.Equal(c.carriers, carriers) {
		return
	}
	if len(c.carriers) == 0 {
		c.wait = soon
	}
	c.carriers, c.changed = slices.Clone(carriers), true
}

// Mounted notes for a sampled stack of an image the number of the virtual thread that was mounted,
// as in stacks.Sample. The thread's name is read if it is new, since it may be gone soon.
func (r *Resolver) Mounted(i Image, number uint64, frames []uint64) {
	p := r.processes[i]
	if p == nil || p.java.machine == nil {
		return
	}
	j := &p.java
	c := &j.carried
	if number == 0 {
		c.wait = max(c.wait, soon)
		if j.until > c.wait && j.continues(frames) {
			j.until, c.wait = c.wait, 2*c.wait
		}
		return
	}
	if number == itself || c.seen[number] {
		return
	}
	v, ok := j.machine.Virtual(number)
	if !ok {
		return
	}
	if c.seen == nil || len(c.seen) >= maxVirtual {
		c.seen = map[uint64]bool{}
	}
	if c.seen[number] = true; v.Name != "" && printable(v.Name) == v.Name {
		c.named = append(c.named, v)
	}
}

// continuation is the method in which a thread of Java runs the virtual threads that it carries
// (java.lang.VirtualThread in OpenJDK from 21 on).
const continuation = "jdk.internal.vm.Continuation.run"

// continues reports whether a stack is in a continuation.
func (j *java) continues(frames []uint64) bool {
	codes := j.all()
	return slices.ContainsFunc(frames, func(f uint64) bool {
		n := f &^ unwind.Marked
		return f&unwind.Marked != 0 && n < uint64(len(codes)) && codes[n].Name == continuation
	})
}

// Carriers returns which threads of an image say whom they carry, and whether that has changed
// since the last call.
func (r *Resolver) Carriers(i Image) (list []unwind.Carrier, changed bool) {
	p := r.processes[i]
	if p == nil {
		return nil, false
	}
	c := &p.java.carried
	changed, c.changed = c.changed, false
	return c.carriers, changed
}

// Virtual returns the virtual threads of an image whose names were read since the last call.
func (r *Resolver) Virtual(i Image) (list []unwind.Virtual) {
	if p := r.processes[i]; p != nil {
		list, p.java.carried.named = p.java.carried.named, nil
	}
	return list
}
