package methods

import (
	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/internal/stacks"
	"github.com/ebb-energy/ebb/predictor/sensitivity"
)

// advances measures how far threads' registers advance between samples. The program may have put
// any number there, so nothing but the logarithms of differences leaves this type.
type advances struct {
	threads map[epochs.TID]*lastSample
	newest  uint64 // number of samples so far
	swept   uint64 // value of newest when old threads were last forgotten
}

// lastSample is the newest sample of a thread.
type lastSample struct {
	function  sensitivity.FunctionNumber
	registers stacks.Registers
	at        uint64 // value of newest at this sample
}

// Bounds of the known threads.
const (
	maxAdvancing = 1 << 14
	oldSample    = 1 << 14 // samples ago; a thread so old is forgotten where there is no room
	sweepEvery   = 1 << 10 // samples; a sweep goes through all known threads
)

// since returns the advance of a thread's registers since its last sample, if that was in the same
// function.
func (a *advances) since(
	id epochs.TID, fn sensitivity.FunctionNumber, registers *stacks.Registers,
) (x sensitivity.Advance) {
	a.newest++
	last := a.threads[id]
	switch {
	case last == nil && fn == sensitivity.UnknownFunction:
		return x
	case last == nil:
		if last = a.room(id); last == nil {
			return x
		}
	case last.function == fn && fn != sensitivity.UnknownFunction:
		for i := range x {
			x[i] = sensitivity.Advanced(last.registers[i], registers[i])
		}
	}
	*last = lastSample{function: fn, registers: *registers, at: a.newest}
	return x
}

// room returns a new place for a thread; nil if there is none.
func (a *advances) room(id epochs.TID) *lastSample {
	if a.threads == nil {
		a.threads = map[epochs.TID]*lastSample{}
	}
	if len(a.threads) >= maxAdvancing {
		if a.newest-a.swept < sweepEvery {
			return nil
		}
		a.swept = a.newest
		for t, x := range a.threads {
			if a.newest-x.at > oldSample {
				delete(a.threads, t)
			}
		}
		if len(a.threads) >= maxAdvancing {
			return nil
		}
	}
	x := &lastSample{}
	a.threads[id] = x
	return x
}
