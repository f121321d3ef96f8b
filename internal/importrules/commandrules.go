package importrules

// commandRules are of the command, its parts and its reports, and of the tests that run it built.
var commandRules = []Rule{
	{
		Package: "dist/sbom",
		Why:     "a release's bill of materials comes from the binary alone",
	}, {
		Package: "report", May: []string{"units", "epochs", "policy", "predictor/power", "governor",
			"governor/saving", "energy/profile", "internal/columns", "internal/printable", "ladder",
			"powermodel", "verdict"}, Pure: true,
		Why: "a report is made from the governor's events and actions, so a replay gives the " +
			"same one",
	}, {
		Package: "report/several", Pure: true, May: []string{"energy/profile", "internal/columns",
			"internal/tolerance", "report"},
		Why: "several runs are compared by their reports alone",
	}, {
		Package: "config", May: []string{"internal/input", "units", "policy", "predictor",
			"predictor/power", "governor"},
		Extern: []string{"github.com/BurntSushi/toml"},
		Why: "only the command knows the file format; packages have their own Config and no " +
			"idea of files",
	}, {
		Package: "qualify", May: []string{"internal/printable"}, Pure: true,
		Why: "what follows from a machine's findings does not depend on who made them, or where",
	}, {
		Package: "qualify/page", Single: true,
		May: []string{"internal/chart", "internal/page",
			"internal/printable", "qualify"},
		Why: "a page shows what a result says, which may be a stranger's, and reads nothing itself",
	}, {
		Package: "qualify/programs", May: []string{"cgroup/quota", "internal/output"},
		Extern: []string{"golang.org/x/sys/unix"},
		Why:    "a program with a known amount of work knows nothing of who watches it",
	}, {
		Package: "qualify/host",
		May: []string{"activity", "bench", "bench/host", "cgroup", "cgroup/quota", "config",
			"cpufreq", "cpufreq/settle", "doctor", "epochs", "epochs/table", "guardian", "hpc",
			"hpc/perfevent", "hpc/uncore", "internal/inventory", "internal/monotonic",
			"internal/output", "internal/printable", "internal/reap", "internal/sysfs",
			"predictor/accuracy", "qualify", "qualify/programs", "rapl", "rivals", "sandbox",
			"topology", "units", "wattmeter", "wattmeter/sensors"},
		Extern: []string{"golang.org/x/sys/unix"},
		Why: "a machine is qualified by what a user would run there, and by what was already " +
			"known of reading it",
	}, {
		Package: "doctor",
		May: []string{"activity/jvm", "cgroup", "config", "cpufreq", "cpufreq/settle",
			"epochs/bpf", "governor", "guardian", "hpc", "hpc/perfevent", "hpc/uncore",
			"internal/command", "internal/inventory", "internal/printable", "internal/sysfs",
			"ladder", "network", "predictor", "rapl", "report", "rivals", "topology",
			"wattmeter/sensors"},
		Extern: []string{"golang.org/x/sys/unix"},
		Why:    "the doctor opens what a run would open, and governs nothing",
	}, {
		Package: "run",
		May: []string{"activity", "activity/calls", "activity/jvm", "activity/jvm/follow",
			"cgroup", "config",
			"cpufreq", "cpufreq/settle", "energy",
			"energy/attribution", "energy/profile", "energy/stream", "energy/trace", "epochs",
			"epochs/table", "epochs/bpf", "functions", "governor", "governor/live",
			"governor/replay", "guardian", "hpc", "hpc/perfevent",
			"hpc/uncore", "internal/command", "internal/inventory", "internal/leftover",
			"internal/monotonic", "internal/output", "internal/peak", "internal/printable",
			"internal/procstat", "internal/regular", "internal/scribe", "internal/sysfs",
			"ladder", "marks", "network", "governor/sampled", "policy", "powermodel", "predictor",
			"predictor/nonscaling",
			"predictor/power", "rapl", "report", "rivals", "sandbox", "sandbox/protocol",
			"sensitivity", "stacks", "stacks/places", "topology", "units", "wattmeter",
			"wattmeter/sensors"},
		Extern: []string{"golang.org/x/sys/unix"},
		Why:    "a run joins what measures, decides and sets; it parses nothing and knows no flag",
	}, {
		Package: "cmd/ebb",
		May: []string{"activity/jvm", "activity/jvm/calibrate", "activity/jvm/follow",
			"activity/jvm/onoff", "bench", "bench/host", "bench/sim", "calm/search", "config",
			"cpufreq", "doctor", "energy", "energy/export", "energy/profile", "energy/stream",
			"energy/stream/page", "epochs", "epochs/table",
			"eval", "functions", "governor", "governor/live", "governor/replay", "guardian", "hpc",
			"internal/columns", "internal/command",
			"internal/input", "internal/inventory", "internal/monotonic", "internal/output",
			"internal/printable", "internal/scribe", "internal/sysfs", "marks", "policy",
			"powermodel", "powermodel/page", "predictor",
			"qualify", "qualify/host", "qualify/page", "qualify/programs",
			"report", "report/several", "rivals", "run", "sandbox", "sandbox/child",
			"sandbox/opener", "sensitivity", "simtest/hardware",
			"simtest/workload", "stacks", "train", "train/hardware", "train/programs", "units"},
		Extern: []string{"github.com/spf13/cobra", "github.com/spf13/pflag"},
		Why:    "the command wires everything together",
	}, {
		Package: "workloads/split",
		Why:     "a workload is a program to be governed and no part of the governor",
	}, {
		Package: "workloads/contend",
		Why:     "a workload is a program to be governed and no part of the governor",
	}, {
		Package: "test/hostile",
		Why:     "hostile programs attack the built command, as anybody can who runs beside it",
	}, {
		Package: "test/e2e",
		Why:     "the end-to-end tests see what a user sees, so they know the built command only",
	}, {
		Package: "test/esurgeon", May: []string{"energy/stream", "internal/chart",
			"internal/output"},
		Why: "a paper's tests run the built command, and read what it writes for everybody",
	}, {
		Package: "test/instrumentation",
		Why:     "what it measures beside ebb is no part of ebb",
	}, {
		Package: "test/recordings",
		Why:     "recordings are played to the core and the report, as any user of them does",
	}, {
		Package: "test/vm",
		Why:     "the tests in the virtual machine see what a user sees",
	}, {
		Package: "test/vm/threads",
		Why:     "a program to follow has nothing of ebb's",
	},
}
