package replay

import (
	"encoding/binary"
	"fmt"
	"math"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/arbiter"
	"github.com/ebb-energy/ebb/predictor/sensitivity"
	"github.com/ebb-energy/ebb/units"
)

// decoder is the inverse of encoder. The first malformed field sets err, and all later ones read as
// zero.
type decoder struct {
	b        []byte
	last     units.Instant
	counters int
	many     bool // the recording has several tenants; see encoder
	err      error
}

// whose reads what encoder.whose wrote: a tenant and, if has is set, a domain.
func (d *decoder) whose(has bool) (t arbiter.Tenant, domain arbiter.Domain) {
	if !d.many {
		return 0, 0
	}
	t = arbiter.Tenant(d.short())
	if has {
		domain = arbiter.Domain(d.short())
	}
	return t, domain
}

// short reads a number of 16 bits.
func (d *decoder) short() uint16 {
	v := d.unsigned()
	if v > math.MaxUint16 {
		d.fail("number beyond 16 bits")
	}
	return uint16(v)
}

func (d *decoder) fail(what string) {
	if d.err == nil {
		d.err = fmt.Errorf("%s: %w", what, ErrFormat)
	}
	d.b = nil
}

func (d *decoder) octet() byte {
	if len(d.b) == 0 {
		d.fail("payload ends early")
		return 0
	}
	v := d.b[0]
	d.b = d.b[1:]
	return v
}

func (d *decoder) signed() int64 {
	v, n := binary.Varint(d.b)
	if n <= 0 {
		d.fail("bad number")
		return 0
	}
	d.b = d.b[n:]
	return v
}

func (d *decoder) unsigned() uint64 {
	v, n := binary.Uvarint(d.b)
	if n <= 0 {
		d.fail("bad number")
		return 0
	}
	d.b = d.b[n:]
	return v
}

func (d *decoder) text() string {
	n := d.unsigned()
	if n > uint64(len(d.b)) {
		d.fail("bad text length")
		return ""
	}
	s := string(d.b[:n])
	d.b = d.b[n:]
	return s
}

func (d *decoder) instant() units.Instant {
	d.last += units.Instant(d.signed())
	return d.last
}

func (d *decoder) event() governor.Event {
	kind := d.octet()
	cores := kind == byte(governor.Metered)|withCores
	if cores {
		kind &^= withCores
	}
	advance := kind == byte(governor.Sampled)|withAdvance
	if advance {
		kind &^= withAdvance
	}
	ev := governor.Event{Kind: governor.EventKind(kind)}
	if ev.Kind != governor.Sched {
		ev.Tenant, ev.Domain = d.whose(ev.Kind == governor.Applied)
	}
	switch ev.Kind {
	case governor.Sched:
		ev.Sched = d.sched()
	case governor.Begin, governor.Applied, governor.End, governor.Ending:
		ev.At = d.instant()
		ev.Frequency = units.Frequency(d.signed())
		ev.Refusal = d.text()
	case governor.Metered:
		ev.At = d.instant()
		ev.Package, ev.DRAM = units.Energy(d.signed()), units.Energy(d.signed())
		if cores {
			ev.Cores = units.Energy(d.signed())
		}
	case governor.Traffic:
		ev.At = d.instant()
		ev.Reads, ev.Writes = d.unsigned(), d.unsigned()
	case governor.Overhead:
		ev.At = d.instant()
		ev.Displaced, ev.Traced = time.Duration(d.signed()), time.Duration(d.signed())
	case governor.Sampled:
		ev.At = d.instant()
		ev.Thread = epochs.TID(d.signed())
		ev.Function = sensitivity.FunctionNumber(d.signed())
		for i := 0; advance && i < len(ev.Advance); i++ {
			ev.Advance[i] = int16(d.signed())
		}
	default:
		d.fail("unknown event kind")
	}
	return ev
}

func (d *decoder) sched() epochs.Event {
	ev := epochs.Event{Kind: epochs.Kind(d.octet()), Thread: epochs.NoThread, By: epochs.NoThread}
	tenant, _ := d.whose(false)
	ev.Tenant, ev.At = uint16(tenant), d.instant()
	switch ev.Kind {
	case epochs.On:
		ev.Cause = epochs.Cause(d.octet())
		d.thread(&ev)
		ev.WokenAt = ev.At - units.Instant(d.signed())
	case epochs.Off, epochs.Slice:
		ev.Cause = epochs.Cause(d.octet())
		d.thread(&ev)
		ev.From = ev.At - units.Instant(d.signed())
		for i := range ev.Counters[:d.counters] {
			ev.Counters[i] = d.unsigned()
		}
	case epochs.Lost:
		ev.Count = d.unsigned()
		if since := d.signed(); since >= 0 {
			ev.From = ev.At - units.Instant(since)
		}
	case epochs.Tick:
	case epochs.Phase:
		ev.Cause = epochs.Cause(d.octet())
		d.thread(&ev)
	case epochs.Fork, epochs.Exec, epochs.Exit:
		d.thread(&ev)
	default:
		d.fail("unknown scheduler event")
	}
	return ev
}

func (d *decoder) thread(ev *epochs.Event) {
	ev.Thread = epochs.TID(d.signed())
	ev.By = epochs.TID(d.signed())
	ev.CPU = int16(d.signed())
}
