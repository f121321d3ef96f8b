package report

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"time"

	"github.com/ebb-energy/ebb/internal/power/wattmeter"
)

// ErrImpossible: a report has a figure that no run can have. In a report that ebb itself made, that
// is a fault of ebb's.
var ErrImpossible = errors.New("no run can have such a figure")

// signed are the fields that can be below zero: the slack that a quantum overdrew; a rule's
// attribution beyond a meter's figure; the lag of a meter whose clock is ahead; the energy that a
// clock imposed, by a model, and the rest that a meter then leaves; what an instruction adds to the
// energy of its time; and moments, which are no amounts.
var signed = map[string]bool{"slack_ns": true, "unattributed_nj": true, "lag_ns": true,
	"imposed_nj": true, "other_nj": true, "imposed_borne_nj": true, "imposed_caused_nj": true,
	"instruction_energy_nj": true, "at_ns": true, "from_ns": true, "start_ns": true}

// grace is added to a run's time before its energy is compared with what machines draw. Models go
// by windows, which may begin before a short run.
const grace = time.Second

// Impossible returns an error that names the first figure which cannot be: one that is no number,
// an amount of time, energy, bytes or cycles below zero, or a model's energy beyond what any
// machine draws in the report's time. Amounts are the fields whose names end in a unit. A meter's
// energy may be any amount: see Energy.Doubt.
func (r *Report) Impossible() error {
	if err := impossible(reflect.ValueOf(r).Elem(), ""); err != nil {
		return err
	}
	most := wattmeter.MostPlatform.For(time.Duration(r.WallNS) + grace)
	for i := range r.Energy {
		z := &r.Energy[i]
		if z.Source != Measured && max(z.EnergyNJ, z.MaxFreqNJ) > int64(most) {
			return fmt.Errorf("%w: %s has more than %v in %v", ErrImpossible, z.Zone, most,
				time.Duration(r.WallNS))
		}
	}
	return nil
}

// impossible checks a value and all in it; name is that of the field which has it.
func impossible(v reflect.Value, name string) error {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return impossible(v.Elem(), name)
		}
	case reflect.Slice, reflect.Array:
		if !amount(name) && !composed(v.Type().Elem()) {
			return nil
		}
		for i := range v.Len() {
			if err := impossible(v.Index(i), name); err != nil {
				return err
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			tag, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			if err := impossible(v.Field(i), tag); err != nil {
				return err
			}
		}
	case reflect.Float64:
		f := v.Float()
		if math.IsNaN(f) || math.IsInf(f, 0) || f < 0 && amount(name) {
			return fmt.Errorf("%w: %s is %v", ErrImpossible, name, f)
		}
	case reflect.Int, reflect.Int32, reflect.Int64:
		if v.Int() < 0 && amount(name) {
			return fmt.Errorf("%w: %s is %d", ErrImpossible, name, v.Int())
		}
	}
	return nil
}

// amount reports whether a field of that name is an amount, which is never below zero.
func amount(name string) bool {
	for _, unit := range []string{"_ns", "_nj", "_hz", "_bytes"} {
		if strings.HasSuffix(name, unit) {
			return !signed[name]
		}
	}
	return false
}

// composed reports whether a list of that type can have figures beside the list's own.
func composed(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Struct, reflect.Pointer, reflect.Slice, reflect.Float64:
		return true
	}
	return false
}
