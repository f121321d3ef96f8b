package attribution

import (
	"context"
	"slices"

	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
	"github.com/ebb-energy/ebb/units"
)

// reader is a Reader that returns a stack as it is given, and names nothing unless its fields say
// so.
type reader struct {
	pids    map[protocol.Image]int
	unbound []protocol.Image
	forgot  []protocol.Image
	java    map[protocol.Image]bool
	threads map[uint32]string // names by id
	virtual map[uint64]string // and of virtual threads
	spare   map[uint64]bool   // virtual threads whose names are spare
	waiting []walked
	name    func(protocol.Address) protocol.Frame
	room    int  // for samples that wait
	asleep  bool // nothing is answered before the end
}

// walked is a sample whose stack is not handed over yet.
type walked struct {
	frames []uint64
	end    protocol.End
	at     units.Instant
	done   func([]uint64, protocol.End)
}

func newReader() *reader {
	return &reader{pids: map[protocol.Image]int{}, java: map[protocol.Image]bool{}, room: 64,
		spare: map[uint64]bool{},
		name: func(protocol.Address) protocol.Frame {
			return protocol.Frame{Name: "[unknown]", Kind: "unresolved"}
		}}
}

func (r *reader) Bind(image protocol.Image, pid int) { r.pids[image] = pid }

func (r *reader) Unbind(image protocol.Image) { r.unbound = append(r.unbound, image) }

func (r *reader) Forget(image protocol.Image) {
	delete(r.pids, image)
	r.forgot = append(r.forgot, image)
}

func (r *reader) VirtualName(_ protocol.Image, id uint64) string { return r.virtual[id] }

func (r *reader) SpareVirtual(_ protocol.Image, id uint64, spare bool) { r.spare[id] = spare }

func (r *reader) Room() bool { return len(r.waiting) < r.room }

func (r *reader) Walk(s *protocol.Sample, at units.Instant, done func([]uint64, protocol.End)) {
	r.waiting = append(r.waiting, walked{slices.Clone(s.Chain), protocol.Chained, at, done})
}

func (r *reader) Poll(units.Instant) {
	if !r.asleep {
		r.answer()
	}
}

func (r *reader) answer() {
	for len(r.waiting) > 0 {
		w := r.waiting[0]
		r.waiting = r.waiting[1:]
		w.done(w.frames, w.end)
	}
}

func (r *reader) Oldest() (at units.Instant, ok bool) {
	if len(r.waiting) == 0 {
		return 0, false
	}
	return r.waiting[0].at, true
}

func (r *reader) AwaitAnswers(context.Context, func() units.Instant) { r.answer() }

func (r *reader) PerfMaps(context.Context, []protocol.Image) error { return nil }

func (r *reader) Names(_ context.Context, list []protocol.Address) (out []protocol.Frame) {
	for _, a := range list {
		out = append(out, r.name(a))
	}
	return out
}

func (r *reader) Switches(context.Context, protocol.Image) (string, error) { return "", nil }
func (r *reader) Nameless(context.Context) ([]protocol.File, error)        { return nil, nil }

func (r *reader) Java(image protocol.Image) bool { return r.java[image] }

func (r *reader) ThreadName(image protocol.Image, id uint32) string { return r.threads[id] }

func (r *reader) Problems() []string { return nil }
