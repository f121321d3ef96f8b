package importrules

// governorRules are the rules of the core, from events to decisions, and of the packages that try
// its models.
var governorRules = []Rule{
	{
		Package: "epochs", May: []string{"units"}, Pure: true,
		Why: "epochs come from events alone, whoever delivers them",
	}, {
		Package: "epochs/table", May: []string{"epochs", "units"}, Pure: true,
		Why: "a table is read and written through what its caller opened, wherever its epochs " +
			"come from",
	}, {
		Package: "epochs/usdt", Pure: true,
		Why: "the probes of a file are a function of its bytes, whoever opened it",
	}, {
		Package: "epochs/bpf",
		May: []string{"epochs", "epochs/usdt", "internal/linux/monotonic", "internal/linux/proc",
			"internal/linux/tracing", "units"},
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
		Package: "predictor", Pure: true,
		May: []string{"epochs", "hpc", "predictor/nonscaling", "predictor/waiting", "units"},
		Why: "a prediction is a function of epochs; measuring and deciding are not its concern. " +
			"The paper's parts share only the contracts with ebb's own",
	}, {
		Package: "predictor/power", May: []string{"units"}, Pure: true,
		Why: "a power model maps frequency and activity to watts, nothing else",
	}, {
		Package: "predictor/accuracy",
		May: []string{"epochs", "epochs/table", "hpc", "internal/render/chart", "predictor",
			"predictor/nonscaling", "units"},
		Single: true,
		Why:    "errors are measured on epoch tables, from outside the predictor",
	}, {
		Package: "policy",
		May:     []string{"predictor/power", "units"},
		Pure:    true,
		Why:     "a policy's contract is in terms of time and frequency alone",
	}, {
		Package: "governor/clockwatch", May: []string{"epochs", "units"}, Pure: true,
		Why: "clocks and requests alone show whether the clock obeys",
	}, {
		Package: "governor/correction", Pure: true,
		May: []string{"predictor", "predictor/nonscaling", "units"},
		Why: "the predictions' bias is learned from quanta alone; decisions are the policy's " +
			"concern",
	}, {
		Package: "governor/coalesce", Pure: true,
		Why: "when nobody need look follows from what quanta did and promised",
	}, {
		Package: "governor/saving", Pure: true,
		May: []string{"predictor/power", "units"},
		Why: "what was saved follows from quanta and meters, whatever chose the frequencies",
	}, {
		Package: "internal/energy/verdict", May: []string{"internal/render/printable", "units"},
		Pure: true,
		Why:  "whether it was worth it follows from a few facts, whoever found them",
	}, {
		Package: "governor",
		May: []string{"epochs", "governor/arbiter", "governor/clockwatch", "governor/coalesce",
			"governor/correction", "governor/saving", "hpc", "policy", "predictor",
			"predictor/nonscaling", "predictor/power", "predictor/sensitivity", "units"},
		Pure: true,
		Why:  "the core turns events into actions by the pure packages alone, so that it replays",
	}, {
		Package: "governor/arbiter", May: []string{"units"}, Pure: true,
		Why: "at which clock a domain runs follows from the wishes alone, whoever has them",
	}, {
		Package: "governor/many", May: []string{"epochs", "governor", "governor/arbiter", "units"},
		Pure: true,
		Why:  "several cores are governed as one is, by events and actions, so that they replay",
	}, {
		Package: "governor/live",
		May: []string{"cpufreq", "epochs", "epochs/bpf", "epochs/usdt", "governor",
			"governor/arbiter", "governor/coalesce", "internal/linux/cgroup",
			"internal/linux/monotonic", "internal/linux/proc", "internal/linux/shelter",
			"internal/safefile", "units"},
		Extern: []string{"golang.org/x/sys/unix"},
		Why:    "this host's machine moves events and actions; the core predicts and decides",
	}, {
		Package: "governor/replay", Pure: true,
		May: []string{"epochs", "governor", "governor/arbiter", "governor/coalesce",
			"governor/many", "policy", "predictor/sensitivity", "units"},
		Why: "a recording holds events and actions and must not need the machine they came from",
	},
}
