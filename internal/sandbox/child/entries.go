package child

import (
	"os"

	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
	"github.com/ebb-energy/ebb/internal/stacks/symbols"
)

// entries answers with where a file's functions of some names begin.
func (c *child) entries(b []byte, file *os.File) error {
	seq, names, err := protocol.DecodeAskEntries(b)
	if err != nil {
		return err
	}
	if file == nil {
		return protocol.ErrMalformed
	}
	out := protocol.Entries{Seq: seq}
	found, err := symbols.Entries(file, names, protocol.MaxEntries)
	if err != nil {
		out.Reason = err.Error()
	}
	for _, e := range found {
		x := protocol.Entry{Shown: e.Shown}
		if e.Err == nil {
			x.Offsets, x.Stepped, e.Err = breakpoints(file, e.Offsets)
		}
		if e.Err != nil {
			x.Reason = e.Err.Error()
		}
		out.List = append(out.List, x)
	}
	return c.governor.Send(out.Encode())
}

// breakpoints returns the places of the breakpoints of functions that begin at these offsets, and
// the first bytes of the first at which the kernel stops a thread twice.
func breakpoints(file *os.File, begins []uint64) (at []uint64, stepped string, err error) {
	for _, begin := range begins {
		code := make([]byte, entryBytes)
		n, _ := file.ReadAt(code, int64(min(begin, 1<<62))) // what it has read counts
		after, steps, err := breakpointAt(code[:n])
		if err != nil {
			return nil, "", err
		}
		if steps && stepped == "" {
			stepped = string(code[:min(n, protocol.MaxStepped)])
		}
		at = append(at, begin+after)
	}
	return at, stepped, nil
}
