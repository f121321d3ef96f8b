package sandbox

import (
	"context"
	"os"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/instrumented"
	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
	"github.com/ebb-energy/ebb/units"
)

// markPipe is the pipe into which a program writes its marks, and which the child reads.
type markPipe struct {
	file  *os.File // nil: the program writes none
	asked bool     // a question is under way
	since units.Instant
	take  func(at units.Instant, list []instrumented.Mark, bad uint64, more bool)
}

// overdue reports whether the child has taken too long for the question that is under way.
func (p *markPipe) overdue(at units.Instant) bool {
	return p.asked && p.since != 0 && at.Sub(p.since) > patience
}

// ReadMarks makes the child read a program's marks from a pipe that never waits for its writers.
func (h *Host) ReadMarks(pipe *os.File) { h.marks.file = pipe }

// TakeMarks sets what Poll calls with its time and new marks. All in them is the program's claim.
func (h *Host) TakeMarks(take func(at units.Instant, list []instrumented.Mark, bad uint64,
	more bool)) {
	h.marks.take = take
}

// AskMarks asks for new marks, unless an answer is still due. It reports whether one is due; it is
// not where nobody is there to give one.
func (h *Host) AskMarks(at units.Instant) bool {
	p := &h.marks
	if h.child == nil && p.file != nil {
		p.empty()
	}
	if h.child == nil || p.file == nil || p.take == nil {
		return false
	}
	if !p.asked {
		p.asked, p.since = true, at
		h.queue.flush()
		h.queue.enqueue(outgoing{
			bytes: protocol.Ask(protocol.KindMarks, 0, 0), file: p.file,
		})
	}
	return true
}

// empty throws away what is in the pipe: without a child to read it, a full one would stop the
// program for good.
func (p *markPipe) empty() {
	raw, err := p.file.SyscallConn()
	if err != nil {
		return // it is closed
	}
	var unread [4096]byte
	const most = 1 << 20 / len(unread) // as much as the largest pipe of an ordinary user
	_ = raw.Control(func(fd uintptr) { // closed meanwhile: nobody waits
		for range most {
			if n, err := unix.Read(int(fd), unread[:]); n <= 0 || err != nil {
				return
			}
		}
	})
}

// LastMarks waits for the answer that is due. It is for the run's end.
func (h *Host) LastMarks(ctx context.Context, now func() units.Instant) {
	for h.marks.asked && h.child != nil && ctx.Err() == nil {
		h.Poll(now())
		if h.marks.asked && h.child != nil {
			_, _ = h.child.conn.Wait(pollInterval) // Poll finds the error
		}
	}
}

// marked takes the answer to AskMarks.
func (h *Host) marked(b []byte) error {
	a, err := protocol.DecodeNewMarks(b)
	if err != nil {
		return err
	}
	if !h.marks.asked {
		return protocol.ErrMalformed
	}
	h.marks.asked = false
	h.marks.take(h.polled, a.List, a.Bad, a.More)
	return nil
}
