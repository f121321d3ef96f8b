package cpufreq

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/ebb-energy/ebb/cpufreq/internal/fakekernel"
	"github.com/ebb-energy/ebb/units"
)

// tries is the number of calls within which a domain is tried again, with some to spare.
const tries = 4 * maxHold

// comesBack asks for one frequency after another, as a run does, until all domains have them.
func comesBack(t *testing.T, a Actuator) {
	t.Helper()
	for i := range tries {
		ok := true
		f := units.Frequency(1+i%2) * ghz
		for _, o := range a.Set(f) {
			ok = ok && o.Found == f && (o.Kind == Written || o.Kind == Unchanged)
		}
		if ok {
			return
		}
	}
	t.Fatalf("after %d calls: %+v", tries, a.Set(1*ghz))
}

// TestPolicyMadeAnew: a domain whose policy is removed and made again is set again, whether ebb was
// setting it or not meanwhile, and put back at the end as any other. No other program changed it.
func TestPolicyMadeAnew(t *testing.T) {
	for name, spec := range map[string]fakekernel.Spec{SetSpeed: acpi(2), Clamp: hwp(2)} {
		for _, gone := range []struct {
			name  string
			calls int // while it is away
		}{{"at once", 0}, {"after a while", 3 * maxHold}} {
			t.Run(name+" "+gone.name, func(t *testing.T) {
				k := fakekernel.New(t, spec)
				before := k.Controls()
				a := start(t, k, name)
				set(t, a, 2*ghz, Written, Written)
				for range 3 { // as often as it may be
					if gone.calls > 0 {
						k.Vanish(1)
					}
					for range gone.calls {
						a.Set(2 * ghz)
					}
					k.Renew(1)
					comesBack(t, a)
				}
				file := speedFile
				if name == Clamp {
					file = maxFile
				}
				a.Set(3 * ghz)
				says(t, k, policy("1", file), "3000000")
				if f := a.Foreign(); len(f) != 0 {
					t.Errorf("changes by others: %v", f)
				}
				if r, err := a.Close(); err != nil || !r.Complete {
					t.Errorf("close: %+v, %v", r, err)
				}
				same(t, k, before)
			})
		}
	}
}

// TestPolicyComesBackAsALink: a path that has become a link leads nowhere.
func TestPolicyComesBackAsALink(t *testing.T) {
	k := fakekernel.New(t, hwp(2))
	a := start(t, k, Clamp)
	set(t, a, 2*ghz, Written, Written)
	dir := filepath.Join(k.Dir, filepath.Dir(policy("1", maxFile)))
	k.Renew(1)
	if err := os.Rename(dir, dir+"-elsewhere"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Base(dir)+"-elsewhere", dir); err != nil {
		t.Fatal(err)
	}
	for range tries {
		o := a.Set(1 * ghz)
		if o[1].Kind != Away {
			t.Fatalf("%+v", o[1])
		}
	}
	if text, err := os.ReadFile(dir + "-elsewhere/" + maxFile); err != nil ||
		string(text) != "4200000\n" {
		t.Errorf("%q, %v", text, err)
	}
}

// TestPolicyBackAndChanged: what another program sets after a policy has come back is its own.
func TestPolicyBackAndChanged(t *testing.T) {
	k := fakekernel.New(t, hwp(2))
	a := start(t, k, Clamp)
	set(t, a, 2*ghz, Written, Written)
	k.Renew(1)
	comesBack(t, a)
	if err := k.Write(policy("1", maxFile), "3100000"); err != 0 {
		t.Fatal(err)
	}
	for range tries {
		if o := a.Set(2 * ghz); o[1].Kind == Yielded {
			return
		}
	}
	t.Error("it was not left to the other program")
}
