package importrules

// powerRules are of the model of power and of its training.
var powerRules = []Rule{
	{
		Package: "train/programs",
		Why:     "a program that loads the machine does not know who watches",
	}, {
		Package: "train/hardware", May: []string{"units", "activity", "cpufreq", "hpc",
			"hpc/perfevent", "internal/inventory", "internal/sysfs", "rivals", "topology"},
		Why: "counters are opened, and clocks set and put back, by the packages that do it for a " +
			"governed run",
	}, {
		Package: "train", May: []string{"units", "activity", "activity/jvm", "activity/jvm/onoff",
			"internal/inventory",
			"internal/monotonic", "internal/printable", "internal/procstat", "internal/reap",
			"internal/sysfs", "powermodel", "rapl", "train/programs", "wattmeter",
			"wattmeter/log", "wattmeter/sensors"},
		Extern: []string{"github.com/BurntSushi/toml", "golang.org/x/sys/unix"},
		Why: "measuring for a model needs meters and what the kernel counts; a governed run is " +
			"not its concern",
	}, {
		Package: "powermodel/page", Single: true,
		May: []string{"internal/chart", "internal/page", "internal/printable", "powermodel"},
		Why: "a page shows what a model and a table give, and reads nothing itself",
	}, {
		Package: "powermodel", May: []string{"internal/tolerance"}, Pure: true,
		Why: "a model of power is learned from a table alone, whoever measured it",
	},
}
