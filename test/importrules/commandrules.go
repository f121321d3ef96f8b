package importrules

// commandRules are the rules of the command, its parts and its reports, and of the tests that run
// it built.
var commandRules = []Rule{
	{
		Package: "tools/sbom",
		Why:     "a release's bill of materials comes from the binary alone",
	}, {
		Package: "internal/app/report",
		May: []string{"epochs", "governor", "governor/saving", "internal/energy/profile",
			"internal/energy/verdict", "internal/power/powermodel", "internal/power/wattmeter",
			"internal/render/printable", "internal/tolerance", "policy", "predictor/power",
			"units"},
		Pure: true,
		Why: "a report is made from the governor's events and actions, so a replay gives the " +
			"same one",
	}, {
		Package: "internal/app/config",
		May: []string{"governor", "internal/safefile", "policy", "predictor", "predictor/power",
			"units"},
		Extern: []string{"github.com/BurntSushi/toml"},
		Why: "only the command knows the file format; packages have their own Config and no " +
			"idea of files",
	}, {
		Package: "internal/app/qualify", May: []string{"internal/render/printable"}, Pure: true,
		Why: "what follows from a machine's findings does not depend on who made them, or where",
	}, {
		Package: "internal/app/pages",
		May: []string{"internal/app/qualify", "internal/power/powermodel", "internal/render/chart",
			"internal/render/printable"},
		Single: true,
		Why: "a page shows what a result says, which may be a stranger's, and reads nothing " +
			"itself",
	}, {
		Package: "internal/app/models",
		May: []string{"cpufreq/guardian", "governor/live", "internal/app/pages", "internal/app/run",
			"internal/command", "internal/inventory", "internal/linux/sysfs",
			"internal/power/activity/jvm", "internal/power/powermodel", "internal/power/train",
			"internal/render/printable", "internal/safefile", "internal/sandbox", "units"},
		Extern: []string{"github.com/spf13/cobra"},
		Why: "to measure for a model and to show one takes no part of a run but the user that a " +
			"command runs as",
	}, {
		Package: "internal/app/qualify/host",
		May: []string{"cpufreq", "cpufreq/guardian", "cpufreq/settle", "epochs", "epochs/table",
			"hpc", "hpc/perfevent", "internal/app/bench", "internal/app/bench/host",
			"internal/app/config", "internal/app/doctor", "internal/app/qualify",
			"internal/inventory", "internal/linux/cgroup", "internal/linux/monotonic",
			"internal/linux/proc", "internal/linux/sysfs", "internal/power/activity",
			"internal/power/wattmeter", "internal/render/printable", "internal/safefile",
			"internal/sandbox", "predictor/accuracy", "rapl", "units"},
		Extern: []string{"golang.org/x/sys/unix"},
		Why: "a machine is qualified by what a user would run there, and by what was already " +
			"known of reading it",
	}, {
		Package: "internal/app/doctor",
		May: []string{"cpufreq", "cpufreq/guardian", "cpufreq/settle", "epochs/bpf", "governor",
			"hpc", "hpc/perfevent", "internal/app/config", "internal/app/report",
			"internal/command", "internal/inventory", "internal/linux/cgroup",
			"internal/linux/proc", "internal/linux/sysfs", "internal/linux/tracing",
			"internal/network", "internal/power/activity/jvm", "internal/power/wattmeter",
			"internal/render/printable", "predictor", "rapl", "units"},
		Extern: []string{"golang.org/x/sys/unix"},
		Why:    "the doctor opens what a run would open, and governs nothing",
	}, {
		Package: "internal/app/machine",
		May: []string{"hpc", "hpc/perfevent", "internal/command", "internal/energy",
			"internal/energy/groups", "internal/energy/groups/counts", "internal/energy/profile",
			"internal/inventory", "internal/linux/cgroup", "internal/linux/monotonic",
			"internal/linux/sysfs", "internal/power/activity", "internal/power/powermodel",
			"internal/power/wattmeter", "internal/render/printable", "internal/safefile", "rapl",
			"units"},
		Extern: []string{"golang.org/x/sys/unix"},
		Why:    "following a machine joins what counts, measures and shows; it governs nothing",
	}, {
		Package: "internal/app/run/part",
		May: []string{"cpufreq", "epochs", "epochs/bpf", "governor", "governor/live",
			"internal/app/config", "internal/app/report", "internal/calls", "internal/command",
			"internal/linux/proc", "internal/linux/sysfs", "internal/power/powermodel",
			"internal/stacks", "predictor/sensitivity", "units"},
		Why: "what a run's parts share knows none of them",
	}, {
		Package: "internal/app/run/meters",
		May: []string{"cpufreq", "governor", "internal/app/report", "internal/app/run/part",
			"internal/command", "internal/energy", "internal/energy/attribution",
			"internal/energy/profile", "internal/inventory", "internal/linux/monotonic",
			"internal/linux/shelter", "internal/linux/sysfs", "internal/power/activity",
			"internal/power/activity/jvm", "internal/power/powermodel", "internal/power/wattmeter",
			"internal/render/printable", "internal/safefile", "internal/sandbox", "rapl", "units"},
		Why: "what measures power over a run sets nothing, and knows neither methods nor names",
	}, {
		Package: "internal/app/run/methods",
		May: []string{"epochs", "epochs/bpf", "governor", "governor/live", "hpc",
			"internal/app/config", "internal/app/report", "internal/app/run/meters",
			"internal/app/run/part", "internal/calls", "internal/command", "internal/energy",
			"internal/energy/attribution", "internal/energy/profile", "internal/energy/stream",
			"internal/instrumented", "internal/inventory", "internal/linux/cgroup",
			"internal/linux/monotonic", "internal/linux/proc", "internal/linux/sysfs",
			"internal/network", "internal/power/powermodel", "internal/render/printable",
			"internal/safefile", "internal/sandbox", "internal/sandbox/protocol", "internal/stacks",
			"predictor", "predictor/nonscaling", "predictor/power", "predictor/sensitivity",
			"units"},
		Extern: []string{"golang.org/x/sys/unix"},
		Why: "what looks into a program sets nothing, and leaves the parsing of all that the " +
			"program wrote to the sandbox",
	}, {
		Package: "internal/app/run",
		May: []string{"cpufreq", "cpufreq/guardian", "cpufreq/settle", "epochs", "epochs/bpf",
			"epochs/table", "governor", "governor/arbiter", "governor/live", "governor/many",
			"governor/replay", "hpc", "hpc/perfevent", "internal/app/config", "internal/app/report",
			"internal/app/run/meters", "internal/app/run/methods", "internal/app/run/part",
			"internal/command", "internal/energy/attribution", "internal/energy/profile",
			"internal/inventory", "internal/linux/cgroup", "internal/linux/monotonic",
			"internal/linux/proc", "internal/linux/sysfs", "internal/render/printable",
			"internal/safefile", "internal/sandbox", "internal/stacks", "policy", "predictor",
			"predictor/nonscaling", "rapl", "units"},
		Extern: []string{"golang.org/x/sys/unix"},
		Why:    "a run joins what measures, decides and sets; it parses nothing and knows no flag",
	}, {
		Package: "internal/app/serve",
		May: []string{"cpufreq", "epochs", "epochs/bpf", "governor", "governor/arbiter",
			"governor/live", "governor/many", "hpc", "internal/app/config", "internal/app/report",
			"internal/app/run", "internal/app/run/meters", "internal/app/run/part",
			"internal/app/serve/api", "internal/app/serve/board", "internal/command",
			"internal/energy/groups", "internal/linux/cgroup", "internal/linux/monotonic",
			"internal/linux/proc", "internal/linux/unixconn", "internal/render/printable",
			"internal/safefile", "internal/sandbox", "units"},
		Extern: []string{"golang.org/x/sys/unix"},
		Why: "a service reads its tenants, answers to systemd, starts what answers others, and " +
			"has tenants come and go; run governs them. Whoever takes a lease may be root, " +
			"and parses no answer",
	}, {
		Package: "internal/app/serve/board", May: []string{"governor/arbiter", "units"},
		Extern: []string{"golang.org/x/sys/unix"},
		Why: "what one process writes and another reads is a layout of words, and two processes " +
			"that do not trust each other know the same packets; both know them by this package",
	}, {
		Package: "internal/app/serve/api",
		May:     []string{"governor/many", "internal/app/serve/board", "units"},
		Extern:  []string{"golang.org/x/sys/unix"},
		Why: "who asks makes sure first that it is a service; answers follow from the board, " +
			"whoever sends them and by what",
	}, {
		Package: "internal/app/serve/front",
		May: []string{"internal/app/serve/api", "internal/app/serve/board",
			"internal/linux/monotonic", "internal/linux/unixconn", "internal/sandbox/confine",
			"units"},
		Extern: []string{"golang.org/x/sys/unix"},
		Why: "what parses strangers' requests is alone in a process without rights, and knows no " +
			"part of a run",
	}, {
		Package: "internal/app/serve/status",
		May: []string{"internal/app/serve/api", "internal/render/printable",
			"internal/sandbox/confine", "units"},
		Extern: []string{"github.com/gdamore/tcell/v3"},
		Why:    "it knows a service by its answers alone, which it reads as nobody",
	}, {
		Package: "internal/app/view",
		May: []string{"cpufreq", "internal/app/report", "internal/command", "internal/energy",
			"internal/energy/export", "internal/energy/profile", "internal/render/printable",
			"internal/safefile", "internal/sandbox", "internal/sandbox/protocol", "units"},
		Extern: []string{"github.com/spf13/cobra", "github.com/spf13/pflag",
			"golang.org/x/sys/unix"},
		Why: "what reports hold is shown to whoever reads them, without a part of a run; symbols " +
			"are read in the sandbox as a run's are",
	}, {
		Package: "cmd/ebb",
		May: []string{"cpufreq", "cpufreq/guardian", "epochs", "epochs/table", "governor",
			"governor/live", "governor/many", "governor/replay", "hpc", "internal/app/bench",
			"internal/app/bench/host", "internal/app/config", "internal/app/doctor",
			"internal/app/machine", "internal/app/models", "internal/app/pages",
			"internal/app/perturbation", "internal/app/qualify", "internal/app/qualify/host",
			"internal/app/report", "internal/app/run", "internal/app/run/part",
			"internal/app/serve", "internal/app/serve/front", "internal/app/serve/status",
			"internal/app/view", "internal/calls", "internal/command", "internal/energy",
			"internal/energy/export", "internal/energy/groups", "internal/energy/profile",
			"internal/energy/stream", "internal/instrumented", "internal/inventory",
			"internal/linux/monotonic", "internal/linux/proc", "internal/linux/shelter",
			"internal/linux/sysfs", "internal/power/activity/jvm", "internal/power/powermodel",
			"internal/power/train", "internal/render/printable", "internal/safefile",
			"internal/sandbox", "internal/sandbox/child", "internal/sandbox/opener",
			"internal/stacks", "policy", "predictor", "predictor/sensitivity", "units"},
		Extern: []string{"github.com/spf13/cobra", "github.com/spf13/pflag"},
		Why:    "the command wires everything together",
	}, {
		Package: "cmd/ebb-lab",
		May: []string{"epochs", "governor", "internal/app/bench", "internal/command",
			"internal/lab/chappie", "internal/lab/eval", "internal/lab/vesta",
			"internal/power/powermodel", "internal/render/printable", "internal/safefile",
			"policy", "predictor", "predictor/accuracy", "simtest", "simtest/baseline",
			"simtest/campaign", "simtest/hardware", "simtest/simhost", "simtest/workload", "units"},
		Extern: []string{"github.com/spf13/cobra"},
		Why: "the laboratory repeats what papers measured, and opens nothing of the machine that " +
			"it runs on: what it needs of that, the built ebb measures",
	}, {
		Package: "test/workloads/go",
		Why:     "a workload is a program to be governed and no part of the governor",
	}, {
		Package: "test/hostile",
		Why:     "hostile programs attack the built command, as anybody can who runs beside it",
	}, {
		Package: "test/e2e",
		Why:     "the end-to-end tests see what a user sees, so they know the built command only",
	}, {
		Package: "test/papers",
		May: []string{"internal/calls", "internal/energy/stream", "internal/instrumented",
			"internal/inventory", "internal/render/chart", "internal/safefile"},
		Why: "papers' tests run the built command or programs beside it, and read what it writes " +
			"for everybody",
	}, {
		Package: "test/vm",
		Why:     "the tests in the virtual machine see what a user sees",
	},
}
