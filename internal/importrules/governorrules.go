package importrules

// governorRules are of the core, from events to decisions, and of what tries its models.
var governorRules = []Rule{
	{
		Package: "epochs", May: []string{"units"}, Pure: true,
		Why: "epochs come from events alone, whoever delivers them",
	}, {
		Package: "epochs/table", May: []string{"units", "epochs", "internal/packed"}, Pure: true,
		Why: "a table is read and written through what its caller opened, wherever its epochs " +
			"come from",
	}, {
		Package: "epochs/usdt", Pure: true,
		Why: "the probes of a file are a function of its bytes, whoever opened it",
	}, {
		Package: "epochs/usdt/usdttest",
		Why: "the tests' programs are made from the format's description, and not by what " +
			"reads it",
	}, {
		Package: "epochs/bpf", May: []string{"units", "epochs", "epochs/usdt",
			"internal/attach", "internal/monotonic", "internal/ringbuf"},
		Extern: []string{"github.com/cilium/ebpf", "golang.org/x/sys/unix"},
		Why:    "the tracer delivers events and knows nothing of predictions",
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
		Package: "predictor/accuracy", Single: true,
		May: []string{"units", "epochs", "epochs/table", "hpc",
			"predictor", "predictor/nonscaling", "internal/chart", "internal/page"},
		Why: "errors are measured on epoch tables, from outside the predictor",
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
	},
}
