package importrules

// energyRules are the rules of the packages that divide energy: ledger, profiles, stacks, functions
// and marks, and the sandbox that reads what others wrote.
var energyRules = []Rule{
	{
		Package: "internal/energy",
		May:     []string{"epochs", "internal/tolerance", "units"}, Pure: true,
		Why: "a window's energy is divided by what is known of it; meters and the meaning of " +
			"stacks are not its concern",
	}, {
		Package: "internal/energy/profile",
		May:     []string{"internal/energy", "internal/render/printable", "units"},
		Pure:    true,
		Why:     "the views of a report depend on the report alone",
	}, {
		Package: "internal/energy/stream",
		May:     []string{"epochs", "internal/energy", "internal/render/printable", "units"},
		Pure:    true,
		Why: "what a run's stream says depends on what was booked alone, and its readers on the " +
			"stream alone",
	}, {
		Package: "internal/energy/groups",
		May:     []string{"internal/energy", "units"},
		Pure:    true,
		Why: "whose energy it was follows from times and meters alone; where they come from is " +
			"not its concern",
	}, {
		Package: "internal/energy/groups/counts",
		May: []string{"internal/linux/monotonic", "internal/linux/proc", "internal/linux/tracing",
			"units"},
		Extern: []string{"github.com/cilium/ebpf", "golang.org/x/sys/unix"},
		Why:    "the kernel counts by numbers of cgroups; it knows neither names nor energy",
	}, {
		Package: "internal/energy/export",
		May: []string{"internal/energy/profile", "internal/energy/stream", "internal/render/chart",
			"internal/render/printable", "units"},
		Extern: []string{"github.com/google/pprof/profile"},
		Single: true,
		Why: "other tools' formats are written from a profile alone, and the page also from a " +
			"few values of the run",
	}, {
		Package: "internal/stacks",
		May: []string{"epochs", "internal/linux/monotonic", "internal/linux/proc",
			"internal/linux/sysfs", "internal/linux/tracing", "units"},
		Extern: []string{"github.com/cilium/ebpf", "golang.org/x/sys/unix"},
		Why:    "the sampler delivers addresses and knows neither names nor energy",
	}, {
		Package: "internal/stacks/unwind", Pure: true,
		Why: "walking a stack is a function of registers, memory and tables; it knows no " +
			"names of native code, and not whose the memory is or how it is read",
	}, {
		Package: "internal/stacks/symbols",
		May:     []string{"internal/stacks/unwind"},
		Extern:  []string{"github.com/ianlancetaylor/demangle", "github.com/ulikunitz/xz/lzma"},
		Why:     "names of addresses need files, and nothing of what ebb does",
	}, {
		Package: "internal/energy/attribution",
		May: []string{"epochs", "governor", "internal/energy", "internal/energy/profile",
			"internal/energy/stream", "internal/instrumented", "internal/linux/proc",
			"internal/network", "internal/render/printable", "internal/sandbox/protocol",
			"internal/stacks", "predictor/power", "units"},
		Why: "it is root: another process walks stacks and reads names, so it reaches no parser " +
			"of what others wrote",
	}, {
		Package: "internal/instrumented", May: []string{"units"}, Pure: true,
		Why: "what a program says of itself is checked in the same way by the process that reads " +
			"it and by root, which trusts neither; both sides of the memory have one idea of it",
	}, {
		Package: "internal/sandbox",
		May: []string{"epochs/usdt", "internal/instrumented", "internal/linux/proc",
			"internal/linux/unixconn", "internal/power/wattmeter", "internal/safefile",
			"internal/sandbox/protocol", "units"},
		Extern: []string{"golang.org/x/sys/unix"},
		Why: "the governor's side starts the child and reads its packets; it must not be " +
			"able to do the child's work",
	}, {
		Package: "predictor/sensitivity", May: []string{"epochs", "units"}, Pure: true,
		Why: "what functions keep of a clock is learned and used by slices and samples, whoever " +
			"took them",
	}, {
		Package: "internal/sandbox/protocol",
		May:     []string{"internal/instrumented", "units"},
		Pure:    true,
		Why:     "packets are functions of their bytes, and their reader must be easy to check",
	}, {
		Package: "internal/sandbox/confine", Extern: []string{"golang.org/x/sys/unix"},
		Why: "how a process gives up its rights does not depend on what it reads then",
	}, {
		Package: "internal/sandbox/child",
		May: []string{"epochs/usdt", "internal/instrumented", "internal/linux/unixconn",
			"internal/power/wattmeter", "internal/power/wattmeter/log", "internal/sandbox/confine",
			"internal/sandbox/protocol", "internal/stacks/symbols", "internal/stacks/unwind",
			"units"},
		Extern: []string{"golang.org/x/sys/unix"},
		Why:    "the parser is alone in a process without rights, and knows nothing of ebb's work",
	}, {
		Package: "internal/sandbox/opener",
		May: []string{"internal/linux/unixconn", "internal/safefile",
			"internal/sandbox/protocol"},
		Extern: []string{"golang.org/x/sys/unix"},
		Why:    "a process that opens files as root must not read them",
	},
}
