package replay

import (
	"encoding/binary"
	"math"
	"time"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/policy"
	"github.com/ebb-energy/ebb/units"
)

// action appends an action. Floats are stored as their bits, since a replay must match to the last
// one.
func (e *encoder) action(a *governor.Action) {
	e.b = append(e.b, byte(a.Kind))
	e.whose(a.Tenant, a.Domain, ofDomain(a.Kind))
	switch a.Kind {
	case governor.SetFrequency:
		e.signed(int64(a.Frequency))
	case governor.Insist:
		e.signed(int64(a.Frequency))
		e.signed(int64(a.By))
	case governor.Unheeded, governor.Heeded, governor.Limited:
		e.signed(int64(a.Frequency))
		e.signed(int64(a.Reported))
	case governor.Rest:
		e.silence(&a.Rest)
	default:
		e.quantum(&a.Quantum)
	}
}

// ofDomain reports whether actions of a kind have a domain.
func ofDomain(k governor.ActionKind) bool {
	return k == governor.SetFrequency || k == governor.Insist
}

// The flags of a quantum, in one octet. Values of the last four follow only if they are set.
const (
	flagStale = 1 << iota
	flagHole
	flagMemory
	flagHighest
	flagWaited
	flagOwn
)

// quantum appends a decision. The order of the fields is the format's, not that of the stages.
func (e *encoder) quantum(q *governor.Quantum) {
	for _, v := range []int64{int64(q.Start), int64(q.Dur), int64(q.Delivered), int64(q.Effective),
		int64(q.Epochs), int64(q.Rows), int64(q.Busy), int64(q.ThreadRun), int64(q.Chosen),
		int64(q.Slack), int64(q.Rules)} {
		e.signed(v)
	}
	e.unsigned(q.Instructions)
	e.unsigned(q.Lost)
	e.floats(q.Max, q.AtEffective, q.Expected, q.ChosenDur)
	e.b = append(e.b, flag(q.Stale, flagStale)|flag(q.Hole, flagHole)|
		flag(q.MemoryCounted, flagMemory)|flag(q.AtHighest != 0, flagHighest)|
		flag(q.Waited != 0, flagWaited)|flag(q.Own != 0, flagOwn))
	e.text(string(q.Reason))
	e.unsigned(q.DRAMReads)
	e.floats(q.Error, q.Alpha, q.Bias, q.Doubt)
	e.b = append(e.b, flag(q.Compared, 1))
	if q.MemoryCounted {
		e.unsigned(q.MemoryReads)
		e.unsigned(q.MemoryWrites)
	}
	if q.AtHighest != 0 {
		e.floats(q.AtHighest)
	}
	if q.Waited != 0 {
		e.signed(int64(q.Waited))
	}
	if q.Own != 0 {
		e.signed(int64(q.Own))
	}
}

func (e *encoder) floats(vs ...float64) {
	for _, v := range vs {
		e.b = binary.LittleEndian.AppendUint64(e.b, math.Float64bits(v))
	}
}

// flag returns the bit if set, else 0.
func flag(set bool, bit byte) byte {
	if set {
		return bit
	}
	return 0
}

func (d *decoder) action() governor.Action {
	a := governor.Action{Kind: governor.ActionKind(d.octet())}
	a.Tenant, a.Domain = d.whose(ofDomain(a.Kind))
	switch a.Kind {
	case governor.SetFrequency:
		a.Frequency = units.Frequency(d.signed())
	case governor.Insist:
		a.Frequency, a.By = units.Frequency(d.signed()), units.Frequency(d.signed())
	case governor.Unheeded, governor.Heeded, governor.Limited:
		a.Frequency, a.Reported = units.Frequency(d.signed()), units.Frequency(d.signed())
	case governor.Rest:
		a.Rest = d.silence()
	case governor.Decided:
		d.quantum(&a.Quantum)
	default:
		d.fail("unknown action kind")
	}
	return a
}

func (d *decoder) quantum(q *governor.Quantum) {
	q.Start, q.Dur = units.Instant(d.signed()), time.Duration(d.signed())
	q.Delivered, q.Effective = units.Frequency(d.signed()), units.Frequency(d.signed())
	q.Epochs, q.Rows = int(d.signed()), int(d.signed())
	q.Busy, q.ThreadRun = time.Duration(d.signed()), time.Duration(d.signed())
	q.Chosen = units.Frequency(d.signed())
	q.Slack, q.Rules = time.Duration(d.signed()), int(d.signed())
	q.Instructions, q.Lost = d.unsigned(), d.unsigned()
	q.Max, q.AtEffective, q.Expected, q.ChosenDur = d.float(), d.float(), d.float(), d.float()
	f := d.octet()
	q.Stale, q.Hole, q.MemoryCounted = f&flagStale != 0, f&flagHole != 0, f&flagMemory != 0
	q.Reason = policy.Reason(d.text())
	q.DRAMReads = d.unsigned()
	q.Error, q.Alpha, q.Bias, q.Doubt = d.float(), d.float(), d.float(), d.float()
	q.Compared = d.octet() != 0
	if q.MemoryCounted {
		q.MemoryReads, q.MemoryWrites = d.unsigned(), d.unsigned()
	}
	if f&flagHighest != 0 {
		q.AtHighest = d.float()
	}
	if f&flagWaited != 0 {
		q.Waited = time.Duration(d.signed())
	}
	if f&flagOwn != 0 {
		q.Own = time.Duration(d.signed())
	}
}

func (d *decoder) float() float64 {
	if len(d.b) < 8 {
		d.fail("payload ends early")
		return 0
	}
	v := math.Float64frombits(binary.LittleEndian.Uint64(d.b))
	d.b = d.b[8:]
	return v
}
