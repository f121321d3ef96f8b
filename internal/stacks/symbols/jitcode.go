package symbols

import (
	"cmp"
	"math"
	"slices"
)

// jitCode is a piece of code that a virtual machine made, for the time that it lay in one place.
type jitCode struct {
	start, end   uint64
	begin, until uint64 // when it lay there, by the dump's clock
	far          uint64 // the highest end in the subtree of which this is the root
	name         uint32
	pid          uint32 // id of the process whose memory the record is about
}

const jitCodeSize = 48

// jitCodes are all pieces of code of a jitdump, in order of their places. Pieces that lay at one
// address at different times overlap.
type jitCodes struct {
	list    []jitCode
	words   words
	pid     uint32 // process that began the dump, by its own id
	foreign bool
	again   bool // code of before is in no record
}

// size returns the bytes of memory that the codes take.
func (c *jitCodes) size() int { return jitCodeSize*cap(c.list) + cap(c.words) }

// arrange follows the changes in the order of their times and returns each piece of code with the
// time that it lay in its place.
func (d *dumpRecords) arrange() *jitCodes {
	out := &jitCodes{words: d.words, pid: d.pid, foreign: d.foreign}
	slices.SortStableFunc(d.changes, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	type place struct {
		pid   uint32
		start uint64
	}
	lies := map[place]int{} // index in the list of the code that lies at a place
	for _, c := range d.changes {
		name := c.name
		switch c.kind {
		case codeClose:
			for p, i := range lies {
				if p.pid == d.pid {
					out.list[i].until = c.at
					delete(lies, p)
				}
			}
			continue
		case codeMove:
			from := place{c.pid, c.from}
			i, ok := lies[from]
			if !ok {
				continue
			}
			out.list[i].until, name = c.at, out.list[i].name
			delete(lies, from)
		}
		to := place{c.pid, c.start}
		if i, ok := lies[to]; ok {
			out.list[i].until = c.at
		}
		lies[to] = len(out.list)
		out.list = append(out.list, jitCode{start: c.start, end: c.end, begin: c.at,
			until: math.MaxUint64, name: name, pid: c.pid})
	}
	slices.SortStableFunc(out.list, func(a, b jitCode) int { return cmp.Compare(a.start, b.start) })
	reach(out.list)
	return out
}

// reach sets far in each root of the balanced tree that a sorted list stands for, and returns the
// highest end in the list.
func reach(list []jitCode) (far uint64) {
	if len(list) == 0 {
		return 0
	}
	m := len(list) / 2
	list[m].far = max(list[m].end, reach(list[:m]), reach(list[m+1:]))
	return list[m].far
}

// maxLooks bounds the pieces of code that are compared for one address. A virtual machine lets few
// pieces overlap.
const maxLooks = 1 << 12

// findCode returns the name of the code that lay at an address of a process at a time, by the
// process's dumps. Pid is the id that the process has itself, or 0 where it is unknown. Records of
// the process itself count before those that it inherited when it was forked. Where the time is
// unknown, 0, or a dump has times of another clock, code has a name only if no other code lay at
// the address.
func findCode(dumps []*jitCodes, addr, at uint64, pid uint32) (name string, ok bool) {
	s := seeking{addr: addr, pid: pid, looks: maxLooks}
	for _, c := range dumps {
		if s.codes, s.at = c, at; c.foreign {
			s.at = 0
		}
		s.in(c.list)
	}
	if s.best == nil || s.several {
		return "", false
	}
	return s.of.words.name(s.best.name), true
}

// seeking holds a search for the code at an address.
type seeking struct {
	addr, at uint64
	pid      uint32
	looks    int
	codes    *jitCodes // codes that are searched at present
	best     *jitCode
	of       *jitCodes // codes that have best
	timeless bool      // best was found without a time
	several  bool      // other code is as good as best
}

// in searches the parts of a sorted list that can have the address.
func (s *seeking) in(list []jitCode) {
	for len(list) > 0 && s.looks > 0 {
		m := len(list) / 2
		x := &list[m]
		if x.far <= s.addr {
			return
		}
		s.looks--
		if x.start <= s.addr {
			if s.addr < x.end && s.better(x) {
				s.best, s.of, s.timeless = x, s.codes, s.at == 0
			}
			s.in(list[m+1:])
		}
		list = list[:m]
	}
}

// better reports whether code is a better match than the best so far. It sets several where no time
// decides between two names.
func (s *seeking) better(x *jitCode) bool {
	if s.pid != 0 && x.pid != s.pid && x.pid != s.codes.pid || s.at != 0 && x.until <= s.at {
		return false
	}
	if s.codes.again && (s.at == 0 || x.begin > s.at) {
		return false // what lay there then is in no record
	}
	b := s.best
	if b == nil {
		return true
	}
	if s.at == 0 || s.timeless {
		own, before := x.pid == s.pid, b.pid == s.pid
		if own == before && s.codes.words.name(x.name) != s.of.words.name(b.name) {
			s.several = true
		}
		if own && !before {
			s.several = false
		}
		return own && !before
	}
	// A record may be dated a little after the code began to run.
	xLater, bLater := s.at != 0 && x.begin > s.at, s.at != 0 && b.begin > s.at
	if xLater && bLater {
		return cmp.Or(order(x.pid == s.pid, b.pid == s.pid), cmp.Compare(b.begin, x.begin)) > 0
	}
	return cmp.Or(
		order(x.pid == s.pid, b.pid == s.pid), order(bLater, xLater),
		cmp.Compare(x.begin, b.begin), 1,
	) > 0
}

// order compares two booleans as cmp.Compare does: false is less than true.
func order(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}
