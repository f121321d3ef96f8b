package importrules

// hardwareRules are the rules of the packages that read a machine's meters and counters, find its
// CPUs, cgroups and rivals, and set its clocks.
var hardwareRules = []Rule{
	{
		Package: "units", Pure: true,
		Why: "everything stands on the quantities, so they stand on nothing",
	}, {
		Package: "hpc", Extern: []string{"github.com/BurntSushi/toml"}, Pure: true,
		Why: "the list of counters does not depend on their opening or use",
	}, {
		Package: "hpc/perfevent",
		May:     []string{"hpc", "internal/linux/sysfs"},
		Extern:  []string{"golang.org/x/sys/unix"},
		Why: "opening counters is one thing, tracing and predicting others; programs and energy " +
			"are not its concern",
	}, {
		Package: "internal/power/activity",
		May: []string{"internal/linux/monotonic", "internal/linux/proc", "internal/linux/tracing",
			"units"},
		Extern: []string{"github.com/cilium/ebpf", "golang.org/x/sys/unix"},
		Why: "what a machine's kernel counts does not depend on the model that makes power " +
			"of it",
	}, {
		Package: "internal/power/activity/jvm",
		May: []string{"epochs/usdt", "internal/linux/monotonic", "internal/linux/proc",
			"internal/linux/tracing", "internal/safefile", "internal/sandbox", "units"},
		Extern: []string{"github.com/cilium/ebpf", "golang.org/x/sys/unix"},
		Why: "counting at probes does not depend on who found them, and on what the counts " +
			"are for",
	}, {
		Package: "internal/calls",
		May:     []string{"internal/instrumented", "internal/linux/tracing"},
		Extern:  []string{"github.com/cilium/ebpf", "golang.org/x/sys/unix"},
		Why: "counting at a function's entry does not depend on who found it; it is root: it " +
			"hands memory to a program and reads nothing that is written there",
	}, {
		Package: "internal/power/wattmeter", May: []string{"units"}, Pure: true,
		Why: "which source of power is worth more, and what its readings are worth, do not " +
			"depend on who asks or on who took the readings",
	}, {
		Package: "internal/power/wattmeter/log", May: []string{"internal/power/wattmeter"},
		Pure: true,
		Why:  "the log of a stranger's meter is a function of its bytes",
	}, {
		Package: "cpufreq",
		May: []string{"internal/linux/proc", "internal/linux/sysfs", "internal/render/printable",
			"units"},
		Why: "an actuator sets the frequency that it gets and does not know why; others that set " +
			"it are found by their processes",
	}, {
		Package: "cpufreq/settle",
		May: []string{"cpufreq", "hpc", "hpc/perfevent", "internal/linux/monotonic",
			"internal/linux/proc", "internal/linux/sysfs", "internal/render/printable", "units"},
		Extern: []string{"golang.org/x/sys/unix"},
		Why: "the settle time is measured with an actuator and a counter, before anything is " +
			"governed",
	}, {
		Package: "cpufreq/guardian",
		May: []string{"cpufreq", "internal/linux/monotonic", "internal/linux/proc",
			"internal/linux/shelter", "units"},
		Extern: []string{"golang.org/x/sys/unix"},
		Why: "the restorer of the frequencies must not depend on code that can fail while they " +
			"are chosen",
	}, {
		Package: "cpufreq/internal/fakekernel",
		May:     []string{"internal/devtest", "internal/linux/sysfs"},
		Why:     "a model of the kernel's side must not share cpufreq's idea of it",
	}, {
		Package: "internal/linux/cgroup",
		Extern:  []string{"github.com/cilium/ebpf/btf", "golang.org/x/sys/unix"},
		Why:     "membership of a cgroup does not depend on ebb's use of it",
	}, {
		Package: "internal/linux/shelter", May: []string{"internal/linux/cgroup"},
		Extern: []string{"golang.org/x/sys/unix"},
		Why: "who can write ebb's cgroup is read from the same mounts; how a program leaves the " +
			"shelter does not depend on what it is, or on who follows it",
	}, {
		Package: "rapl",
		May:     []string{"internal/linux/sysfs", "units"},
		Extern:  []string{"golang.org/x/sys/unix"},
		Why:     "a meter counts energy and does not know what it went to",
	}, {
		Package: "rapl/cpuenergy",
		May:     []string{"internal/linux/proc", "internal/linux/sysfs", "rapl", "units"},
		Extern:  []string{"golang.org/x/sys/unix"},
		Why:     "other programs import it, so it brings a meter and nothing of a governed run",
	}, {
		Package: "internal/network",
		May:     []string{"internal/linux/tracing", "units"},
		Extern:  []string{"github.com/cilium/ebpf", "golang.org/x/sys/unix"},
		Why: "bytes are counted by thread, and a card's energy is arithmetic on them; no other " +
			"meter is its concern",
	},
}
