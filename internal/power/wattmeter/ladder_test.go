package wattmeter

import (
	"strings"
	"testing"
)

func TestLadder(t *testing.T) {
	xeon := Facts{Processor: "Intel(R) Xeon(R) Platinum 8480+",
		Families: []string{"sapphirerapids"}, CPUs: 10, NoMeter: "no energy meter"}
	with := func(change func(f *Facts)) Facts {
		f := xeon
		change(&f)
		return f
	}
	for want, f := range map[string]Facts{
		Meter:      with(func(f *Facts) { f.Zones, f.Model = []string{"package-0"}, "m" }),
		Hypervisor: with(func(f *Facts) { f.Zones, f.Guest = []string{"package-0"}, true }),
		Machine:    with(func(f *Facts) { f.Machine, f.Battery = "power_meter", "BAT0" }),
		battery:    with(func(f *Facts) { f.Battery, f.Model = "BAT0", "m" }),
		Trained:    with(func(f *Facts) { f.Model, f.Guest = "m", true }),
		Spec:       with(func(f *Facts) { f.TDP = 65 }),
		TDP: with(func(f *Facts) {
			f.Families, f.TDP = []string{"zen2"}, 65 // a client of a family with servers
			f.Processor = "AMD Ryzen 9 3900X"
		}),
		None: {},
	} {
		rungs := Rungs(&f)
		got := Taken(rungs)
		if got != want {
			t.Errorf("%+v: %s, want %s", f, got, want)
		}
		if s := Sentence(rungs, got); got != None && !strings.Contains(s, "by "+got) {
			t.Errorf("%s: %q", want, s)
		}
	}
	both := with(func(f *Facts) { f.Zones, f.Machine = []string{"package-0"}, "power_meter" })
	for named, want := range map[bool]string{false: Meter, true: Machine} {
		both.MachineNamed = named
		if got := Taken(Rungs(&both)); got != want {
			t.Errorf("named %v: %s", named, got)
		}
	}
	shared := with(func(f *Facts) { f.Zones, f.Shared = []string{"package-0"}, true })
	if got := Taken(Rungs(&shared)); got != Hypervisor {
		t.Errorf("a tree that the host shares: %s", got)
	}
}

// TestEnds checks that from the spec table down there are ends, and no point.
func TestEnds(t *testing.T) {
	f := Facts{Processor: "AMD EPYC 7702", Families: []string{"zen2"}, CPUs: 100, TDP: 200,
		Model: "m"}
	rungs := Rungs(&f)
	for _, r := range rungs {
		ends := r.Name == Spec || r.Name == TDP
		if ends != (r.HighW > r.LowW) {
			t.Errorf("%+v", r)
		}
	}
	if r := Find(rungs, Spec); r.LowW != 47 || r.HighW != 169 {
		t.Errorf("%+v", r)
	}
	if got := Taken(rungs, Trained); got != Spec {
		t.Errorf("without the model: %s", got)
	}
	if s := Sentence(rungs, Spec); strings.Contains(s, "no meter") || !strings.Contains(s, "2026") {
		t.Error(s) // ebb doctor says what is missing
	}
}
