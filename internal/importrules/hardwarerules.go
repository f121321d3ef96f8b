package importrules

// hardwareRules are of the packages that read a machine's meters and counters, find its CPUs,
// cgroups and rivals, and set its clocks.
var hardwareRules = []Rule{
	{
		Package: "units", Pure: true,
		Why: "everything stands on the quantities, so they stand on nothing",
	}, {
		Package: "topology", May: []string{"internal/sysfs"},
		Why: "the list of CPUs does not depend on ebb's use of them",
	}, {
		Package: "hpc", Extern: []string{"github.com/BurntSushi/toml"}, Pure: true,
		Why: "the list of counters does not depend on their opening or use",
	}, {
		Package: "hpc/perfevent", May: []string{"topology", "hpc"},
		Extern: []string{"golang.org/x/sys/unix"},
		Why:    "opening counters is one thing, tracing and predicting others",
	}, {
		Package: "activity", May: []string{"units", "internal/attach", "internal/cputime",
			"internal/monotonic"},
		Extern: []string{"github.com/cilium/ebpf", "golang.org/x/sys/unix"},
		Why: "what a machine's kernel counts does not depend on the model that makes power " +
			"of it",
	}, {
		Package: "activity/jvm", May: []string{"units", "epochs/usdt", "internal/attach",
			"internal/monotonic"},
		Extern: []string{"github.com/cilium/ebpf", "golang.org/x/sys/unix"},
		Why: "counting at probes does not depend on who found them, and on what the counts " +
			"are for",
	}, {
		Package: "activity/calls/entry", Pure: true,
		Why: "what a breakpoint costs at a function's entry follows from the bytes there",
	}, {
		Package: "activity/calls", May: []string{"internal/attach"},
		Extern: []string{"github.com/cilium/ebpf", "golang.org/x/sys/unix"},
		Why:    "counting at a function's entry does not depend on who found it",
	}, {
		Package: "activity/jvm/calibrate", May: []string{"activity/jvm", "epochs/usdt"},
		Extern: []string{"golang.org/x/sys/unix"},
		Why:    "what a hit of a probe costs is measured on a program of ebb's own",
	}, {
		Package: "activity/jvm/onoff", Extern: []string{"golang.org/x/sys/unix"},
		Why: "what counting costs a program does not depend on what is counted",
	}, {
		Package: "activity/jvm/follow", May: []string{"activity/jvm", "epochs/usdt",
			"internal/procstat", "internal/regular", "sandbox"},
		Extern: []string{"github.com/cilium/ebpf", "golang.org/x/sys/unix"},
		Why:    "JVMs are found by the sandbox's answers, for a training and for a run alike",
	}, {
		Package: "ladder", May: []string{"units"}, Pure: true,
		Why: "which source of power is worth more does not depend on who asks",
	}, {
		Package: "wattmeter", Pure: true,
		Why: "what readings are worth depends on the readings, whoever took them",
	}, {
		Package: "wattmeter/log", May: []string{"wattmeter"}, Pure: true,
		Why: "the log of a stranger's meter is a function of its bytes",
	}, {
		Package: "wattmeter/sensors", May: []string{"internal/sysfs"},
		Why: "a sensor shows a power and does not know what it went to",
	}, {
		Package: "hpc/uncore", May: []string{"topology", "internal/sysfs"},
		Extern: []string{"golang.org/x/sys/unix"},
		Why: "the memory's traffic is the whole machine's; programs and energy are not its " +
			"concern",
	}, {
		Package: "cpufreq", May: []string{"units", "topology", "internal/procstat",
			"internal/sysfs"},
		Why: "an actuator sets the frequency that it gets and does not know why",
	}, {
		Package: "cpufreq/settle", May: []string{"units", "topology", "internal/monotonic",
			"internal/sysfs", "cpufreq", "hpc", "hpc/perfevent"},
		Extern: []string{"golang.org/x/sys/unix"},
		Why: "the settle time is measured with an actuator and a counter, before anything is " +
			"governed",
	}, {
		Package: "guardian",
		May: []string{"units", "cpufreq", "internal/monotonic", "internal/peak",
			"internal/reap"},
		Extern: []string{"golang.org/x/sys/unix"},
		Why: "the restorer of the frequencies must not depend on code that can fail while they " +
			"are chosen",
	}, {
		Package: "rivals", May: []string{"internal/procstat", "internal/sysfs",
			"internal/printable"},
		Why: "other programs that set frequencies are found by their processes, whatever ebb " +
			"does about them",
	}, {
		Package: "cpufreq/internal/fakekernel", May: []string{"internal/sysfs",
			"internal/sysfs/sysfstest"},
		Why: "a model of the kernel's side must not share cpufreq's idea of it",
	}, {
		Package: "cgroup", Extern: []string{"golang.org/x/sys/unix"},
		Why: "membership of a cgroup does not depend on ebb's use of it",
	}, {
		Package: "cgroup/quota", May: []string{"cgroup"}, Extern: []string{"golang.org/x/sys/unix"},
		Why: "a limited cgroup is made where the package finds the hierarchy",
	}, {
		Package: "cgroup/cgrouptest", May: []string{"cgroup"},
		Why: "the tests' cgroups are made below the hierarchy that the package finds",
	}, {
		Package: "rapl", May: []string{"units", "topology", "internal/sysfs"},
		Extern: []string{"golang.org/x/sys/unix"},
		Why:    "a meter counts energy and does not know what it went to",
	}, {
		Package: "cpuenergy", May: []string{"internal/cputime", "internal/sysfs", "rapl", "units"},
		Extern: []string{"golang.org/x/sys/unix"},
		Why:    "other programs import it, so it brings a meter and nothing of a governed run",
	}, {
		Package: "network", May: []string{"units", "internal/attach", "internal/ringbuf"},
		Extern: []string{"github.com/cilium/ebpf", "golang.org/x/sys/unix"},
		Why: "bytes are counted by thread, and a card's energy is arithmetic on them; no other " +
			"meter is its concern",
	},
}
