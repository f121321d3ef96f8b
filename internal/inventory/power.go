package inventory

import (
	"runtime"

	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/internal/power/wattmeter"
)

// Power returns what the ladder of sources of power needs to know of this machine, besides its
// meters and models.
func Power() wattmeter.Facts {
	f := wattmeter.Facts{Guest: Guest(), Processor: Processor(), CPUs: CPUs(),
		NoMeter: "no energy meter (RAPL)", NoMachine: "none was named, and ACPI has none",
		NoBattery: "there is none"}
	for _, family := range Families() {
		f.Families = append(f.Families, family.Key)
	}
	return f
}

// CPUs returns the number of the machine's CPUs that are online, also those that ebb may not run
// on.
func CPUs() int {
	fs, err := sysfs.Open("/sys")
	if err != nil {
		return runtime.NumCPU()
	}
	defer fs.Close()
	machine, err := sysfs.ReadLayout(fs)
	if err != nil || len(machine.CPUs()) == 0 {
		return runtime.NumCPU()
	}
	return len(machine.CPUs())
}
