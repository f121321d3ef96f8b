package hpc

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestEveryEventOfTheTableCanBeOpened: every event has a config and belongs to one counter with a
// name.
func TestEveryEventOfTheTableCanBeOpened(t *testing.T) {
	keys := map[string]bool{}
	for _, f := range Families() {
		if keys[f.Key] {
			t.Errorf("family %s is there twice", f.Key)
		}
		keys[f.Key] = true
		if f.Title == "" {
			t.Errorf("family %s has no title", f.Key)
		}
		seen := map[uint64]string{}
		for name, e := range f.Events {
			if e.Config == 0 || e.What == "" || e.PMU != f.PMU || e.Name != name {
				t.Errorf("%s: %+v", f.Key, e)
			}
			if other, ok := seen[e.Config]; ok {
				t.Errorf("%s: %s and %s are the same event", f.Key, name, other)
			}
			seen[e.Config] = name
		}
	}
	if len(keys) != 37 {
		t.Errorf("%d families, want 37", len(keys))
	}
}

// TestAProcessorHasOneFamily: a processor belongs to one family, whose PMU the kernel names cpu, or
// to the kinds of core of a hybrid one, whose PMUs differ.
func TestAProcessorHasOneFamily(t *testing.T) {
	for family := 1; family < 32; family++ {
		for model := range 256 {
			for stepping := range 16 {
				found := Identify(CPU{Family: family, Model: model, Stepping: stepping})
				pmus := map[PMU]bool{}
				for _, f := range found {
					pmus[f.PMU] = true
				}
				if len(pmus) < len(found) || pmus["cpu"] != (len(found) == 1) {
					t.Fatalf("family %d model %#x stepping %d is %s", family, model, stepping,
						Titles(found))
				}
			}
		}
	}
}

func cpuinfo(t *testing.T, name string) CPU {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "cpuinfo", name))
	if err != nil {
		t.Fatal(err)
	}
	return ParseCPU(string(b))
}

func TestIdentify(t *testing.T) {
	for name, want := range map[string]struct {
		cpu      CPU
		families string
		best     string
	}{
		"cascadelake": {CPU{Family: 6, Model: 0x55, Stepping: 7}, "cascadelakex",
			"cycles instructions stall_lo_cycles occ_hi_cycles store_full_cycles store_rfo_cycles"},
		"skylake-sp": {CPU{Family: 6, Model: 0x55, Stepping: 4}, "skylakex",
			"cycles instructions stall_lo_cycles occ_hi_cycles store_full_cycles store_rfo_cycles"},
		"alderlake": {CPU{Family: 6, Model: 0x97, Stepping: 2}, "alderlake_p alderlake_e",
			"cycles instructions stall_lo_cycles store_full_cycles"},
		"arrowlake-h": {CPU{Family: 6, Model: 0xc5}, "arrowlake_p arrowlake_e arrowlake_lp",
			"cycles instructions stall_lo_cycles store_full_cycles"},
		"alderlake-n": {CPU{Family: 6, Model: 0xbe}, "alderlake_n",
			"cycles instructions stall_lo_cycles store_full_cycles fetch_cycles"},
		"zen4": {CPU{Family: 25, Model: 0x11, Stepping: 1}, "zen4",
			"cycles instructions stall_lo_cycles store_full_cycles empty_cycles"},
		"zen5": {CPU{Family: 26, Model: 0x44}, "zen5",
			"cycles instructions stall_lo_cycles occ_hi_cycles store_full_cycles empty_cycles"},
		"neoverse-n1": {CPU{Implementer: 0x41, Part: 0xd0c}, "neoverse-n1", "cycles instructions"},
		"neoverse-v2": {CPU{Implementer: 0x41, Part: 0xd4f}, "neoverse-v2",
			"cycles instructions stall_lo_cycles"},
		"unknown": {CPU{Family: 6, Model: 0x2a, Stepping: 7}, "", "cycles instructions"},
		"empty":   {CPU{}, "", "cycles instructions"},
	} {
		cpu := cpuinfo(t, name)
		if cpu != want.cpu {
			t.Errorf("%s: %+v, want %+v", name, cpu, want.cpu)
		}
		families := Identify(cpu)
		var keys []string
		for _, f := range families {
			keys = append(keys, f.Key)
		}
		if got := strings.Join(keys, " "); got != want.families {
			t.Errorf("%s: families %q, want %q", name, got, want.families)
		}
		sets := Sets(families)
		if got := strings.Join(sets[0].Counters, " "); got != want.best {
			t.Errorf("%s: best set %q, want %q", name, got, want.best)
		}
		last := sets[len(sets)-1]
		if !slices.Equal(last.Counters, []string{"cycles", "instructions"}) {
			t.Errorf("%s: last resort %v", name, last.Counters)
		}
	}
}

