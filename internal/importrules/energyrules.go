package importrules

// energyRules are of the packages that say where energy went: ledger, profiles, stacks, functions
// and marks, and the sandbox that reads what others wrote.
var energyRules = []Rule{
	{
		Package: "energy", May: []string{"units", "epochs"}, Pure: true,
		Why: "the ledger divides a window's energy; meters and the meaning of stacks are not " +
			"its concern",
	}, {
		Package: "energy/profile", Pure: true,
		May: []string{"energy", "internal/columns", "internal/printable", "units"},
		Why: "the views of a report depend on the report alone",
	}, {
		Package: "energy/stream", Pure: true,
		May: []string{"energy", "epochs", "internal/columns", "internal/printable", "units"},
		Why: "what a run's stream says depends on what was booked alone, and its readers on the " +
			"stream alone",
	}, {
		Package: "energy/stream/page", Single: true,
		May: []string{"energy/stream", "internal/chart",
			"internal/page", "internal/printable", "units"},
		Why: "the page of a stream is made of its lines alone",
	}, {
		Package: "energy/trace", May: []string{"energy", "epochs", "internal/printable", "units"},
		Pure: true,
		Why:  "tables of windows are made of windows alone; files are a run's concern",
	}, {
		Package: "energy/invocation", May: []string{"epochs", "internal/tolerance", "units"},
		Pure: true,
		Why:  "the energy of single invocations overlaps, so it is kept apart from the ledger",
	}, {
		Package: "functions/layout", Pure: true,
		Why: "both sides of the memory that a program shares with ebb have one idea of it",
	}, {
		Package: "functions/rings", May: []string{"functions/layout"}, Pure: true,
		Why: "what a program writes is read by the process without rights alone, and easy to check",
	}, {
		Package: "functions", May: []string{"functions/layout"},
		Extern: []string{"golang.org/x/sys/unix"},
		Why:    "it is root: it hands memory to a program and reads nothing that is written there",
	}, {
		Package: "functions/tables", May: []string{"functions", "functions/layout",
			"internal/inventory"},
		Why: "SAFARI's tables are measured on programs that run beside it; it reads no record",
	}, {
		Package: "energy/export", Single: true,
		May: []string{"units", "energy/profile", "internal/chart",
			"internal/page", "internal/printable"},
		Extern: []string{"github.com/google/pprof/profile"},
		Why: "other tools' formats are written from a profile alone, and the page also from a " +
			"few values of the run",
	}, {
		Package: "stacks", May: []string{"units", "topology", "epochs", "internal/cputime",
			"internal/ringbuf"},
		Extern: []string{"github.com/cilium/ebpf", "golang.org/x/sys/unix"},
		Why:    "the sampler delivers addresses and knows neither names nor energy",
	}, {
		Package: "stacks/unwind", Pure: true,
		Why: "walking a stack is a function of registers, memory and tables; it knows " +
			"neither threads nor names",
	}, {
		Package: "stacks/unwind/hotspot", May: []string{"stacks/unwind"}, Pure: true,
		Why: "the frames of compiled code are read from a memory; its owner, and the way to " +
			"read it, are not its concern",
	}, {
		Package: "stacks/symbols", May: []string{"stacks/unwind", "stacks/unwind/hotspot"},
		Extern: []string{"github.com/ianlancetaylor/demangle", "github.com/ulikunitz/xz/lzma"},
		Why:    "names of addresses need files, and nothing of what ebb does",
	}, {
		Package: "energy/attribution",
		May: []string{"units", "epochs", "governor", "predictor/power", "energy",
			"energy/profile", "energy/stream", "energy/invocation", "energy/trace",
			"functions/layout", "internal/cputime", "internal/printable", "marks", "network",
			"stacks", "sandbox/protocol"},
		Why: "it is root: another process walks stacks and reads names, so it reaches no parser " +
			"of what others wrote",
	}, {
		Package: "marks", May: []string{"units"}, Pure: true,
		Why: "what a program marks is checked in the same way by the process that reads it and " +
			"by root, which trusts neither",
	}, {
		Package: "marks/scan", May: []string{"marks", "units"}, Pure: true,
		Why: "text that a program wrote is read by a process without rights alone",
	}, {
		Package: "sandbox", May: []string{"units", "epochs/usdt", "functions/layout",
			"internal/peak", "internal/procstat", "internal/regular", "marks", "sandbox/packet",
			"sandbox/protocol", "wattmeter"},
		Extern: []string{"golang.org/x/sys/unix"},
		Why: "the governor's side starts the child and reads its packets; it must not be " +
			"able to do the child's work",
	}, {
		Package: "stacks/places", May: []string{"units", "sandbox/protocol"}, Pure: true,
		Why: "which code an address is follows from what the child has read; it is root, and " +
			"parses nothing",
	}, {
		Package: "sensitivity", May: []string{"units", "epochs"}, Pure: true,
		Why: "what functions keep of a clock is learned from slices and samples, whoever took them",
	}, {
		Package: "sandbox/protocol", May: []string{"functions/layout", "marks", "units"},
		Pure: true,
		Why:  "packets are functions of their bytes, and their reader must be easy to check",
	}, {
		Package: "sandbox/packet", Extern: []string{"golang.org/x/sys/unix"},
		Why: "carrying packets needs no knowledge of their contents",
	}, {
		Package: "sandbox/child", May: []string{"activity/calls/entry", "stacks/symbols",
			"stacks/unwind", "epochs/usdt", "functions/layout", "functions/rings", "marks",
			"marks/scan", "sandbox/packet", "sandbox/protocol", "wattmeter", "wattmeter/log"},
		Extern: []string{"golang.org/x/sys/unix"},
		Why:    "the parser is alone in a process without rights, and knows nothing of ebb's work",
	}, {
		Package: "sandbox/opener", May: []string{"internal/regular", "sandbox/packet",
			"sandbox/protocol"}, Extern: []string{"golang.org/x/sys/unix"},
		Why: "a process that opens files as root must not read them",
	},
}
