package cpufreq

import (
	"errors"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/ebb-energy/ebb/cpufreq/internal/fakekernel"
	"github.com/ebb-energy/ebb/units"
)

func TestRefusal(t *testing.T) {
	for _, errno := range []syscall.Errno{syscall.EBUSY, syscall.EINVAL, syscall.EPERM,
		syscall.EIO} {
		k := fakekernel.New(t, acpi(3))
		before := k.Controls()
		a := start(t, k, SetSpeed)
		k.Break(policy("1", speedFile), fakekernel.Fault{Write: errno})
		o := set(t, a, 2*ghz, Written, Refused, Written) // the others go on
		if !errors.Is(o[1].Err, errno) || o[1].Found != 4*ghz || o[1].Effective() {
			t.Errorf("outcome %+v", o[1])
		}
		if low, trouble := Summary(o); low != 2*ghz ||
			!strings.Contains(trouble, "policy1 refused") {
			t.Errorf("summary %v %q", low, trouble)
		}
		k.Mend()
		set(t, a, 2*ghz, Unchanged, Written, Unchanged)
		if _, err := a.Close(); err != nil {
			t.Error(err)
		}
		same(t, k, before)
	}
}

func TestBackoff(t *testing.T) {
	k := fakekernel.New(t, acpi(2))
	a := start(t, k, SetSpeed)
	k.Break(policy("0", speedFile), fakekernel.Fault{Write: syscall.EBUSY})
	k.Writes()
	tries := 0
	for range 200 {
		if o := a.Set(1 * ghz); o[0].Kind == Refused {
			tries++
		} else if o[0].Kind != HeldBack || o[0].Err == nil {
			t.Fatalf("outcome %+v", o[0])
		}
	}
	// Tries at calls 1, 2, 4, 7, 12, 21, 38, and then every 33rd.
	if tries != 11 {
		t.Errorf("%d tries in 200 calls", tries)
	}
	set(t, a, 2*ghz, HeldBack, Written) // a lowering can wait
	k.Mend()
	if o := a.Set(4 * ghz); o[0].Kind == Refused {
		t.Errorf("outcome %+v", o[0])
	}
	set(t, a, 1*ghz, Written, Written) // one success ends it
	k.Break(policy("0", speedFile), fakekernel.Fault{Write: syscall.EBUSY})
	for range 50 {
		a.Set(2 * ghz)
	}
	k.Mend()
	set(t, a, 3*ghz, Written, Written) // another raise does not wait
}

func TestIgnoredWrite(t *testing.T) {
	k := fakekernel.New(t, acpi(1))
	a := start(t, k, SetSpeed)
	k.Break(policy("0", speedFile), fakekernel.Fault{Ignore: true})
	if o := set(t, a, 2*ghz, Capped); o[0].Found != 4*ghz {
		t.Errorf("outcome %+v", o[0])
	}

	k = fakekernel.New(t, hwp(1))
	a = start(t, k, Clamp)
	k.Break(policy("0", minFile), fakekernel.Fault{Ignore: true})
	k.Break(policy("0", maxFile), fakekernel.Fault{Ignore: true})
	set(t, a, 2*ghz, Pending) // it might be late
	if o := set(t, a, 2*ghz, Capped); o[0].Found != 4200*mhz || o[0].Effective() {
		t.Errorf("outcome %+v", o[0])
	}
	for range 10 {
		if o := a.Set(2 * ghz); o[0].Effective() {
			t.Errorf("outcome %+v", o[0])
		}
	}
}

func TestCap(t *testing.T) {
	for _, c := range []struct {
		spec fakekernel.Spec
		name string
	}{{acpi(1), SetSpeed}, {hwp(1), Clamp}} {
		k := fakekernel.New(t, c.spec)
		before := k.Controls()
		a := start(t, k, c.name)
		set(t, a, 3*ghz, Written)
		k.Cool(0, 2000000)
		a.Set(3 * ghz)
		a.Set(3 * ghz)
		if o := a.Set(3500 * mhz); o[0].Kind != Capped || o[0].Found != 2*ghz {
			t.Errorf("%s under a cap: %+v", c.name, o[0])
		}
		set(t, a, 1*ghz, Written) // below the cap it works
		a.Set(3500 * mhz)
		k.Cool(0, 0)
		if o := a.Set(4 * ghz); o[0].Kind != Written {
			t.Errorf("%s after the cap: %+v", c.name, o[0])
		}
		k.Cool(0, 1500000) // and is there again at the end
		if r, err := a.Close(); err != nil || !r.Complete {
			t.Errorf("%s: %+v, %v", c.name, r, err)
		}
		k.Cool(0, 0)
		same(t, k, before)
	}
}

// TestHotMachine: many domains are under a cap that lasts. Putting back waits for none of them
// longer than a late limit takes, or the last ones would stay low for seconds.
func TestHotMachine(t *testing.T) {
	const domains, readsEach = 16, 30
	k := fakekernel.New(t, hwp(domains))
	before := k.Controls()
	a := start(t, k, Clamp)
	a.Set(1 * ghz)
	for i := range domains {
		k.Cool(i, 1500000)
	}
	begun := k.Reads()
	if r, err := a.Close(); err != nil || !r.Complete {
		t.Errorf("%+v, %v", r, err)
	}
	if n := k.Reads() - begun; n > domains*readsEach {
		t.Errorf("%d reads for %d domains, want at most %d for each", n, domains, readsEach)
	}
	for i := range domains {
		k.Cool(i, 0)
	}
	same(t, k, before)
}

