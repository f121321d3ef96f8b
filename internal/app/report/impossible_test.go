package report

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/saving"
	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/predictor/power"
	"github.com/ebb-energy/ebb/units"
)

// filledIn makes a value in which each list has an element and no pointer is nil.
func filledIn(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		filledIn(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		filledIn(v.Index(0))
	case reflect.Array:
		for i := range v.Len() {
			filledIn(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			filledIn(v.Field(i))
		}
	}
}

// leaves calls f for each number in a value, with the name of the field that has it.
func leaves(v reflect.Value, name string, f func(v reflect.Value, name string)) {
	switch v.Kind() {
	case reflect.Pointer:
		leaves(v.Elem(), name, f)
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			leaves(v.Index(i), name, f)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			tag, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			leaves(v.Field(i), tag, f)
		}
	case reflect.Int, reflect.Int32, reflect.Int64, reflect.Float64:
		f(v, name)
	}
}

// TestImpossible: wherever a report has an amount, one below zero is found, and wherever it has a
// fraction, one that is no number. Slack and unattributed energy can be below zero.
func TestImpossible(t *testing.T) {
	var r Report
	filledIn(reflect.ValueOf(&r).Elem())
	if err := r.Impossible(); err != nil {
		t.Fatal(err)
	}
	amounts, others := 0, 0
	leaves(reflect.ValueOf(&r).Elem(), "", func(v reflect.Value, name string) {
		isAmount := strings.HasSuffix(name, "_ns") || strings.HasSuffix(name, "_nj") ||
			strings.HasSuffix(name, "_hz") || strings.HasSuffix(name, "_bytes")
		switch name {
		case "slack_ns", "unattributed_nj", "lag_ns", "imposed_nj", "other_nj",
			"imposed_borne_nj", "imposed_caused_nj", "instruction_energy_nj", "at_ns", "from_ns",
			"start_ns":
			isAmount = false
		}
		try := func(set func(), wrong bool) {
			was := reflect.New(v.Type()).Elem()
			was.Set(v)
			set()
			err := r.Impossible()
			if wrong != errors.Is(err, ErrImpossible) ||
				wrong && !strings.Contains(err.Error(), name) {
				t.Errorf("%s, %v: %v", name, v, err)
			}
			v.Set(was)
		}
		if v.Kind() == reflect.Float64 {
			try(func() { v.SetFloat(math.NaN()) }, true)
			try(func() { v.SetFloat(math.Inf(1)) }, true)
			try(func() { v.SetFloat(-1) }, isAmount)
		} else {
			try(func() { v.SetInt(-1) }, isAmount)
		}
		if isAmount {
			amounts++
		} else {
			others++
		}
	})
	if amounts < 100 || others < 50 {
		t.Errorf("%d amounts, %d others: the walk found too little", amounts, others)
	}
	r = Report{WallNS: 1e9, Energy: []Energy{{Zone: "cpu", Source: Modelled, EnergyNJ: 41e12}}}
	if err := r.Impossible(); !errors.Is(err, ErrImpossible) {
		t.Errorf("41 kJ in a second: %v", err)
	}
	if r.Energy[0].Source = Measured; r.Impossible() != nil { // which is doubted aloud
		t.Error("a meter's figure is refused")
	}
}

// TestImpossibleIsNoReport: a file with such a figure is refused by whoever reads it.
func TestImpossibleIsNoReport(t *testing.T) {
	for _, text := range []string{`{"wall_ns":-1}`, `{"threads":[{"run_ns":-5}]}`,
		`{"attribution":{"stacks":[{"energy_nj":[3,-4]}]}}`, `{"quanta":[{"dur_ns":-1}]}`,
		`{"wall_ns":1,"energy":[{"zone":"cpu","source":"modelled","energy_nj":9000000000000000}]}`,
	} {
		if _, err := Decode([]byte(text)); !errors.Is(err, ErrImpossible) {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{`{"quanta":[{"slack_ns":-1}]}`,
		`{"tenants":{"measured_nj":5,"imposed_nj":7,"other_nj":-2,
		"list":[{"imposed_caused_nj":-1}]}}`,
	} {
		if _, err := Decode([]byte(text)); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestRandomReports: whatever quanta a governor decides and whatever a model of power says of them,
// no report has an impossible figure, and each can be written as JSON and read again.
func TestRandomReports(t *testing.T) {
	for seed := range uint64(devtest.Cases(500, 100)) {
		r := randomReport(rand.New(rand.NewPCG(seed, 31)))
		if err := r.Impossible(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if _, err := Decode(text); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

// randomReport is of a run with random quanta, which overlap nothing and have holes, hold-offs and
// clocks that nobody asked for.
func randomReport(rnd *rand.Rand) *Report {
	amount := func(most time.Duration) time.Duration {
		return time.Duration(rnd.Float64() * rnd.Float64() * float64(most))
	}
	r := &Report{Objective: "slowdown", SlowdownBudget: rnd.Float64() / 5, HoldOff: 1,
		Actuator: []string{"shadow", "setspeed"}[rnd.IntN(2)], QuantumNS: 5e6,
		HighestHz: int64(states[len(states)-1])}
	c := NewObserver(r, states, power.Table2())
	c.Reference = rnd.IntN(2) == 0
	at := units.Instant(rnd.Int64N(1e15))
	c.Observe(&governor.Event{Kind: governor.Begin, At: at}, nil)
	for range rnd.IntN(60) {
		at += units.Instant(amount(20 * time.Millisecond))
		if rnd.IntN(50) == 0 {
			c.Observe(&governor.Event{Kind: governor.Ending, At: at}, nil)
		}
		dur := amount(50 * time.Millisecond)
		busy := amount(dur)
		q := governor.Quantum{
			Measured: governor.Measured{Start: at, Dur: dur, Busy: busy,
				ThreadRun: amount(4 * busy), Waited: amount(dur - busy), Rows: rnd.IntN(9)},
			Clock: governor.Clock{Delivered: states[rnd.IntN(3)], Effective: states[rnd.IntN(3)]},
		}
		q.Max = rnd.Float64() * float64(dur)
		q.AtEffective = q.Max * (1 + rnd.Float64())
		q.Slack = amount(2*dur) - dur/2
		q.Chosen, q.ChosenDur, q.Expected = states[rnd.IntN(3)], q.AtEffective, 1+rnd.Float64()
		c.Observe(&governor.Event{Kind: governor.Sched, At: at},
			[]governor.Action{{Kind: governor.Decided, Quantum: q}})
		at += units.Instant(dur)
	}
	c.Observe(&governor.Event{Kind: governor.Overhead, At: at, Displaced: amount(time.Second),
		Traced: amount(time.Second)}, nil)
	c.Observe(&governor.Event{Kind: governor.End, At: at}, nil)
	if rnd.IntN(2) == 0 {
		odd := []float64{math.NaN(), math.Inf(1), -1e9, 0, rnd.Float64() * 1e12, 1e300}
		c.Account(saving.Estimate{Metered: rnd.IntN(2) == 0, Used: odd[rnd.IntN(len(odd))],
			Highest: odd[rnd.IntN(len(odd))]})
	}
	if rnd.IntN(2) == 0 {
		r.Meter(Energy{Zone: "package-0", Kind: "package", EnergyNJ: rnd.Int64N(1e15),
			ProfiledNS: int64(at)})
	}
	c.Finish()
	r.Judge()
	return r
}
