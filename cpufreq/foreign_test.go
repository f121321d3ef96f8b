package cpufreq

import (
	"slices"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/cpufreq/internal/fakekernel"
)

// checkAll calls Check until it has covered every domain, and returns the number of calls with
// news.
func checkAll(a Actuator) (news int) {
	for range checkParts {
		if _, n := a.Check(); n {
			news++
		}
	}
	return news
}

// Nothing is written, and nothing reported, while all is as it was set.
func TestCheckWritesNothingWhileUndisturbed(t *testing.T) {
	for _, c := range []struct {
		spec fakekernel.Spec
		name string
	}{{acpi(3), SetSpeed}, {hwp(3), Clamp}, {acpi(20), SetSpeed}} {
		k := fakekernel.New(t, c.spec)
		a := start(t, k, c.name)
		checkAll(a)
		a.Set(2 * ghz)
		k.Writes()
		if n := checkAll(a); n != 0 || len(k.Writes()) != 0 || len(a.Foreign()) != 0 {
			t.Errorf("%s: news %d times, foreign %v", c.name, n, a.Foreign())
		}
		if o, _ := a.Check(); len(o) != c.spec.Policies || o[0].Found != 2*ghz {
			t.Errorf("%s: outcomes %+v", c.name, o)
		}
	}
}

// A speed that another program sets is set again, and counted; one that keeps on doing so gets the
// domain.
func TestADomainIsYieldedAfterManyFights(t *testing.T) {
	k := fakekernel.New(t, acpi(3))
	before := k.Controls()
	a := start(t, k, SetSpeed)
	a.Set(2 * ghz)
	for round := 1; round <= maxFights; round++ {
		k.Write(policy("1", speedFile), "1500000")
		if n := checkAll(a); n != 1 {
			t.Fatalf("round %d: news %d times", round, n)
		}
		says(t, k, policy("1", speedFile), "2000000")
		want := []Foreign{{Domain: 1, Control: speedFile, Times: round, Value: "1500000"}}
		if got := a.Foreign(); !slices.Equal(got, want) {
			t.Fatalf("round %d: %+v, want %+v", round, got, want)
		}
	}
	k.Write(policy("1", speedFile), "1500000")
	if n := checkAll(a); n != 1 { // reported once, and not by every check
		t.Errorf("giving up: news %d times", n)
	}
	if n := checkAll(a); n != 0 {
		t.Errorf("afterwards: news %d times", n)
	}
	if f := a.Foreign(); len(f) != 1 || !f[0].Yielded || f[0].Times != maxFights+1 ||
		!strings.Contains(f[0].String(), "left to it") {
		t.Errorf("%+v", f)
	}
	k.Writes()
	o := set(t, a, 3*ghz, Written, Yielded, Written)
	if low, trouble := Summary(o); low != 1500*mhz ||
		!strings.Contains(trouble, "another program set the speed of policy1 6 times") {
		t.Errorf("summary %v, %q", low, trouble)
	}
	for _, w := range k.Writes() {
		if strings.Contains(w.Path, "policy1/") {
			t.Errorf("written after it was given up: %v", w)
		}
	}
	if r, err := a.Close(); err != nil || !r.Complete {
		t.Errorf("%+v, %v", r, err)
	}
	same(t, k, before) // with schedutil back there is no speed that could be kept
}

// TestSpeedOfAMachineFoundInUserspace: where a speed was in effect before, it is guarded as
// elsewhere, and is put back.
func TestSpeedOfAMachineFoundInUserspace(t *testing.T) {
	spec := acpi(2)
	spec.Governor, spec.Speed = userspace, 3000000
	k := fakekernel.New(t, spec)
	before := k.Controls()
	a := start(t, k, SetSpeed)
	a.Set(2 * ghz)
	k.Write(policy("1", speedFile), "1500000") // lost, as over a suspend
	checkAll(a)
	says(t, k, policy("1", speedFile), "2000000")
	if f := a.Foreign(); len(f) != 1 || f[0].Times != 1 || f[0].Yielded {
		t.Errorf("lost once: %+v", f)
	}
	k.Write(policy("1", speedFile), "1500000")
	set(t, a, 3*ghz, Written, Written) // a request finds it too
	k.Write(policy("0", maxFile), "2500000")
	checkAll(a)
	if f := a.Foreign(); len(f) != 1 || f[0].Yielded {
		t.Errorf("bent by another's limit: %+v", f)
	}
	k.Write(policy("0", maxFile), "4000000")
	if r, err := a.Close(); err != nil || !r.Complete || r.Count(Kept) != 0 {
		t.Errorf("%+v, %v", r, err)
	}
	same(t, k, before)

	a = start(t, k, SetSpeed)
	a.Set(2 * ghz)
	for range maxFights + 1 {
		k.Write(policy("1", speedFile), "1500000")
		checkAll(a)
	}
	if f := a.Foreign(); len(f) != 1 || !f[0].Yielded {
		t.Errorf("fought: %+v", f)
	}
	// It is theirs, whatever they set.
	k.Write(policy("1", speedFile), "2000000")
	if _, err := a.Close(); err != nil {
		t.Error(err)
	}
	says(t, k, policy("0", speedFile), "3000000")
	says(t, k, policy("1", speedFile), "2000000")
}

// A row of changes ends by peace.
func TestPeaceEndsAFight(t *testing.T) {
	k := fakekernel.New(t, acpi(1))
	a := start(t, k, SetSpeed)
	a.Set(2 * ghz)
	for range 3 * maxFights {
		k.Write(policy("0", speedFile), "1000000")
		checkAll(a)
		f := &a.(*session).targets[0].fight
		f.last = f.last.Add(-2 * peace)
	}
	if f := a.Foreign(); len(f) != 1 || f[0].Times != 3*maxFights || f[0].Yielded {
		t.Errorf("%+v", f)
	}
}

// A cap, and limits that others set, are no change of the speed by others.
func TestBentSpeedIsNoFight(t *testing.T) {
	k := fakekernel.New(t, acpi(1))
	a := start(t, k, SetSpeed)
	a.Set(3 * ghz)
	k.Cool(0, 2000000)
	checkAll(a)
	k.Cool(0, 0)
	a.Set(4 * ghz)
	k.Write(policy("0", maxFile), "2500000")
	checkAll(a)
	if f := a.Foreign(); len(f) != 0 {
		t.Errorf("%+v", f)
	}
}

// Changes of limits and governors are found without a request, and the domain is given up at once.
func TestChangedWithoutARequest(t *testing.T) {
	for _, c := range []struct {
		spec           fakekernel.Spec
		name           string
		control, value string
	}{
		{hwp(3), Clamp, maxFile, "3300000"},
		{hwp(3), Clamp, minFile, "1100000"},
		{acpi(3), SetSpeed, governorFile, "performance"},
	} {
		k := fakekernel.New(t, c.spec)
		a := start(t, k, c.name)
		a.Set(2 * ghz)
		a.Set(2 * ghz)
		k.Write(policy("2", c.control), c.value)
		if n := checkAll(a); n != 1 {
			t.Errorf("%s: news %d times", c.control, n)
		}
		want := []Foreign{{Domain: 2, Control: c.control, Times: 1, Value: c.value, Yielded: true}}
		if got := a.Foreign(); !slices.Equal(got, want) {
			t.Errorf("%s: %+v, want %+v", c.control, got, want)
		}
		if r, err := a.Close(); err != nil || r.Count(Kept) != 1 {
			t.Errorf("%s: %+v, %v", c.control, r, err)
		}
		says(t, k, policy("2", c.control), c.value)
	}
}