// TestWithdraw: everything is back before ebb is stopped. It reports that once, sets nothing any
// more, and leaves what others set meanwhile.
func TestWithdraw(t *testing.T) {
	for _, c := range []struct {
		spec fakekernel.Spec
		name string
	}{{acpi(2), SetSpeed}, {hwp(2), Clamp}} {
		k := fakekernel.New(t, c.spec)
		before := k.Controls()
		a := start(t, k, c.name)
		set(t, a, 2*ghz, Written, Written)
		stopped := errors.New("stopped")
		a.Withdraw(stopped)
		same(t, k, before)
		for i := range 3 {
			outcomes, news := a.Check()
			if news != (i == 0) || outcomes[1].Kind != Withdrawn || outcomes[1].Err != stopped {
				t.Errorf("%s, check %d: news %v, %+v", c.name, i, news, outcomes[1])
			}
		}
		set(t, a, 1*ghz, Withdrawn, Withdrawn)
		same(t, k, before)
		if err := k.Write(policy("1", "scaling_governor"), "performance"); err != 0 {
			t.Fatal(err)
		}
		before = k.Controls()
		if r, err := a.Close(); err != nil || !r.Complete {
			t.Errorf("%s: %+v, %v", c.name, r, err)
		}
		same(t, k, before)
	}
}

func TestVanishingPolicy(t *testing.T) {
	k := fakekernel.New(t, acpi(3))
	before := k.Controls()
	a := start(t, k, SetSpeed)
	k.Vanish(1)
	set(t, a, 2*ghz, Written, Away, Written)
	for range 10 {
		if o := a.Set(2 * ghz); o[1].Effective() {
			t.Fatalf("outcome %+v", o[1])
		}
	}
	r, err := a.Close()
	if err != nil || r.Count(Gone) != 3 {
		t.Errorf("%+v, %v", r, err)
	}
	for path := range before {
		if strings.Contains(path, "policy1/") {
			delete(before, path)
		}
	}
	same(t, k, before)
}

// A policy that lost its settings, as over a suspend, is set again within as many calls as there
// are domains.
func TestLostSettingsAreSetAgain(t *testing.T) {
	k := fakekernel.New(t, acpi(4))
	a := start(t, k, SetSpeed)
	set(t, a, 2*ghz, Written, Written, Written, Written)
	k.Write(policy("2", speedFile), "4000000")
	written := 0
	for range 4 {
		for _, o := range a.Set(2 * ghz) {
			if o.Kind == Written {
				written++
			}
		}
	}
	if written != 1 {
		t.Errorf("written %d times", written)
	}
	says(t, k, policy("2", speedFile), "2000000")
}

func TestAnothersLimit(t *testing.T) {
	for _, control := range []string{minFile, maxFile} {
		k := fakekernel.New(t, hwp(2))
		a := start(t, k, Clamp)
		set(t, a, 2*ghz, Written, Written)
		other := map[string]string{minFile: "1100000", maxFile: "3300000"}[control]
		k.Write(policy("1", control), other)
		o := set(t, a, 3*ghz, Written, Yielded)
		if o[1].Err == nil || !strings.Contains(o[1].Err.Error(), "another program") {
			t.Errorf("outcome %+v", o[1])
		}
		says(t, k, policy("1", control), other)
		k.Writes()
		set(t, a, 1*ghz, Written, Yielded)
		for _, w := range k.Writes() {
			if strings.Contains(w.Path, "policy1/") {
				t.Errorf("written after it was given up: %v", w)
			}
		}
		r, err := a.Close()
		if err != nil || !r.Complete || r.Count(Kept) != 1 {
			t.Errorf("%+v, %v", r, err)
		}
		says(t, k, policy("1", control), other)
		says(t, k, policy("1", map[string]string{minFile: maxFile, maxFile: minFile}[control]),
			map[string]string{minFile: "4200000", maxFile: "800000"}[control])
		says(t, k, policy("0", minFile), "800000")
	}
}

func TestAnothersGovernor(t *testing.T) {
	k := fakekernel.New(t, acpi(2))
	a := start(t, k, SetSpeed)
	k.Write(policy("1", governorFile), "performance")
	set(t, a, 2*ghz, Written, Yielded)
	set(t, a, 3*ghz, Written, Yielded)
	r, err := a.Close()
	if err != nil || r.Count(Kept) != 1 || !r.Complete {
		t.Errorf("%+v, %v", r, err)
	}
	says(t, k, policy("0", governorFile), "schedutil")
	says(t, k, policy("1", governorFile), "performance")
}

// A domain's CPUs go offline: the kernel answers EBUSY to everything, and the last value read no
// longer counts.
func TestOffline(t *testing.T) {
	for _, errno := range []syscall.Errno{syscall.EBUSY, syscall.ENODEV} {
		k := fakekernel.New(t, acpi(2))
		a := start(t, k, SetSpeed)
		set(t, a, 1*ghz, Written, Written)
		k.Break(policy("1", speedFile), fakekernel.Fault{Write: errno, Read: errno})
		var said []string
		for i := range 100 {
			o := a.Set(2*ghz + 500*mhz*units.Frequency(i%3))
			low, trouble := Summary(o)
			if o[1].Kind != Away || !errors.Is(o[1].Err, errno) || low != o[0].Found ||
				low < 2*ghz {
				t.Fatalf("%v: lowest %v, outcome %+v", errno, low, o[1])
			}
			if !slices.Contains(said, trouble) {
				said = append(said, trouble)
			}
		}
		if len(said) != 1 || !strings.Contains(said[0], "policy1 away") {
			t.Errorf("%v: said %q", errno, said)
		}
		k.Mend()
		set(t, a, 4*ghz, Written, Written)
	}
}
