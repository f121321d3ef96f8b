package cpufreq

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/units"
)

// policyTree writes a policy with these attributes, given as "name=value".
func policyTree(id int, attributes ...string) string {
	var b strings.Builder
	dir := fmt.Sprintf("devices/system/cpu/cpufreq/policy%d/", id)
	all := append([]string{"scaling_governor=powersave", fmt.Sprintf("related_cpus=%d", id)},
		attributes...)
	for _, a := range all {
		name, value, _ := strings.Cut(a, "=")
		fmt.Fprintf(&b, "file 0644 %s%s\n\t%s\n", dir, name, value)
	}
	return b.String()
}

// span is a policy's limits and its hardware's, in MHz.
func span(lo, hi, least, most int) []string {
	return []string{fmt.Sprintf("scaling_min_freq=%d000", lo),
		fmt.Sprintf("scaling_max_freq=%d000", hi), fmt.Sprintf("cpuinfo_min_freq=%d000", least),
		fmt.Sprintf("cpuinfo_max_freq=%d000", most)}
}

// TestLimits: what is left to choose from, and which file leaves it.
func TestLimits(t *testing.T) {
	const dir = "devices/system/cpu/cpufreq/"
	online := "file 0444 devices/system/cpu/online\n\t0-3\n"
	percent := func(p int) string {
		return fmt.Sprintf("file 0644 %s\n\t%d\n", perfLimit, p)
	}
	table := func(list string) string { return "scaling_available_frequencies=" + list }
	for name, c := range map[string]struct {
		tree              string
		states            int
		highest, hardware units.Frequency
		file              string
		uneven            string
		at                units.Frequency
	}{
		"both limits at the lowest": {policyTree(0, span(400, 400, 400, 4463)...), 1, 400 * mhz,
			4463 * mhz, dir + "policy0/scaling_max_freq", "", 0},
		"both limits at the highest": {policyTree(0, span(4463, 4463, 400, 4463)...), 1, 4463 * mhz,
			4463 * mhz, dir + "policy0/scaling_min_freq", "", 0},
		"limits between two states": {policyTree(0, append(span(1850, 1950, 800, 3000),
			table("3000000 2000000 800000"))...), 1, 1950 * mhz, 3000 * mhz,
			dir + "policy0/scaling_max_freq", "", 0},
		"the firmware's": {policyTree(0, append(span(800, 800, 800, 3000), "bios_limit=800000")...),
			1, 800 * mhz, 3000 * mhz, dir + "policy0/bios_limit", "", 0},
		"a wide firmware's": {policyTree(0, append(span(800, 800, 800, 3000),
			"bios_limit=3000000")...), 1, 800 * mhz, 3000 * mhz,
			dir + "policy0/scaling_max_freq", "", 0},
		"intel_pstate's": {policyTree(0, span(800, 4000, 800, 4000)...) + percent(20), 1,
			800 * mhz, 4000 * mhz, perfLimit, "", 0},
		"intel_pstate's at half": {policyTree(0, span(800, 4000, 800, 4000)...) + percent(50), 13,
			2000 * mhz, 4000 * mhz, perfLimit, "", 0},
		"one above the policy's": {policyTree(0, span(800, 800, 800, 4000)...) + percent(50), 1,
			800 * mhz, 4000 * mhz, dir + "policy0/scaling_max_freq", "", 0},
		"of the fast cores alone": {policyTree(0, span(800, 800, 800, 4000)...) +
			policyTree(1, span(800, 2000, 800, 2000)...), 13, 2000 * mhz, 4000 * mhz,
			dir + "policy0/scaling_max_freq", "", 0},
		"of one package": {policyTree(0, span(800, 800, 800, 4000)...) +
			policyTree(1, span(800, 4000, 800, 4000)...), 33, 4000 * mhz, 4000 * mhz, "",
			dir + "policy0/scaling_max_freq", 800 * mhz},
		"of three packages, unequal": {policyTree(0, span(800, 4000, 800, 4000)...) +
			policyTree(1, span(800, 3000, 800, 4000)...) + policyTree(2, append(
			span(800, 1000, 800, 4000), "bios_limit=1000000")...), 33, 4000 * mhz, 4000 * mhz, "",
			dir + "policy2/bios_limit", 1000 * mhz},
		"of all, and more of one": {policyTree(0, span(800, 3000, 800, 4000)...) +
			policyTree(1, span(800, 2000, 800, 4000)...), 23, 3000 * mhz, 4000 * mhz,
			dir + "policy0/scaling_max_freq", dir + "policy1/scaling_max_freq", 2000 * mhz},
		"of the slow cores alone": {policyTree(0, span(800, 4000, 800, 4000)...) +
			policyTree(1, span(800, 1000, 800, 2000)...), 33, 4000 * mhz, 4000 * mhz, "",
			dir + "policy1/scaling_max_freq", 1000 * mhz},
		"slow cores": {policyTree(0, span(800, 4000, 800, 4000)...) +
			policyTree(1, span(800, 2000, 800, 2000)...), 33, 4000 * mhz, 4000 * mhz, "", "", 0},
		"none": {policyTree(0, span(800, 4000, 800, 4000)...), 33, 4000 * mhz, 4000 * mhz, "", "",
			0},
		"a driver with one state": {policyTree(0, append(span(2000, 2000, 2000, 2000),
			table("2000000"))...), 1, 2000 * mhz, 2000 * mhz, "", "", 0},
		"a policy that is offline": {policyTree(0, span(800, 2000, 800, 2000)...) +
			policyTree(4, append(span(800, 5000, 800, 5000), "affected_cpus=")...) +
			policyTree(5, span(800, 5000, 800, 5000)...) + online, 13, 2000 * mhz, 2000 * mhz, "",
			"", 0},
	} {
		h, err := Open(openTree(t, c.tree))
		if err != nil {
			t.Fatal(err)
		}
		l := h.Limits(nil)
		if l.States != c.states || l.Highest != c.highest || l.Hardware != c.hardware ||
			l.File != c.file || l.Turbo || l.Uneven != c.uneven || l.UnevenAt != c.at {
			t.Errorf("%s: %+v, want %d states to %v of %v by %q, and %v by %q", name, l, c.states,
				c.highest, c.hardware, c.file, c.at, c.uneven)
		}
		if l.Fixed() != (c.states == 1) || l.Narrow() != (c.highest < c.hardware) {
			t.Errorf("%s: fixed %v, narrow %v", name, l.Fixed(), l.Narrow())
		}
	}
}

