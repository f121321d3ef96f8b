package importrules

// Rules has a row for every package of the module.
var Rules = []Rule{
	{
		Package: "units", Pure: true,
		Why: "everything stands on the quantities, so they stand on nothing",
	}, {
		Package: "internal/monotonic", May: []string{"units"},
		Extern: []string{"golang.org/x/sys/unix"},
		Why:    "the clock is read in one way, whoever asks",
	}, {
		Package: "internal/sysfs",
		Why:     "reading and writing one file safely needs no knowledge of what is in it",
	}, {
		Package: "internal/sysfs/sysfstest",
		Why:     "the tests' trees of files stand in for the kernel, whoever reads them",
	}, {
		Package: "internal/output", Extern: []string{"golang.org/x/sys/unix"},
		Why: "writing a file safely needs no knowledge of what is in it",
	}, {
		Package: "internal/columns", Pure: true, May: []string{"internal/printable"},
		Why: "how a table is laid out depends on neither its figures nor the terminal",
	}, {
		Package: "internal/command", May: []string{"internal/output", "internal/printable"},
		Extern: []string{"golang.org/x/sys/unix"},
		Why:    "how a subcommand fails, writes and ends does not depend on what it does",
	}, {
		Package: "internal/inventory", May: []string{"hpc", "ladder", "topology",
			"internal/sysfs"},
		Extern: []string{"golang.org/x/sys/unix"},
		Why:    "what a machine is does not depend on what ebb does with it",
	}, {
		Package: "internal/peak",
		Why:     "the kernel's figure of a process's memory is the same for every caller",
	}, {
		Package: "internal/captest", Extern: []string{"golang.org/x/sys/unix"},
		Why: "tests give up capabilities alike, whatever they test",
	}, {
		Package: "internal/page/pagetest",
		Why:     "a browser shows every page alike",
	}, {
		Package: "internal/cputime", Pure: true,
		Why: "the kernel's account of CPU time reads the same, whoever asks",
	}, {
		Package: "internal/procstat",
		Why:     "a process's line in /proc reads the same, whoever asks",
	}, {
		Package: "internal/reap", Extern: []string{"golang.org/x/sys/unix"},
		Why: "every child's status is taken in the same way",
	}, {
		Package: "internal/leftover", Extern: []string{"golang.org/x/sys/unix"},
		Why: "removing a file safely needs no knowledge of what is in it",
	}, {
		Package: "internal/packed", Pure: true,
		Why: "gzip's files are recognised by their bytes alone",
	}, {
		Package: "internal/input", May: []string{"internal/packed"},
		Extern: []string{"golang.org/x/sys/unix"},
		Why:    "reading a file safely needs no knowledge of what is in it",
	}, {
		Package: "internal/seed",
		Why:     "a random test's seed does not depend on what it tests",
	}, {
		Package: "internal/golden", May: []string{"internal/input"},
		Why: "comparing a golden file needs no knowledge of its contents",
	}, {
		Package: "internal/tolerance", Pure: true,
		Why: "the reach of chance is arithmetic",
	}, {
		Package: "internal/printable", Pure: true,
		Why: "the printable form of a name depends on the name alone",
	}, {
		Package: "topology", May: []string{"internal/sysfs"},
		Why: "the list of CPUs does not depend on ebb's use of them",
	}, {
		Package: "epochs", May: []string{"units"}, Pure: true,
		Why: "epochs come from events alone, whoever delivers them",
	}, {
		Package: "epochs/table", May: []string{"units", "epochs", "internal/packed"}, Pure: true,
		Why: "a table is read and written through what its caller opened, wherever its epochs " +
			"come from",
	}, {
		Package: "internal/ringbuf", Extern: []string{"golang.org/x/sys/unix"},
		Why: "taking records out of the kernel needs no knowledge of their contents",
	}, {
		Package: "epochs/usdt", Pure: true,
		Why: "the probes of a file are a function of its bytes, whoever opened it",
	}, {
		Package: "epochs/usdt/usdttest",
		Why: "the tests' programs are made from the format's description, and not by what " +
			"reads it",
	}, {
		Package: "internal/regular", Extern: []string{"golang.org/x/sys/unix"},
		Why: "opening a file that others may have put there needs no knowledge of what is in it",
	}, {
		Package: "internal/attach", May: []string{"internal/regular"},
		Extern: []string{"github.com/cilium/ebpf", "golang.org/x/sys/unix"},
		Why:    "the kernel refuses programs for the same reasons, whatever they do",
	}, {
		Package: "epochs/bpf", May: []string{"units", "epochs", "epochs/usdt",
			"internal/attach", "internal/monotonic", "internal/ringbuf"},
		Extern: []string{"github.com/cilium/ebpf", "golang.org/x/sys/unix"},
		Why:    "the tracer delivers events and knows nothing of predictions",
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
		Package: "energy", May: []string{"units", "epochs"}, Pure: true,
		Why: "the ledger divides a window's energy; meters and the meaning of stacks are not " +
			"its concern",
	}, {
		Package: "energy/profile", Pure: true,
		May: []string{"energy", "internal/columns", "internal/printable", "units"},
		Why: "the views of a report depend on the report alone",
	}, {
		Package: "cpuenergy", May: []string{"internal/cputime", "internal/sysfs", "rapl", "units"},
		Extern: []string{"golang.org/x/sys/unix"},
		Why:    "other programs import it, so it brings a meter and nothing of a governed run",
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
		Package: "internal/scribe", May: []string{"internal/reap"},
		Extern: []string{"golang.org/x/sys/unix"},
		Why:    "what writes to disks and readers that may wait knows nothing of what is written",
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
		Package: "calm", May: []string{"units"}, Pure: true,
		Why: "comparing two runs is arithmetic on their samples",
	}, {
		Package: "stacks", May: []string{"units", "topology", "epochs", "internal/cputime",
			"internal/ringbuf"},
		Extern: []string{"github.com/cilium/ebpf", "golang.org/x/sys/unix"},
		Why:    "the sampler delivers addresses and knows neither names nor energy",
	}, {
		Package: "network", May: []string{"units", "internal/attach", "internal/ringbuf"},
		Extern: []string{"github.com/cilium/ebpf", "golang.org/x/sys/unix"},
		Why: "bytes are counted by thread, and a card's energy is arithmetic on them; no other " +
			"meter is its concern",
	}, {
		Package: "stacks/unwind", Pure: true,
		Why: "walking a stack is a function of registers, memory and tables; it knows " +
			"neither threads nor names",
	}, {
		Package: "stacks/unwind/hotspot", May: []string{"stacks/unwind"}, Pure: true,
		Why: "the frames of compiled code are read from a memory; its owner, and the way to " +
			"read it, are not its concern",
	}, {
		Package: "internal/bounded",
		Why:     "counting a call's allocations needs no knowledge of the call",
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
	}, {
		Package: "predictor/nonscaling", May: []string{"epochs", "hpc"}, Pure: true,
		Why: "the scaling part of a thread's time is a function of its own counters, whichever " +
			"thread waits for it",
	}, {
		Package: "predictor/waiting", May: []string{"epochs", "predictor/nonscaling"}, Pure: true,
		Why: "the waits between threads are read from epochs, whichever estimator splits the " +
			"threads' own times",
	}, {
		Package: "predictor/paper", May: []string{"epochs", "hpc", "predictor/nonscaling",
			"predictor/waiting"}, Pure: true,
		Why: "the paper's parts are compared with ebb's own, and share only the contracts with " +
			"them",
	}, {
		Package: "predictor", Pure: true,
		May: []string{"units", "epochs", "predictor/nonscaling", "predictor/waiting",
			"predictor/paper"},
		Why: "a prediction is a function of epochs; measuring and deciding are not its concern",
	}, {
		Package: "predictor/power", May: []string{"units"}, Pure: true,
		Why: "a power model maps frequency and activity to watts, nothing else",
	}, {
		Package: "powermodel/page", Single: true,
		May: []string{"internal/chart", "internal/page", "internal/printable", "powermodel"},
		Why: "a page shows what a model and a table give, and reads nothing itself",
	}, {
		Package: "powermodel", May: []string{"internal/tolerance"}, Pure: true,
		Why: "a model of power is learned from a table alone, whoever measured it",
	}, {
		Package: "predictor/accuracy", Single: true,
		May: []string{"units", "epochs", "epochs/table", "hpc",
			"predictor", "predictor/nonscaling", "internal/chart", "internal/page"},
		Why: "errors are measured on epoch tables, from outside the predictor",
	}, {
		Package: "dist/sbom",
		Why:     "a release's bill of materials comes from the binary alone",
	}, {
		Package: "predictor/accuracy/cmd", May: []string{"epochs", "predictor/accuracy",
			"internal/output"},
		Why: "the command gives files to the measurement and prints it",
	}, {
		Package: "policy", May: []string{"units"}, Pure: true,
		Why: "a policy's contract is in terms of time and frequency alone",
	}, {
		Package: "policy/choice", May: []string{"units", "policy"}, Pure: true,
		Why: "the code that policies share knows none of them",
	}, {
		Package: "policy/forecast", May: []string{"policy", "policy/choice", "predictor/power"},
		Pure: true,
		Why:  "a forecast of the coming work does not depend on the choice that follows",
	}, {
		Package: "policy/allotment",
		May:     []string{"units", "policy", "policy/choice", "policy/forecast", "predictor/power"},
		Pure:    true,
		Why: "a policy chooses among predictions, neither measures nor acts, and knows no " +
			"other",
	}, {
		Package: "policy/budget", May: []string{"units", "policy", "policy/choice"}, Pure: true,
		Why: "a policy chooses among predictions, neither measures nor acts, and knows no other",
	}, {
		Package: "policy/energy",
		May:     []string{"units", "policy", "policy/choice", "policy/forecast", "predictor/power"},
		Pure:    true,
		Why: "a policy chooses among predictions, neither measures nor acts, and knows no " +
			"other",
	}, {
		Package: "policy/paper", May: []string{"units", "policy", "policy/choice",
			"predictor/power"}, Pure: true,
		Why: "the paper's rules stand apart from ebb's own, so that both can be compared",
	}, {
		Package: "policy/fixed", May: []string{"units", "policy"}, Pure: true,
		Why: "a policy chooses among predictions, neither measures nor acts, and knows no other",
	}, {
		Package: "policy/policytest", May: []string{"units", "policy"},
		Why: "the tests' predictions are made without any policy's code",
	}, {
		Package: "governor/scripttest", May: []string{"internal/golden"},
		Why: "reading and comparing a script needs no knowledge of its commands",
	}, {
		Package: "governor/heed", May: []string{"units", "epochs"}, Pure: true,
		Why: "clocks and requests alone show whether the clock obeys",
	}, {
		Package: "governor/sampled", May: []string{"units", "epochs"}, Pure: true,
		Why: "samples and a table alone say which share of a thread's time scales, whoever took " +
			"and read them",
	}, {
		Package: "governor/hindsight", Pure: true,
		May: []string{"units", "predictor", "predictor/nonscaling"},
		Why: "the predictions' bias is learned from quanta alone; decisions are the policy's " +
			"concern",
	}, {
		Package: "governor/rest", Pure: true,
		Why: "when nobody need look follows from what quanta did and promised",
	}, {
		Package: "governor/saving", Pure: true,
		May: []string{"units", "predictor/power"},
		Why: "what was saved follows from quanta and meters, whatever chose the frequencies",
	}, {
		Package: "verdict", May: []string{"units", "internal/printable"}, Pure: true,
		Why: "whether it was worth it follows from a few facts, whoever found them",
	}, {
		Package: "governor", May: []string{"units", "epochs", "hpc", "predictor", "predictor/power",
			"predictor/nonscaling", "policy", "policy/allotment", "policy/budget", "policy/energy",
			"policy/fixed", "policy/paper", "governor/heed", "governor/hindsight",
			"governor/rest", "governor/sampled", "governor/saving"}, Pure: true,
		Why: "the core turns events into actions by the pure packages alone, so that it replays",
	}, {
		Package: "governor/live",
		May: []string{"units", "epochs", "epochs/bpf", "epochs/usdt", "internal/monotonic",
			"internal/reap", "internal/regular", "cpufreq", "governor", "governor/rest"},
		Extern: []string{"golang.org/x/sys/unix"},
		Why:    "this host's machine moves events and actions; the core predicts and decides",
	}, {
		Package: "governor/replay", Pure: true,
		May: []string{"units", "epochs", "policy", "governor", "governor/rest", "governor/sampled"},
		Why: "a recording holds events and actions and must not need the machine they came from",
	}, {
		Package: "simtest/rig", Pure: true,
		May: []string{"units", "epochs", "hpc", "predictor/nonscaling", "governor",
			"governor/rest", "predictor/power", "simtest", "simtest/hardware", "simtest/physics"},
		Why: "the simulated machine moves events and actions, as a host does; its data sheet is " +
			"in the models' terms",
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
		Package: "simtest/fault", May: []string{"units"}, Pure: true,
		Why: "faults are planned before a run and depend on nothing that happens in it",
	}, {
		Package: "simtest/physics", May: []string{"units", "simtest/fault"}, Pure: true,
		Why: "energy depends on what the cores did, not on the program that made them do it; it " +
			"must share no formula with predictor/power",
	}, {
		Package: "simtest/hardware", May: []string{"units", "hpc", "simtest/physics"}, Pure: true,
		Why: "a machine is described by numbers alone, before anything runs on it",
	}, {
		Package: "simtest", May: []string{"units", "epochs", "hpc", "simtest/fault",
			"simtest/hardware", "simtest/physics"}, Pure: true,
		Why: "with the predictor's or the policy's model, the simulation would test a model " +
			"against itself",
	}, {
		Package: "simtest/check", May: []string{
			"units", "epochs", "simtest", "simtest/hardware", "simtest/physics",
		}, Pure: true,
		Why: "checks keep an account of their own and see a run from outside, so the engine " +
			"cannot know them",
	}, {
		Package: "simtest/campaign", Pure: true,
		May: []string{
			"units", "epochs", "hpc", "policy", "governor", "simtest/rig", "governor/replay",
			"simtest", "simtest/physics", "simtest/hardware", "simtest/fault", "simtest/check",
			"simtest/workload",
		},
		Why: "the invariants are checked from outside, on the governor and the machine as they are",
	}, {
		Package: "simtest/workload", May: []string{"simtest"}, Pure: true,
		Why: "a program knows neither its observer nor the setter of its clock",
	}, {
		Package: "bench", May: []string{"units", "verdict", "internal/chart", "internal/columns",
			"internal/command", "internal/output", "internal/page", "internal/printable",
			"internal/tolerance"},
		Extern: []string{"golang.org/x/sys/unix"},
		Why:    "what runs show does not depend on whether a host or a simulation made them",
	}, {
		Package: "bench/host",
		May: []string{"units", "internal/sysfs", "cpufreq", "rapl", "predictor/power", "report",
			"governor/live", "bench", "internal/monotonic", "internal/output",
			"internal/printable", "internal/reap"},
		Extern: []string{"golang.org/x/sys/unix"},
		Why: "runs on this machine set its frequency through cpufreq and read what ebb " +
			"itself reports",
	}, {
		Package: "simtest/baseline", May: []string{
			"units", "simtest", "simtest/hardware",
		}, Pure: true,
		Why: "the governors that ebb is compared with share none of its models, and see only " +
			"the machine's samples",
	}, {
		Package: "simtest/oracle", May: []string{
			"units", "simtest", "simtest/hardware", "simtest/physics",
		},
		Why: "the limit for all governors is found from whole runs alone, and knows no " +
			"governor's decisions",
	}, {
		Package: "bench/sim", May: []string{
			"units", "bench", "governor", "simtest/rig", "simtest", "simtest/hardware",
			"simtest/baseline",
		},
		Why: "runs of a simulated program need the machine, the governor and what it is " +
			"compared with",
	}, {
		Package: "internal/figures",
		Why:     "the documentation's figures are compared with files, whatever wrote them",
	}, {
		Package: "internal/chart", Pure: true,
		Why: "a drawing is made of numbers and names, wherever they come from",
	}, {
		Package: "internal/page", Single: true,
		May: []string{"internal/chart", "internal/printable"},
		Why: "all pages look alike",
	}, {
		Package: "eval",
		May: []string{
			"units", "epochs", "hpc", "predictor", "policy", "governor", "simtest/rig", "simtest",
			"simtest/hardware", "simtest/baseline", "simtest/oracle", "simtest/workload",
			"internal/chart", "internal/page",
		},
		Why: "the evaluation lets the governor and what it is compared with work on the " +
			"simulated machine, and touches no real one",
	}, {
		Package: "calm/search",
		May: []string{"bench", "calm", "energy/profile", "internal/chart", "internal/columns",
			"internal/input", "internal/monotonic", "internal/output",
			"internal/page", "internal/printable", "internal/sysfs", "marks", "rapl",
			"report", "sandbox", "topology", "units"},
		Extern: []string{"golang.org/x/sys/unix"},
		Why: "runs of the command itself show whether a program is calm, so it needs no " +
			"part of a run",
	}, {
		Package: "calm/evaluation",
		May:     []string{"calm", "internal/chart", "internal/output", "internal/page"},
		Why:     "several programs are compared by the files that ebb calm writes of each",
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
	}, {
		Package: "internal/prose", Pure: true,
		Why: "how a text reads does not depend on what the program does",
	}, {
		Package: "internal/importrules/pure", May: []string{"internal/importrules"},
		Why: "the tests of pure packages are run by the rules that make them pure",
	}, {
		Package: "internal/importrules", Single: true,
		Why: "the rules are data",
	},
}
