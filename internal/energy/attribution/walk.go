package attribution

import (
	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
	"github.com/ebb-energy/ebb/internal/stacks"
)

// walk requests the program's part of a stack. For a sample without registers it uses what the
// kernel found by frame pointers, with marks in it.
func (a *Attributor) walk(
	image protocol.Image, s *stacks.Sample, done func(user []uint64, end protocol.End),
) {
	p := protocol.Sample{Image: image, PID: uint32(s.PID), At: uint64(s.At), Maps: s.Maps,
		Mounted: s.Mounted, Chain: s.User}
	whole := true
	if s.Registers == (stacks.Registers{}) {
		p.Chained, whole = true, !s.Truncated && !s.Unreadable
	} else {
		p.Registers, p.Stack = s.Registers, s.Stack
		p.Base = s.Registers.StackPointer() - stacks.RedZone
	}
	a.walking[image] = true
	a.cfg.Reader.Walk(&p, s.At, func(user []uint64, end protocol.End) {
		if !whole {
			end = protocol.Cut
		}
		done(user, end)
		if _, waits := a.cfg.Reader.Oldest(); !waits {
			clear(a.walking)
		}
	})
}
