package cpufreq

import (
	"testing"

	"github.com/ebb-energy/ebb/cpufreq/internal/fakekernel"
	"github.com/ebb-energy/ebb/units"
)

// troubles are what can be wrong with every control of a machine at once.
var troubles = map[string]struct {
	begin func(*fakekernel.Kernel, string)
	found units.Frequency // what the domains are left at
}{
	"every write refused": {func(k *fakekernel.Kernel,
		path string) {
		k.Break(path, fakekernel.Fault{Write: 16})
	}, 4 * ghz},
	"every write ignored": {func(k *fakekernel.Kernel,
		path string) {
		k.Break(path, fakekernel.Fault{Ignore: true})
	}, 4 * ghz},
	"every read fails": {func(k *fakekernel.Kernel,
		path string) {
		k.Break(path, fakekernel.Fault{Read: 5})
	}, 0},
}

// With all controls broken in the middle of a run, the run goes on, reports it, and restores what
// it can.
func TestBrokenControlsDoNotEndTheRun(t *testing.T) {
	for _, m := range []struct {
		spec  fakekernel.Spec
		name  string
		files []string
	}{{acpi(4), SetSpeed, []string{speedFile}}, {hwp(4), Clamp, []string{minFile, maxFile}}} {
		for what, trouble := range troubles {
			spec := m.spec
			if m.name == Clamp {
				spec.Max = 4000000
			}
			k := fakekernel.New(t, spec)
			before := k.Controls()
			a := start(t, k, m.name)
			for id := range 4 {
				for _, file := range m.files {
					trouble.begin(k, policy(string(rune('0'+id)), file))
				}
			}
			explained := false
			for i := range 100 {
				o := a.Set(units.Frequency(1+i%4) * ghz)
				_, why := Summary(o)
				explained = explained || why != ""
				a.Check()
				for j := range o {
					if trouble.found != 0 && i > 4 && o[j].Kind != Unchanged &&
						o[j].Found != trouble.found {
						t.Fatalf("%s, %s: %+v", m.name, what, o[j])
					}
				}
			}
			if !explained {
				t.Errorf("%s, %s: no outcome reports it", m.name, what)
			}
			k.Mend()
			a.Set(4 * ghz) // a raise does not wait
			if r, err := a.Close(); err != nil || !r.Complete {
				t.Errorf("%s, %s: %+v, %v", m.name, what, r, err)
			}
			same(t, k, before)
		}
	}
}

// All policies vanish while it runs, as when the driver is unloaded.
func TestVanishedPoliciesDoNotEndTheRun(t *testing.T) {
	k := fakekernel.New(t, hwp(3))
	a := start(t, k, Clamp)
	for id := range 3 {
		k.Vanish(id)
	}
	for range 20 {
		for _, o := range a.Set(1 * ghz) {
			if o.Effective() {
				t.Fatalf("%+v", o)
			}
		}
		a.Check()
	}
	if r, err := a.Close(); err != nil || r.Count(Gone) != 9 {
		t.Errorf("%+v, %v", r, err)
	}
}