// TestTurbo: which tables end in a state that stands for turbo.
func TestTurbo(t *testing.T) {
	for _, c := range []struct {
		table, most string // kHz
		boost       string // the machine's switch
		turbo       bool
	}{
		{"2401000 2400000 2300000 1200000", "2401000", "1", true},
		{"2401000 2400000 2300000 1200000", "2401000", "", true},
		{"2401000 2400000 2300000 1200000", "2401000", "0", false}, // it is switched off
		{"1101000 1100000 1000000 900000", "1101000", "1", true},
		{"2668000 2667000 2533000 1600000", "2668000", "1", true}, // no multiple of 100 MHz
		{"3401000 2400000 1600000", "3401000", "1", true},         // the nominal clock is missing
		{"3400000 2800000 2200000", "4400000", "1", true},         // it ends at the nominal clock
		{"3400000 2800000 2200000", "3400000", "1", false},
		{"3400000 2800000 2200000 acpi-cpufreq", "3400000", "1", true}, // it boosts from there
		{"3400000 2800000 2200000 acpi-cpufreq", "3400000", "0", false},
		{"3400000 2800000 2200000 acpi-cpufreq", "3400000", "", false},
		{"2400000 2300000 1200000", "2400000", "", false},
		{"1000000 1000000", "2000000", "", false}, // one state, which says nothing of another
		{"", "2401000", "1", false},               // no table
	} {
		tree := policyTree(0, "scaling_min_freq=900000", "scaling_max_freq="+c.most,
			"cpuinfo_min_freq=900000", "cpuinfo_max_freq="+c.most)
		table, acpi := strings.CutSuffix(c.table, " acpi-cpufreq")
		if acpi {
			tree += policyTree(0, "scaling_driver=acpi-cpufreq")[len(policyTree(0)):]
		}
		if c.table != "" {
			tree += policyTree(0, "scaling_available_frequencies="+table)[len(policyTree(0)):]
		}
		if c.boost != "" {
			tree += "file 0644 devices/system/cpu/cpufreq/boost\n\t" + c.boost + "\n"
		}
		h, err := Open(openTree(t, tree))
		if err != nil {
			t.Fatal(err)
		}
		if l := h.Limits(nil); l.Turbo != c.turbo {
			t.Errorf("%q up to %s, boost %q: %+v", c.table, c.most, c.boost, l)
		}
	}
}
