package child

import (
	"os"

	"github.com/ebb-energy/ebb/sandbox/protocol"
	"github.com/ebb-energy/ebb/stacks/symbols"
)

// entries says where a file's functions of some names begin.
func (c *Child) entries(b []byte, file *os.File) error {
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
		x := protocol.Entry{Offsets: e.Offsets, Shown: e.Shown}
		if e.Err != nil {
			x.Reason = e.Err.Error()
		}
		out.List = append(out.List, x)
	}
	return c.governor.Send(out.Encode())
}
