package replay

import (
	"encoding/binary"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/arbiter"
	"github.com/ebb-energy/ebb/predictor/sensitivity"
	"github.com/ebb-energy/ebb/units"
)

// encoder appends events to a payload. An event's kind fixes its fields, so the encoder and the
// decoder walk them in the same order and no tags are stored.
type encoder struct {
	b        []byte
	last     units.Instant // instant written last; the next one is a difference to it
	counters int
	many     bool // the recording has several tenants: their numbers follow the kinds
}

// whose appends a tenant and, where it has one, a domain.
func (e *encoder) whose(tenant arbiter.Tenant, domain arbiter.Domain, has bool) {
	if !e.many {
		return
	}
	e.unsigned(uint64(tenant))
	if has {
		e.unsigned(uint64(domain))
	}
}

func (e *encoder) instant(t units.Instant) {
	e.b = binary.AppendVarint(e.b, int64(t-e.last))
	e.last = t
}
func (e *encoder) signed(v int64)    { e.b = binary.AppendVarint(e.b, v) }
func (e *encoder) unsigned(v uint64) { e.b = binary.AppendUvarint(e.b, v) }
func (e *encoder) text(s string) {
	e.unsigned(uint64(len(s)))
	e.b = append(e.b, s...)
}

// withCores is a flag in the octet of a Metered event's kind: the cores' energy follows. Without it
// the cores have no meter.
const withCores = 0x80

// withAdvance is a flag in the octet of a Sampled event's kind: the advance of the registers
// follows.
const withAdvance = 0x80

func (e *encoder) event(ev *governor.Event) {
	kind := byte(ev.Kind)
	if ev.Cores != 0 {
		kind |= withCores
	}
	if ev.Advance != (sensitivity.Advance{}) {
		kind |= withAdvance
	}
	e.b = append(e.b, kind)
	if ev.Kind != governor.Sched {
		e.whose(ev.Tenant, ev.Domain, ev.Kind == governor.Applied)
	}
	switch ev.Kind {
	case governor.Sched:
		e.sched(&ev.Sched)
	case governor.Metered:
		e.instant(ev.At)
		e.signed(int64(ev.Package))
		e.signed(int64(ev.DRAM))
		if ev.Cores != 0 {
			e.signed(int64(ev.Cores))
		}
	case governor.Traffic:
		e.instant(ev.At)
		e.unsigned(ev.Reads)
		e.unsigned(ev.Writes)
	case governor.Overhead:
		e.instant(ev.At)
		e.signed(int64(ev.Displaced))
		e.signed(int64(ev.Traced))
	case governor.Sampled:
		e.instant(ev.At)
		e.signed(int64(ev.Thread))
		e.signed(int64(ev.Function))
		if kind&withAdvance != 0 {
			for _, x := range ev.Advance {
				e.signed(int64(x))
			}
		}
	default:
		e.instant(ev.At)
		e.signed(int64(ev.Frequency))
		e.text(ev.Refusal)
	}
}

func (e *encoder) sched(ev *epochs.Event) {
	e.b = append(e.b, byte(ev.Kind))
	e.whose(arbiter.Tenant(ev.Tenant), 0, false)
	e.instant(ev.At)
	switch ev.Kind {
	case epochs.On:
		e.b = append(e.b, byte(ev.Cause))
		e.thread(ev)
		e.signed(int64(ev.At - ev.WokenAt))
	case epochs.Off, epochs.Slice:
		e.b = append(e.b, byte(ev.Cause))
		e.thread(ev)
		e.signed(int64(ev.At - ev.From))
		for _, c := range ev.Counters[:e.counters] {
			e.unsigned(c)
		}
	case epochs.Lost:
		e.unsigned(ev.Count)
		e.signed(distance(ev.At, ev.From))
	case epochs.Tick:
	case epochs.Phase:
		e.b = append(e.b, byte(ev.Cause))
		e.thread(ev)
	default:
		e.thread(ev)
	}
}

// distance returns the time from then to at, in ns. If then is 0, which means unknown, it returns
// -1.
func distance(at, then units.Instant) int64 {
	if then == 0 {
		return -1
	}
	return int64(at - then)
}

func (e *encoder) thread(ev *epochs.Event) {
	e.signed(int64(ev.Thread))
	e.signed(int64(ev.By))
	e.signed(int64(ev.CPU))
}
