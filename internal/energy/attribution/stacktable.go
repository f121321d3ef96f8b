package attribution

import (
	"encoding/binary"
	"hash/maphash"
	"slices"

	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
)

// stack is one distinct call stack, by address.
type stack struct {
	image protocol.Image
	// frames are the kernel's, then the program's, each with the innermost first; nil: the id is
	// free
	frames []uint64
	hash   uint64
	next   energy.StackID // another stack with the same hash, or none
	inside uint16         // number of kernel frames
	end    protocol.End
	kept   kept
	mount  mount
}

func (s *stack) kernel() []uint64 { return s.frames[:s.inside] }
func (s *stack) user() []uint64   { return s.frames[s.inside:] }

// bytes returns about the memory of the stack, with its place in the table.
func (s *stack) bytes() int { return stackBytes + 8*len(s.frames) }

// stackBytes is about the memory of a stack besides its frames.
const stackBytes = 120

// kept is the level of a stack, which sets the most frames that are kept.
type kept uint8

const (
	keptWhole kept = iota
	kept32         // the innermost 32
	kept8
	kept1 // the innermost alone: the function
	kept0 // nothing, not even the process
	levels
)

// frames returns how many of a number of frames a level keeps.
func (k kept) frames(all int) int { return min(all, [levels]int{1 << 30, 32, 8, 1, 0}[k]) }

// most returns the largest number of frames of a shortened stack; 0 for the levels all and none.
func (k kept) most() int { return [levels]int{0, 32, 8, 1, 0}[k] }

// notKept is the one stack that stands for all stacks without a kept frame.
const notKept energy.StackID = 1

// stackTable numbers distinct stacks. It is flat. A table of shared callers (a trie) would take 24
// bytes for each frame that differs, and would be walked frame by frame at each sample. This table
// takes 8 bytes for each frame, and makes one hash of them at each sample.
type stackTable struct {
	stacks []stack // by id; the first is NoStack's, the second notKept's
	byHash map[uint64]energy.StackID
	free   []energy.StackID
	bytes  int
	joined map[mount]bool // those whose stacks are of others from now on
	seed   maphash.Seed
	hash   func(maphash.Seed, []byte) uint64
	key    []byte
}

func newStackTable() *stackTable {
	return &stackTable{
		stacks: []stack{{}, {end: protocol.Cut,
			kept: kept0}}, byHash: map[uint64]energy.StackID{}, bytes: 2 * stackBytes,
		seed: maphash.MakeSeed(), hash: maphash.Bytes,
	}
}

// at returns the stack of an id.
func (t *stackTable) at(id energy.StackID) *stack { return &t.stacks[id] }

// intern returns the id of a stack, a new one if the stack was not seen before. It copies the
// frames.
func (t *stackTable) intern(
	image protocol.Image, kernel, user []uint64, e protocol.End,
) energy.StackID {
	return t.internAs(notKnown, image, kernel, user, e)
}

// internAs does what intern does, for a stack of a virtual thread.
func (t *stackTable) internAs(
	m mount, image protocol.Image, kernel, user []uint64, e protocol.End,
) energy.StackID {
	return t.add(&stack{image: image, inside: uint16(len(kernel)), end: e, mount: m}, kernel, user)
}

func (t *stackTable) add(s *stack, kernel, user []uint64) energy.StackID {
	t.key = binary.LittleEndian.AppendUint64(t.key[:0], uint64(s.image)|uint64(s.mount)<<32)
	t.key = binary.LittleEndian.AppendUint32(t.key,
		uint32(s.kept)<<24|uint32(s.end)<<16|uint32(s.inside))
	for _, part := range [2][]uint64{kernel, user} {
		for _, a := range part {
			t.key = binary.LittleEndian.AppendUint64(t.key, a)
		}
	}
	s.hash = t.hash(t.seed, t.key)
	first := t.byHash[s.hash]
	for id := first; id != energy.NoStack; id = t.stacks[id].next {
		if t.stacks[id].is(s, kernel, user) {
			return id
		}
	}
	s.frames = make([]uint64, 0, len(kernel)+len(user))
	s.frames = append(append(s.frames, kernel...), user...)
	s.next = first
	t.bytes += s.bytes()
	id := energy.StackID(len(t.stacks))
	if n := len(t.free); n > 0 {
		id, t.free = t.free[n-1], t.free[:n-1]
		t.stacks[id] = *s
	} else {
		t.stacks = append(t.stacks, *s)
	}
	t.byHash[s.hash] = id
	return id
}

func (s *stack) is(o *stack, kernel, user []uint64) bool {
	return s.image == o.image && s.inside == o.inside && s.end == o.end && s.kept == o.kept &&
		s.mount == o.mount && len(s.frames) == len(kernel)+len(user) &&
		slices.Equal(s.kernel(), kernel) && slices.Equal(s.user(), user)
}

// trimmed returns the id of a stack at a level: its own id if the stack is no longer than the
// level.
func (t *stackTable) trimmed(id energy.StackID, k kept) energy.StackID {
	if id == energy.NoStack || id == notKept {
		return id
	}
	if k == kept0 {
		return notKept
	}
	s := t.stacks[id] // a copy: the table grows
	n, joined := k.frames(len(s.frames)), t.joined[s.mount]
	if n == len(s.frames) && !joined {
		return id
	}
	if joined {
		s.mount = otherMount
	}
	if n < len(s.frames) {
		s.kept, s.end = k, protocol.Cut
	}
	inside := min(int(s.inside), n)
	s.inside = uint16(inside)
	return t.add(&s, s.frames[:inside], s.frames[inside:n])
}

// sweep forgets the stacks that are not in use. Their ids are used again.
func (t *stackTable) sweep(used []bool) {
	for i := int(notKept) + 1; i < len(t.stacks); i++ {
		s := &t.stacks[i]
		if s.frames == nil || i < len(used) && used[i] {
			continue
		}
		id := energy.StackID(i)
		t.bytes -= s.bytes()
		t.unlink(id)
		*s = stack{}
		t.free = append(t.free, id)
	}
}

func (t *stackTable) unlink(id energy.StackID) {
	s := &t.stacks[id]
	at := t.byHash[s.hash]
	if at == id {
		if s.next == energy.NoStack {
			delete(t.byHash, s.hash)
		} else {
			t.byHash[s.hash] = s.next
		}
		return
	}
	for t.stacks[at].next != id {
		at = t.stacks[at].next
	}
	t.stacks[at].next = s.next
}
