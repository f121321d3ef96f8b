package importrules

// simulationRules are of the simulated machine and of the packages that compare runs.
var simulationRules = []Rule{
	{
		Package: "calm", May: []string{"units"}, Pure: true,
		Why: "comparing two runs is arithmetic on their samples",
	}, {
		Package: "simtest/rig", Pure: true,
		May: []string{"units", "epochs", "hpc", "predictor/nonscaling", "governor",
			"governor/rest", "predictor/power", "simtest", "simtest/hardware", "simtest/physics"},
		Why: "the simulated machine moves events and actions, as a host does; its data sheet is " +
			"in the models' terms",
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
	},
}
