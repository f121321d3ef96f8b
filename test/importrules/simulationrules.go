package importrules

// simulationRules are the rules of the simulated machine and of the packages that compare runs.
var simulationRules = []Rule{
	{
		Package: "internal/app/perturbation",
		May: []string{"internal/app/bench", "internal/app/report", "internal/energy/profile",
			"internal/instrumented", "internal/linux/monotonic", "internal/linux/proc",
			"internal/linux/sysfs", "internal/render/chart", "internal/render/printable",
			"internal/safefile", "internal/sandbox", "rapl", "units"},
		Extern: []string{"golang.org/x/sys/unix"},
		Why: "runs of the command itself show whether a program is calm, so it needs no " +
			"part of a run",
	}, {
		Package: "simtest/simhost",
		May: []string{"epochs", "governor", "governor/arbiter", "governor/coalesce", "hpc",
			"predictor/nonscaling", "predictor/power", "simtest", "simtest/hardware", "units"},
		Pure: true,
		Why: "the simulated machine moves events and actions, as a host does; its data sheet is " +
			"in the models' terms",
	}, {
		Package: "simtest/hardware",
		May:     []string{"hpc", "units"},
		Pure:    true,
		Why:     "a machine is described by numbers alone, before anything runs on it",
	}, {
		Package: "simtest",
		May:     []string{"epochs", "hpc", "simtest/hardware", "units"},
		Pure:    true,
		Why: "with the predictor's or the policy's model, the simulation would test a model " +
			"against itself",
	}, {
		Package: "simtest/campaign",
		May: []string{"epochs", "governor", "governor/arbiter", "governor/many", "governor/replay",
			"hpc", "policy", "simtest", "simtest/hardware", "simtest/oracle", "simtest/simhost",
			"simtest/workload", "units"},
		Pure: true,
		Why: "the invariants are checked from outside, on the governor and the machine as they " +
			"are, and what it saves beside what an oracle does",
	}, {
		Package: "simtest/workload", May: []string{"simtest"}, Pure: true,
		Why: "a program knows neither its observer nor the setter of its clock",
	}, {
		Package: "internal/app/bench",
		May: []string{"internal/app/config", "internal/command", "internal/energy/verdict",
			"internal/render/chart", "internal/render/printable", "internal/safefile",
			"internal/tolerance", "policy", "units"},
		Extern: []string{"github.com/spf13/cobra", "golang.org/x/sys/unix"},
		Why:    "what runs show does not depend on whether a host or a simulation made them",
	}, {
		Package: "internal/app/bench/host",
		May: []string{"cpufreq", "governor/live", "internal/app/bench", "internal/app/report",
			"internal/linux/monotonic", "internal/linux/proc", "internal/linux/shelter",
			"internal/linux/sysfs", "internal/render/printable", "internal/safefile",
			"predictor/power", "rapl", "units"},
		Extern: []string{"golang.org/x/sys/unix"},
		Why: "runs on this machine set its frequency through cpufreq and read what ebb " +
			"itself reports",
	}, {
		Package: "simtest/baseline",
		May:     []string{"simtest", "simtest/hardware", "units"}, Pure: true,
		Why: "the governors that ebb is compared with share none of its models, and see only " +
			"the machine's samples",
	}, {
		Package: "simtest/oracle",
		May:     []string{"simtest", "simtest/hardware", "units"}, Pure: true,
		Why: "the limit for all governors is found from whole runs alone, and knows no " +
			"governor's decisions",
	}, {
		Package: "internal/lab/eval",
		May: []string{"epochs", "governor", "hpc", "internal/render/chart", "policy",
			"predictor", "simtest", "simtest/baseline", "simtest/campaign", "simtest/hardware",
			"simtest/oracle", "simtest/simhost", "simtest/workload", "units"},
		Why: "the evaluation lets the governor and what it is compared with work on the " +
			"simulated machine, and touches no real one",
	}, {
		Package: "internal/lab/vesta",
		May:     []string{"internal/power/powermodel", "internal/safefile"},
		Extern:  []string{"github.com/BurntSushi/toml"},
		Why: "models are compared on tables that were metered before; a sweep has the built " +
			"command meter them, and does nothing on the machine itself",
	}, {
		Package: "internal/lab/chappie",
		May: []string{"internal/app/perturbation", "internal/render/chart",
			"internal/safefile"},
		Why: "several programs are compared by the files that ebb calm writes of each",
	},
}
