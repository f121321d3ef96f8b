package child

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
	"github.com/ebb-energy/ebb/internal/stacks/symbols"
)

// symbols answers with the names that a file of symbols has for functions.
func (c *child) symbols(b []byte, file *os.File) error {
	q, err := protocol.DecodeAskSymbols(b)
	if err != nil {
		return err
	}
	out := protocol.Symbols{Seq: q.Seq}
	if file != nil {
		if c.installed != nil {
			_ = c.installed.Close() // it was only read
		}
		c.installed, err = readInstalled(file, q.BuildID)
	}
	if err == nil && c.installed == nil {
		err = errors.New("it could not be read before")
	}
	if err != nil {
		out.Reason = err.Error()
		return c.governor.Send(out.Encode())
	}
	for _, addr := range q.Addrs {
		name, _ := c.installed.Name(addr)
		out.Names = append(out.Names, name)
	}
	return c.governor.Send(out.Encode())
}

// readInstalled reads a file of symbols through a descriptor of its own.
func readInstalled(file *os.File, buildID string) (*symbols.Installed, error) {
	fd, err := unix.FcntlInt(file.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return symbols.ReadInstalled(os.NewFile(uintptr(fd), "symbols"), buildID)
}
