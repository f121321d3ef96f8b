package importrules

// powerRules are the rules of the model of power and of its training.
var powerRules = []Rule{
	{
		Package: "internal/power/train",
		May: []string{"cpufreq", "hpc", "hpc/perfevent", "internal/inventory",
			"internal/linux/monotonic", "internal/linux/proc", "internal/linux/shelter",
			"internal/linux/sysfs", "internal/power/activity", "internal/power/activity/jvm",
			"internal/power/powermodel", "internal/power/wattmeter", "internal/power/wattmeter/log",
			"internal/render/printable", "rapl", "units"},
		Extern: []string{"github.com/BurntSushi/toml", "golang.org/x/sys/unix"},
		Why: "measuring for a model needs meters and what the kernel counts; a governed run is " +
			"not its concern",
	}, {
		Package: "internal/power/powermodel",
		May:     []string{"internal/tolerance"},
		Pure:    true,
		Why:     "a model of power is learned from a table alone, whoever measured it",
	},
}
