package replay

import (
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/policy"
	"github.com/ebb-energy/ebb/predictor/sensitivity"
	"github.com/ebb-energy/ebb/units"
)

// randomEvent makes an event with just the fields its kind has.
func randomEvent(r *rand.Rand, counters int) governor.Event {
	at := units.Instant(r.Int64N(1 << 50))
	kinds := []governor.EventKind{governor.Begin, governor.Applied, governor.End, governor.Sched,
		governor.Metered, governor.Traffic, governor.Overhead,
		governor.Sampled}
	switch k := kinds[r.IntN(len(kinds))]; k {
	case governor.Sched:
		return governor.Event{Kind: k, Sched: randomSched(r, at, counters)}
	case governor.Metered:
		ev := governor.Event{Kind: k, At: at, Package: units.Energy(r.Int64()),
			DRAM: units.Energy(r.Int64N(1e9))}
		if r.IntN(2) == 0 {
			ev.Cores = units.Energy(r.Int64())
		}
		return ev
	case governor.Traffic:
		return governor.Event{Kind: k, At: at, Reads: r.Uint64(), Writes: r.Uint64N(1e9)}
	case governor.Overhead:
		return governor.Event{Kind: k, At: at, Displaced: time.Duration(r.Int64()),
			Traced: time.Duration(r.Int64N(1e9))}
	case governor.Sampled:
		ev := governor.Event{Kind: k, At: at, Thread: epochs.TID(r.Int32N(1 << 22)),
			Function: sensitivity.FunctionNumber(r.Int32N(1<<12) - 1)}
		if r.IntN(2) == 0 {
			for i := range ev.Advance {
				ev.Advance[i] = sensitivity.Advanced(r.Uint64(), r.Uint64())
			}
		}
		return ev
	default:
		return governor.Event{Kind: k, At: at, Frequency: units.Frequency(r.Int64N(5e9)),
			Refusal: []string{"", "policy0: busy"}[r.IntN(2)]}
	}
}

func randomSched(r *rand.Rand, at units.Instant, counters int) epochs.Event {
	ev := epochs.Event{Kind: epochs.Kind(1 + r.IntN(int(epochs.Phase))), At: at,
		Thread: epochs.NoThread, By: epochs.NoThread}
	switch ev.Kind {
	case epochs.Tick:
		return ev
	case epochs.Lost:
		ev.Count = r.Uint64()
		if r.IntN(2) == 0 {
			ev.From = at - units.Instant(r.Int64N(1e9))
		}
		return ev
	}
	ev.Thread, ev.By = epochs.TID(r.Int32N(1<<22)), epochs.TID(r.Int32N(1<<22)-1)
	ev.CPU = int16(r.IntN(512))
	switch ev.Kind {
	case epochs.On:
		ev.Cause, ev.WokenAt = epochs.Woken, at-units.Instant(r.Int64N(1e6))
	case epochs.Phase:
		ev.Cause = epochs.CollectionBegins + epochs.Cause(r.IntN(2))
	case epochs.Off, epochs.Slice:
		ev.Cause, ev.From = epochs.Preempted, at-units.Instant(r.Int64N(1e6))
		for i := range counters {
			ev.Counters[i] = r.Uint64()
		}
	}
	return ev
}

func TestEventsSurviveEncoding(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	for counters := range epochs.MaxCounters + 1 {
		enc, want := encoder{counters: counters}, []governor.Event(nil)
		for range 2000 {
			ev := randomEvent(r, counters)
			want = append(want, ev)
			enc.event(&ev)
		}
		dec := decoder{b: enc.b, counters: counters}
		for i := range want {
			if got := dec.event(); got != want[i] {
				t.Fatalf("%d counters, event %d: decoded %+v, want %+v", counters, i, got, want[i])
			}
		}
		if dec.err != nil || len(dec.b) != 0 {
			t.Fatalf("%d counters: %v, %d bytes left", counters, dec.err, len(dec.b))
		}
	}
}

// TestEveryFieldOfADecisionIsRecorded fails when a field is added to Quantum and forgotten in the
// codec.
func TestEveryFieldOfADecisionIsRecorded(t *testing.T) {
	var a governor.Action
	a.Kind = governor.Decided
	fill(t, reflect.ValueOf(&a.Quantum).Elem(), new(int))
	for _, a := range []governor.Action{a,
		{Kind: governor.SetFrequency, Frequency: 2_400_000_000}} {
		var enc encoder
		enc.action(&a)
		dec := decoder{b: enc.b}
		if got := dec.action(); got != a || dec.err != nil || len(dec.b) != 0 {
			t.Errorf("decoded %+v (%v, %d bytes left), want %+v", got, dec.err, len(dec.b), a)
		}
	}
}

// fill gives every field of v, and of the structs in it, a value of its own.
func fill(t *testing.T, v reflect.Value, n *int) {
	for i := range v.NumField() {
		*n++
		switch f := v.Field(i); f.Kind() {
		case reflect.Struct:
			fill(t, f, n)
		case reflect.Int, reflect.Int64:
			f.SetInt(int64(1000 + *n))
		case reflect.Uint64:
			f.SetUint(uint64(1000 + *n))
		case reflect.Float64:
			f.SetFloat(1.0 / float64(*n+3))
		case reflect.Bool:
			f.SetBool(true)
		case reflect.String:
			f.SetString("why")
		default:
			t.Fatalf("field %s has a kind this test does not know", v.Type().Field(i).Name)
		}
	}
}

func FuzzDecode(f *testing.F) {
	var enc encoder
	enc.counters = 2
	r := rand.New(rand.NewPCG(2, 0))
	for range 20 {
		ev := randomEvent(r, 2)
		enc.event(&ev)
	}
	f.Add(enc.b, true)
	var act encoder
	act.action(&governor.Action{Kind: governor.Decided,
		Quantum: governor.Quantum{Measured: governor.Measured{Dur: time.Millisecond},
			Choice: governor.Choice{Reason: policy.Reason("x")}}})
	f.Add(act.b, false)
	f.Fuzz(func(t *testing.T, b []byte, events bool) {
		dec := decoder{b: b, counters: 2}
		for len(dec.b) > 0 && dec.err == nil {
			before := len(dec.b)
			if events {
				dec.event()
			} else {
				dec.action()
			}
			if dec.err == nil && len(dec.b) >= before {
				t.Fatal("the decoder took nothing and reported nothing")
			}
		}
	})
}
