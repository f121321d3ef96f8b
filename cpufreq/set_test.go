package cpufreq

import (
	"reflect"
	"testing"

	"github.com/ebb-energy/ebb/cpufreq/internal/fakekernel"
	"github.com/ebb-energy/ebb/units"
)

func TestSetSpeed(t *testing.T) {
	k := fakekernel.New(t, acpi(2))
	before := k.Controls()
	a := start(t, k, SetSpeed)
	if want := []units.Frequency{1 * ghz, 1500 * mhz, 2 * ghz, 2500 * mhz, 3 * ghz, 3500 * mhz,
		4 * ghz}; !reflect.DeepEqual(a.States(), want) {
		t.Errorf("states %v", a.States())
	}
	says(t, k, policy("1", governorFile), "userspace")
	says(t, k, policy("1", speedFile), "4000000") // the highest from the start
	k.Writes()

	o := set(t, a, 2100*mhz, Written, Written) // up to the next state
	if o[1].Asked != 2500*mhz || o[1].Found != 2500*mhz || o[1].Domain != 1 {
		t.Errorf("outcome %+v", o[1])
	}
	set(t, a, 2500*mhz, Unchanged, Unchanged)
	set(t, a, 9*ghz, Written, Written)
	want := []fakekernel.Write{
		{Path: policy("0", speedFile), Value: "2500000"},
		{Path: policy("1", speedFile), Value: "2500000"},
		{Path: policy("0", speedFile), Value: "4000000"},
		{Path: policy("1", speedFile), Value: "4000000"},
	}
	if got := k.Writes(); !reflect.DeepEqual(got, want) {
		t.Errorf("writes %v, want %v", got, want)
	}
	r, err := a.Close()
	if err != nil || !r.Complete {
		t.Errorf("close: %+v, %v", r, err)
	}
	same(t, k, before)
	if _, err := a.Close(); err != nil {
		t.Errorf("second close: %v", err)
	}
	if got := a.Set(1 * ghz); len(got) != 0 {
		t.Errorf("after close: %v", got)
	}
}

// One domain is set, and all others are set to another frequency.
func TestSetAlone(t *testing.T) {
	k := fakekernel.New(t, acpi(2))
	a := start(t, k, SetSpeed)
	k.Writes()
	if o := a.SetAlone(1, 3*ghz, 0); o[0].Asked != 1*ghz || o[1].Asked != 3*ghz {
		t.Errorf("outcomes %+v", o)
	}
	says(t, k, policy("0", speedFile), "1000000")
	says(t, k, policy("1", speedFile), "3000000")
	if _, err := a.Close(); err != nil {
		t.Error(err)
	}
}

// The limits never cross, in whatever order the frequencies come: OldLimits refuses it.
func TestLimitsNeverCross(t *testing.T) {
	spec := hwp(2)
	spec.OldLimits = true
	spec.Min, spec.Max = 1200000, 3600000
	k := fakekernel.New(t, spec)
	before := k.Controls()
	a := start(t, k, Clamp)
	if s := a.States(); s[0] != 1200*mhz || s[len(s)-1] != 3600*mhz {
		t.Errorf("states %v are not within the owner's limits", s)
	}
	for _, f := range []units.Frequency{1200, 3600, 2000, 2100, 1900, 3600, 1200} {
		set(t, a, f*mhz, Written, Written)
		o := a.Set(f * mhz)
		if o[0].Kind != Unchanged || o[0].Found != f*mhz {
			t.Errorf("at %d MHz: %+v", f, o[0])
		}
	}
	for _, w := range k.Writes() {
		if w.Err != 0 {
			t.Errorf("refused: %+v", w)
		}
	}
	if _, err := a.Close(); err != nil {
		t.Error(err)
	}
	same(t, k, before)
}

func TestLateLimits(t *testing.T) {
	spec := hwp(1)
	spec.Lag = 3
	k := fakekernel.New(t, spec)
	before := k.Controls()
	a := start(t, k, Clamp)
	set(t, a, 1*ghz, Pending)
	set(t, a, 1*ghz, Unchanged)
	if _, err := a.Close(); err != nil {
		t.Error(err)
	}
	same(t, k, before)
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	for _, c := range []struct {
		spec fakekernel.Spec
		name string
	}{{acpi(4), SetSpeed}, {hwp(4), Clamp}} {
		a, states := plainMachine(t, c.spec, c.name)
		i := 0
		n := testing.AllocsPerRun(100, func() {
			i++
			for _, o := range a.Set(states[i%len(states)]) {
				if o.Kind != Written {
					t.Fatalf("%s: %+v", c.name, o)
				}
			}
		})
		if n != 0 {
			t.Errorf("%s: %v allocations for each Set", c.name, n)
		}
	}
}

// TestSummaryOfUnlikeDomains: a domain at its own highest state, below what was asked for, has all
// that it can have. It is no trouble, and the clock is that of the others.
func TestSummaryOfUnlikeDomains(t *testing.T) {
	k := fakekernel.New(t, acpi(3))
	k.Write(policy("1", maxFile), "3000000")
	a := start(t, k, SetSpeed)
	for f, want := range map[units.Frequency]units.Frequency{1 * ghz: 1 * ghz, 3 * ghz: 3 * ghz,
		3500 * mhz: 3500 * mhz, 4 * ghz: 4 * ghz} {
		if got, trouble := Summary(a.Set(f)); got != want || trouble != "" {
			t.Errorf("at %v: %v, %q", f, got, trouble)
		}
	}
	for i, want := range []units.Frequency{4 * ghz, 2 * ghz} { // then it is capped itself
		if i == 1 {
			k.Cool(1, 2000000)
		}
		var got units.Frequency
		for range 3 {
			got, _ = Summary(a.Set(4 * ghz))
		}
		if got != want {
			t.Errorf("%d: %v, want %v", i, got, want)
		}
	}
}
