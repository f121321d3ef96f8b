package attribution

import (
	"slices"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/internal/instrumented"
	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
	"github.com/ebb-energy/ebb/units"
)

// retired has the number of instructions in a thread's slice.
type retired struct {
	from, to     units.Instant
	instructions uint64
}

// slice takes the counters of a thread's slice.
func (c *calls) slice(t epochs.TID, ev *epochs.Event) {
	if c == nil || c.cfg.Instructions < 0 {
		return
	}
	c.retired[t] = append(c.retired[t], retired{ev.From, ev.At, ev.Counters[c.cfg.Instructions]})
}

// instructions returns the number of a thread's instructions in a window.
func (c *calls) instructions(t epochs.TID, from, to units.Instant) (sum float64) {
	for _, s := range c.retired[t] {
		if d := min(s.to, to).Sub(max(s.from, from)); d > 0 {
			sum += float64(s.instructions) * float64(d) / float64(s.to.Sub(s.from))
		}
	}
	return sum
}

// forget drops the slices of windows that are booked.
func (c *calls) forget(to units.Instant) {
	for t, list := range c.retired {
		list = slices.DeleteFunc(list, func(s retired) bool { return s.to <= to })
		if c.retired[t] = list; len(list) == 0 {
			delete(c.retired, t)
		}
	}
}

// priced is a record with its part of its thread's energy. It waits, because the run shows ever
// more precisely what an instruction takes.
type priced struct {
	key    protocol.Address
	record energy.Invocation
	part   energy.InvocationPart
	calls  float64
}

// price gives a record its part of its thread's energy.
func (c *calls) price(r *instrumented.Record) {
	begin, end := units.Instant(r.Begin), units.Instant(r.End)
	image, ok := c.image(r.PID, begin)
	if !ok {
		c.unknown++
		return
	}
	cpu := time.Duration(min(r.CPU, r.End-r.Begin))
	instructions := -1.0
	if k := slices.Index(c.cfg.Counters, "instructions"); k >= 0 && r.Counted {
		instructions = float64(r.Counts[k])
	}
	thread := c.of.lives.at(epochs.TID(int32(r.TID)), begin)
	part, ok := c.line.Find(thread, begin, end, cpu, instructions)
	if !ok {
		c.unknown++
		return
	}
	key := protocol.Address{Image: image, Addr: r.Function}
	f := c.known[key]
	if f == nil && len(c.known) >= maxFunctions {
		c.surplus++
		return
	}
	if f == nil {
		f = &energy.Invocations{}
		c.known[key] = f
	}
	f.Recursive = f.Recursive || r.Recursive
	clock, _ := c.clocks.Mean(begin, end) // 0 where it is unknown
	c.priced = append(c.priced, priced{key: key, part: part,
		record: energy.Invocation{Wall: time.Duration(r.End - r.Begin), CPU: cpu,
			Switches: int64(r.Switches), Counted: r.Counted, Counts: r.Counts, Clock: clock},
		calls: float64(min(max(r.Stands, 1), 1<<40))})
	if len(c.priced) >= maxPriced {
		c.add()
	}
}

// add adds the priced records to their functions.
func (c *calls) add() {
	each := c.line.PerInstruction()
	for i := range c.priced {
		p := &c.priced[i]
		p.record.Energy = p.part.At(each)
		c.known[p.key].Add(&p.record, p.calls)
	}
	c.priced = c.priced[:0]
}