// TestHybrid: each kind of core has its own events, in the same order, and the generic ones name
// their PMU.
func TestHybrid(t *testing.T) {
	s := Sets(Identify(CPU{Family: 6, Model: 0x97}))[0]
	if len(s.By) != 2 || s.By[0].PMU != "cpu_core" || s.By[1].PMU != "cpu_atom" {
		t.Fatalf("%+v", s)
	}
	for _, by := range s.By {
		for i, e := range by.Events {
			if e.Name != s.Counters[i] {
				t.Errorf("%s: event %d is %s, want %s", by.PMU, i, e.Name, s.Counters[i])
			}
			if e.PMU == Hardware && e.Of != by.PMU || e.PMU != Hardware && e.PMU != by.PMU {
				t.Errorf("%s: %+v", by.PMU, e)
			}
		}
	}
}

func TestNamed(t *testing.T) {
	zen := Identify(CPU{Family: 25, Model: 0x11})
	s, err := Named([]string{"stall_lo_cycles", "cycles"}, zen)
	if err != nil || s.By[0].Events[0].Config != 0xa2d6 || s.By[0].Events[1].PMU != Hardware {
		t.Errorf("%+v, %v", s, err)
	}
	for names, want := range map[string]string{
		"occ_hi_cycles": "no counter", "cycles,cycles": "twice", "nonsense": "stall_lo_cycles",
	} {
		if _, err := Named(strings.Split(names, ","), zen); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", names, err, want)
		}
	}
	if _, err := Named([]string{"stall_lo_cycles"}, nil); err == nil {
		t.Error("a counter of a processor that is not in the table")
	}
}

func TestBadTables(t *testing.T) {
	for _, text := range []string{
		"[[family]]\nkey = \"a\"\n",
		"[[family]]\nkey = \"a\"\ncpus = [\"6-1\"]\npmu = \"cpu\"\n" +
			"stall_hi_cycles = { event = \"x\", config = 1 }\n",
		"[[family]]\nkey = \"a\"\ncpus = [\"6-\"]\npmu = \"cpu\"\n",
		"[[family]]\nkey = \"a\"\ncpus = [\"6-4..3\"]\npmu = \"cpu\"\n",
		"[[family]]\nkey = \"a\"\ncpus = [\"0-1\"]\npmu = \"cpu\"\n",
		"[[family]]\nkey = \"a\"\ncpus = [\"41:xyz\"]\npmu = \"cpu\"\n",
		"[[family]",
	} {
		if f, err := parseFamilies(text); err == nil {
			t.Errorf("%q: %+v", text, f)
		}
	}
}

func FuzzParseCPU(f *testing.F) {
	f.Add(
		"vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\nstepping\t: 7\n\n" +
			"processor : 1\nmodel : 1\n",
	)
	f.Add("CPU implementer\t: 0x41\nCPU part\t: 0xd0c\n")
	f.Fuzz(func(t *testing.T, s string) {
		c := ParseCPU(s)
		if min(c.Family, c.Model, c.Stepping, c.Implementer, c.Part) < 0 {
			t.Errorf("%+v", c)
		}
		Sets(Identify(c))
	})
}
