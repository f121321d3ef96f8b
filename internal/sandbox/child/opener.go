package child

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/linux/unixconn"
	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
	"github.com/ebb-energy/ebb/internal/stacks/symbols"
)

// opener asks the opener's process for files. Without a connection nothing can be opened.
type opener struct {
	conn    *unixconn.Conn
	id      uint64 // number of the last request
	buf     [protocol.MaxPacket]byte
	stuck   func()                  // called when the opener does not answer
	stuckAt map[protocol.Image]bool // images at whose files it got stuck: it opens none of theirs
}

// openPatience is the time that the opener may take. A local disk takes milliseconds.
const openPatience = time.Second

// attachPatience is the time that waking a Java machine may take.
const attachPatience = 2 * time.Second

var _ symbols.Source = (*opener)(nil)

var errNoOpener = errors.New("no file can be opened: the opener was lost")

func (o *opener) connect(c *unixconn.Conn) {
	_ = o.conn.Close() // its process has gone
	o.conn = c
}

// open asks for a file and waits for it.
func (o *opener) open(r protocol.Open) (*os.File, error) {
	if o.conn == nil || o.stuckAt[r.Image] {
		return nil, errNoOpener
	}
	o.id++
	r.ID = o.id
	if err := o.conn.Send(r.Encode()); err != nil {
		return nil, o.lost(err)
	}
	patience := openPatience
	if r.What == protocol.Attached {
		patience = attachPatience
	}
	for {
		in, err := o.conn.Wait(patience)
		if err == nil && !in {
			err = errors.New("opening it takes too long")
			if o.stuckAt == nil {
				o.stuckAt = map[protocol.Image]bool{}
			}
			o.stuckAt[r.Image] = true
		}
		if err != nil {
			return nil, o.lost(err)
		}
		n, fd, err := o.conn.Receive(o.buf[:])
		if err != nil {
			return nil, o.lost(err)
		}
		a, err := protocol.DecodeOpened(o.buf[:n])
		switch {
		case err != nil:
			return nil, o.lost(err)
		case a.ID != o.id:
			if fd >= 0 {
				_ = unix.Close(fd) // the answer to an earlier request
			}
			continue
		case fd >= 0:
			return os.NewFile(uintptr(fd), "file"), nil
		case a.Absent:
			return nil, fmt.Errorf("%s: %w", a.Reason, fs.ErrNotExist)
		}
		return nil, errors.New(a.Reason)
	}
}

// lost gives the opener up and says so. The governor starts another one.
func (o *opener) lost(err error) error {
	_ = o.conn.Close() // nothing more is asked of it
	o.conn = nil
	o.stuck()
	return err
}

func (o *opener) Maps(i symbols.Image) (*os.File, error) {
	return o.open(protocol.Open{What: protocol.Maps, Image: protocol.Image(i)})
}

func (o *opener) Memory(i symbols.Image) (*os.File, error) {
	return o.open(protocol.Open{What: protocol.Memory, Image: protocol.Image(i)})
}

func (o *opener) Mapped(i symbols.Image, start, end uint64) (*os.File, error) {
	return o.open(protocol.Open{
		What: protocol.Mapped, Image: protocol.Image(i), Start: start, End: end,
	})
}

func (o *opener) Debug(
	i symbols.Image, start, end uint64, id []byte, link string, nth int,
) (*os.File, error) {
	if len(id) > protocol.MaxBuildID || len(link) > protocol.MaxLink {
		return nil, fs.ErrNotExist
	}
	return o.open(protocol.Open{
		What: protocol.Debug, Image: protocol.Image(i), Start: start, End: end,
		BuildID: id, Link: link, Nth: uint8(nth),
	})
}

func (o *opener) Status(i symbols.Image) (*os.File, error) {
	return o.open(protocol.Open{What: protocol.Status, Image: protocol.Image(i)})
}

func (o *opener) CommandLine(i symbols.Image) (*os.File, error) {
	return o.open(protocol.Open{What: protocol.CommandLine, Image: protocol.Image(i)})
}

func (o *opener) PerfMap(i symbols.Image) (*os.File, error) {
	return o.open(protocol.Open{What: protocol.PerfMap, Image: protocol.Image(i)})
}

func (o *opener) Auxiliary(i symbols.Image) (*os.File, error) {
	return o.open(protocol.Open{What: protocol.Auxiliary, Image: protocol.Image(i)})
}

func (o *opener) Program(i symbols.Image, path string) error {
	f, err := o.open(protocol.Open{What: protocol.Program, Image: protocol.Image(i), Link: path})
	if err != nil {
		return err
	}
	return f.Close()
}

func (o *opener) Release(i symbols.Image) (*os.File, error) {
	return o.open(protocol.Open{What: protocol.Release, Image: protocol.Image(i)})
}

// Times reads clocks, and what the kernel says of a file that was opened.
func (o *opener) Times(f *os.File) (now, made uint64, ahead int64, err error) {
	return fileTimes(f)
}

func (o *opener) KernelSymbols() (*os.File, error) {
	return o.open(protocol.Open{What: protocol.KernelSymbols})
}
