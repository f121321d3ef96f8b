package sandbox

import (
	"context"
	"fmt"
	"os"

	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
)

// Symbols returns the names that a file of symbols has for functions of the file with a build id,
// by their addresses in that file's own numbering; "" where it has none. A child that has seen
// nothing else reads it: whoever made the file can lead it astray about that file alone.
func Symbols(
	ctx context.Context, f *os.File, buildID string, addrs []uint64,
) (names []string, err error) {
	h, err := Start()
	if err != nil {
		return nil, err
	}
	defer h.Close()
	for file := f; len(names) < len(addrs); file = nil {
		some := addrs[len(names):][:min(protocol.MaxSymbols, len(addrs)-len(names))]
		h.question++
		q := protocol.AskSymbols{Seq: h.question, BuildID: buildID, Addrs: some}
		reason := ""
		err = h.ask(ctx, q.Encode(), file, func(b []byte) bool {
			s, err := protocol.DecodeSymbols(b)
			if err != nil || s.Seq != q.Seq || s.Reason == "" && len(s.Names) != len(some) {
				return false
			}
			reason = clean(s.Reason)
			for _, n := range s.Names {
				names = append(names, clean(n))
			}
			return true
		})
		if err == nil && reason != "" {
			err = fmt.Errorf("%w: %s: %s", ErrFile, f.Name(), reason)
		}
		if err != nil {
			return nil, err
		}
	}
	return names, nil
}
