package attribution

import (
	"context"

	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
	"github.com/ebb-energy/ebb/units"
)

// Reader walks stacks and names addresses in another process, so that nothing hostile is
// interpreted in this one. *sandbox.Host is one.
//
// The methods with a context wait, and are called after governing has ended.
type Reader interface {
	// Bind notes which process an image is, Unbind that this process has another program now,
	// Forget that nobody will ask for the image's addresses again.
	Bind(image protocol.Image, pid int)
	Unbind(image protocol.Image)
	Forget(image protocol.Image)
	// Room reports whether Walk takes another sample.
	Room() bool
	// Walk walks a stack, and Poll calls done with its frames some time later, in the order of the
	// calls of Walk.
	Walk(s *protocol.Sample, at units.Instant, done func(frames []uint64, end protocol.End))
	Poll(at units.Instant)
	// Oldest returns the time of the oldest sample for which done was not called yet.
	Oldest() (at units.Instant, ok bool)
	// AwaitAnswers waits until done was called for all samples.
	AwaitAnswers(ctx context.Context, now func() units.Instant)
	// PerfMaps reads what virtual machines wrote about their code, Names names addresses and marks.
	PerfMaps(ctx context.Context, images []protocol.Image) error
	Names(ctx context.Context, list []protocol.Address) []protocol.Frame
	// Nameless returns the files that lack names for the addresses asked for.
	Nameless(ctx context.Context) ([]protocol.File, error)
	// Switches returns the lists of its code that an image's process was asked to write, with
	// commas between them.
	Switches(ctx context.Context, image protocol.Image) (string, error)
	// Java reports whether an image is a Java machine whose compiled code was found.
	Java(image protocol.Image) bool
	// ThreadName returns the name that the virtual machine of an image gave a thread; "" where that
	// is not known. The machine knows ids of its own PID namespace, and can lie.
	ThreadName(image protocol.Image, id uint32) string
	// VirtualName returns the name of a virtual thread of an image; "" where it has none, or none
	// that is known. The machine can lie.
	VirtualName(image protocol.Image, id uint64) string
	// SpareVirtual says whether such a thread has lost its line.
	SpareVirtual(image protocol.Image, id uint64, spare bool)
	Problems() []string
}
