package child

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/instrumented"
	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
)

// pipe is the pipe into which a program writes its marks.
type pipe struct {
	fd      int // a descriptor of this process's own; -1 until it has come
	scanner scanner
	waiting []instrumented.Mark // marks that were read and not sent
}

// markedBytes is the number of bytes that are read at a time. It bounds what waits: the shortest
// mark has 8 bytes.
const markedBytes = 4096

// marked answers with the marks that are new. The pipe comes beside each question, so that a child
// that was started again has it. Nothing here waits for the program.
func (c *child) marked(b []byte, file *os.File) error {
	if _, _, err := protocol.DecodeAsk(b, protocol.KindMarks); err != nil {
		return err
	}
	p := &c.pipe
	if p.fd < 0 {
		if file == nil {
			return protocol.ErrMalformed
		}
		fd, err := unix.FcntlInt(file.Fd(), unix.F_DUPFD_CLOEXEC, 0)
		if err != nil {
			return err
		}
		p.fd = fd
	}
	// Others have the same pipe, and it must not wait here.
	if err := unix.SetNonblock(p.fd, true); err != nil {
		return err
	}
	var out protocol.NewMarks
	out.Bad, out.More = p.read()
	n := min(len(p.waiting), protocol.MaxMarks)
	out.List = p.waiting[:n]
	out.More = out.More || n < len(p.waiting)
	err := c.governor.Send(out.Encode())
	p.waiting = append(p.waiting[:0], p.waiting[n:]...)
	return err
}

// read reads until the pipe is empty or as many marks wait as an answer takes.
func (p *pipe) read() (bad uint64, more bool) {
	buf := make([]byte, markedBytes)
	for total := 0; len(p.waiting) < protocol.MaxMarks; total++ {
		if total >= 64<<10/markedBytes {
			return bad, true // as much as a pipe holds: the program writes as fast as this reads
		}
		n, err := unix.Read(p.fd, buf)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || n <= 0 {
			return bad, false // it is empty
		}
		bad += uint64(p.scanner.scan(buf[:n], func(m instrumented.Mark) {
			p.waiting = append(p.waiting, m)
		}))
	}
	return bad, true
}
