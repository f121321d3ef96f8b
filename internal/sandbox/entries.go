package sandbox

import (
	"context"
	"fmt"
	"os"

	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
)

// Entry says where breakpoints go at the functions of a name in a file, as offsets. Shown is the
// name that samples have for them. Stepped holds the first bytes of one at which the kernel stops a
// thread twice; it is empty where there is none. Without offsets there is a reason.
type Entry struct {
	Offsets []uint64
	Shown   string
	Stepped []byte
	Reason  string
}

// Entries finds the functions of a file by their names, at most as many as a question of package
// protocol holds, of at most protocol.MaxName bytes. A child that has seen nothing else reads the
// file: what it says decides where breakpoints go, and only the file's own writer can have led it
// astray.
func Entries(ctx context.Context, f *os.File, names []string) (list []Entry, err error) {
	h, err := Start()
	if err != nil {
		return nil, err
	}
	defer h.Close()
	h.question++
	seq, reason := h.question, ""
	err = h.ask(ctx, protocol.AskEntries(seq, names), f, func(b []byte) bool {
		p, err := protocol.DecodeEntries(b)
		if err != nil || p.Seq != seq || p.Reason == "" && len(p.List) != len(names) {
			return false
		}
		list = nil
		for _, e := range p.List {
			list = append(list, Entry{e.Offsets, clean(e.Shown), []byte(e.Stepped),
				clean(e.Reason)})
		}
		reason = clean(p.Reason)
		return true
	})
	if err == nil && reason != "" {
		err = fmt.Errorf("%w: %s: %s", ErrFile, f.Name(), reason)
	}
	return list, err
}
