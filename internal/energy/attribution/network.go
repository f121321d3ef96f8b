package attribution

import (
	"slices"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/network"
	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
	"github.com/ebb-energy/ebb/internal/stacks"
	"github.com/ebb-energy/ebb/units"
)

// Callers is the source of the stacks by which the program sends and receives. *network.Counter is
// one.
type Callers interface {
	Callers(func(*network.Caller))
}

// Moved is the traffic of a thread: in all, and by caller. The sum by caller is at most the traffic
// in all.
type Moved struct {
	PID, TID int // TID 0: the threads of a process that are counted together
	Comm     string
	Bytes    network.Bytes
	Energy   units.Energy // the thread's part of the energy that a card takes for the traffic
	By       []network.CallerCount
}

// callerKey is the key by which callers are counted.
type callerKey struct {
	pid, tid int
	number   uint64
}

// caller is the thread and the stack of a callerKey.
type caller struct {
	thread epochs.TID // the number by lives
	stack  energy.StackID
}

// called keeps a stack by which something was sent or received. Its process mostly still lives.
func (a *Attributor) called(x *network.Caller) {
	image := a.images.at(x.PID, x.At)
	key, thread := callerKey{x.PID, x.TID, x.Number}, a.lives.at(epochs.TID(x.TID), x.At)
	s := stacks.Sample{At: x.At, PID: x.PID, User: x.Frames, Registers: x.Registers, Stack: x.Stack,
		Unreadable: len(x.Frames) == 0}
	a.walk(image, &s, func(user []uint64, end protocol.End) {
		a.callers[key] = caller{thread, a.stacks.intern(image, nil, user, end)}
	})
}

// network divides the traffic of each thread over its callers: bytes as they were counted, energy
// in proportion to the bytes (e-Surgeon, equation 10). Traffic without a caller goes to no stack.
func (a *Attributor) network(
	p *profile.Profile, moved []Moved, index map[epochs.TID]int, f *frames,
) {
	for _, m := range moved {
		rest := m.Bytes
		var parts []network.Bytes
		var transfers []profile.Transfer
		add := func(t profile.Transfer, b network.Bytes) {
			transfers, parts = append(transfers, t),
				append(parts, b)
		}
		for _, by := range m.By {
			who, ok := a.callers[callerKey{by.PID, by.TID, by.Number}]
			if !ok || by.Bytes == (network.Bytes{}) {
				continue
			}
			t := profile.Transfer{Frames: a.resolve(who.stack, f)}
			t.Cut = a.isCut(p, a.stacks.at(who.stack), t.Frames)
			if t.Thread, ok = index[who.thread]; !ok {
				t.Thread = threadOf(p, &m)
			}
			add(t, by.Bytes)
			rest = rest.Minus(by.Bytes)
		}
		if rest != (network.Bytes{}) {
			add(profile.Transfer{Thread: threadOf(p, &m)}, rest)
		}
		onCard := make([]uint64, len(parts))
		for i, b := range parts {
			onCard[i] = b.Card()
		}
		for i, e := range network.Divide(m.Energy, onCard) {
			b := parts[i]
			transfers[i].Traffic = profile.Traffic{Sent: b.Sent, Received: b.Received,
				LoopSent: b.LoopSent, LoopReceived: b.LoopReceived, EnergyNJ: int64(e)}
		}
		p.Network.Transfers = append(p.Network.Transfers, transfers...)
	}
}

// threadOf returns the index of a thread in the profile, the last one that had the id. It adds a
// thread that is not there, such as a worker of io_uring.
func threadOf(p *profile.Profile, m *Moved) int {
	for i, t := range slices.Backward(p.Threads) {
		if int(t.TID) == m.TID && int(t.PID) == m.PID {
			return i
		}
	}
	p.Threads = append(p.Threads,
		profile.Thread{TID: int32(m.TID), PID: int32(m.PID), Comm: m.Comm,
			Phase: profile.PhaseOf(m.Comm)})
	return len(p.Threads) - 1
}
