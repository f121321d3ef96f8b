package child

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/instrumented"
	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
	"github.com/ebb-energy/ebb/internal/stacks/symbols"
)

// functions reads the memory that an instrumented program writes.
type functions struct {
	reader *RingReader // nil until the memory has come
	file   *os.File
}

// records answers with the records that are new. The memory comes beside each question, so that a
// child that was started again has it.
func (c *child) records(b []byte, file *os.File) error {
	if _, _, err := protocol.DecodeAsk(b, protocol.KindRings); err != nil {
		return err
	}
	f := &c.functions
	if f.reader == nil {
		if file == nil {
			return protocol.ErrMalformed
		}
		fd, err := unix.FcntlInt(file.Fd(), unix.F_DUPFD_CLOEXEC, 0)
		if err != nil {
			return err
		}
		f.file = os.NewFile(uintptr(fd), file.Name())
		f.reader = NewRingReader(f.file)
	}
	var out protocol.Records
	out.Lost, out.More = f.reader.Records(protocol.MaxRecords, func(r *instrumented.Record) {
		out.List = append(out.List, *r)
	})
	return c.governor.Send(out.Encode())
}

// calls answers with counts of calls.
func (c *child) calls(b []byte) error {
	seq, from, err := protocol.DecodeAskCalls(b)
	if err != nil {
		return err
	}
	out := protocol.Called{Seq: seq, Next: instrumented.Places}
	if f := &c.functions; f.reader != nil {
		out.Totals = f.reader.Totals()
		out.Next = uint32(f.reader.Calls(int(from), protocol.MaxCalls, func(x *instrumented.Calls) {
			out.List = append(out.List, *x)
		}))
	}
	return c.governor.Send(out.Encode())
}

// saw reads the mappings of an image, unless those that are known have all of the addresses. It
// reads them once, whatever the addresses are: the program may have made them up.
func (c *child) saw(b []byte) error {
	image, pid, addrs, err := protocol.DecodeSaw(b)
	if err != nil {
		return err
	}
	c.progress.At(0, image)
	c.resolver.Image(symbols.Image(image), int(pid))
	c.resolver.Ran(symbols.Image(image), addrs)
	return c.report()
}

// hooked answers with instrumented functions of the files that some images have mapped. A failure
// would be by a file, so no image is to blame.
func (c *child) hooked(b []byte) error {
	seq, from, images, err := protocol.DecodeHooked(b)
	if err != nil {
		return err
	}
	list := make([]symbols.Image, 0, len(images))
	for _, i := range images {
		list = append(list, symbols.Image(i))
	}
	out := protocol.Instrumented{Seq: seq}
	for next := int(from); ; {
		var found []symbols.Frame
		found, next = c.resolver.Instrumented(list, next, aFew)
		for _, f := range found {
			out.List = append(out.List, frame(f))
		}
		out.Next = uint32(next)
		packet := out.Encode()
		if next == 0 || len(packet)+aFew*protocol.MaxFrame > protocol.MaxPacket {
			return errors.Join(c.report(), c.governor.Send(packet))
		}
	}
}

// aFew is the number of functions by which a packet is filled.
const aFew = 32
