package doctor

import (
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// TestDoctorOnOddMeters: what a run takes from meters of parts, and from a counter whose range is
// unknown or no number.
func TestDoctorOnOddMeters(t *testing.T) {
	zone := func(name, span string) string {
		const dir = "class/powercap/intel-rapl:0/"
		return "file 0444 " + dir + "name\n\t" + name + "\nfile 0444 " + dir +
			"max_energy_range_uj\n\t" + span + "\nfile 0444 " + dir + "energy_uj\n\t1000000\n"
	}
	for name, c := range map[string]struct{ tree, meter, says, power string }{
		"the platform alone": {zone("psys", "262143328850"), Warning,
			"no power is taken from it, because no package", "no, no package has a meter"},
		"a range of 0": {zone("package-0", "0"), Warning,
			"RAPL: package-0 (powercap); package-0 stands still: the meter is not believed",
			"yes, package-0"},
		"a range of 64 bits": {zone("package-0", "18446744073709551615"), Warning, "package-0",
			"yes"},
		"a range of 2 J": {zone("package-0", "2000000"), Warning,
			"package-0 wraps after 2 J, so it is right only up to 200 W", "yes"},
		"a range of no number": {zone("package-0", "x"), Missing,
			"no energy meter (RAPL): read class/powercap/intel-rapl:0/max_energy_range_uj: ",
			"no energy meter"},
		"a counter of no number": {zone("package-0", "1000") +
			strings.NewReplacer("rapl:0", "rapl:1", "\t1000000\n", "\tx\n").Replace(
				zone("package-1", "1000")), Warning,
			"not read: package-1, read class/powercap/intel-rapl:1/energy_uj: malformed",
			"yes, package-0"},
		"none": {"", Missing, "no energy meter (RAPL); shares are of CPU time", "no energy meter"},
	} {
		by := diagnose(t, Doctor{Sysfs: devtest.Tree(t, c.tree), Proc: t.TempDir(),
			RunDir: t.TempDir()})
		m, p := by["energy meter"], by["power"]
		if m.State != c.meter || !strings.Contains(m.Detail, c.says) ||
			strings.Contains(m.Detail, "\n") {
			t.Errorf("%s: %+v", name, m)
		}
		if !strings.Contains(p.Detail, c.power) {
			t.Errorf("%s: %+v", name, p)
		}
	}
}
