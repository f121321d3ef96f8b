// Package report has the result of a run: the JSON of --report and the summary a person reads.
//
// Figures and Compare set the reports of several runs beside each other: means with 95 % intervals,
// the spread, and the differences between two groups of runs.
//
// Field names carry their unit. Every energy names its source: "measured" by a meter of the
// machine, "modelled" by the power model that is named beside it. Without either the texts have no
// joules: figures of a default model are called a "reference processor".
package report

import (
	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/energy/verdict"
)

// AllScales states the assumption made if no counter shows the share of running time that waits for
// memory.
const AllScales = "ebb assumes that all CPU time scales with the clock, " +
	"which overestimates the slowdown"

// Schema is the version of the report's fields. It rises when a field goes or changes its meaning,
// not when one is added. Reports without it are older than version 1.
const Schema = 2

// Report is the document that `ebb run --report` writes.
type Report struct {
	Schema  int    `json:"schema_version"` // see Schema
	Version string `json:"ebb_version"`
	Date    string `json:"date,omitempty"` // time of the begin, in RFC 3339's form
	Command string `json:"command,omitempty"`
	PID     int    `json:"pid"` // 0 with a cgroup for a target
	// OwnPID is the same process's id in ebb's own PID namespace, and InnerPID in the process's
	// own, where these are not the machine's first one. All other ids in a report are of the first
	// one, but for the threads' InnerTID.
	OwnPID   int    `json:"own_pid,omitempty"`
	InnerPID int    `json:"inner_pid,omitempty"`
	Cgroup   string `json:"cgroup,omitempty"` // path in the hierarchy
	Host     Host   `json:"machine"`
	// ExitStatus is the command's own, 128 + N when signal N ended it. It is null where the target
	// was no command, or lives on.
	ExitStatus *int `json:"exit_status,omitempty"`

	// Objective is "slowdown", "system-energy", "fixed", or "tenants" where each has its own.
	Objective      string  `json:"objective"`
	SlowdownBudget float64 `json:"slowdown_budget"`         // objective "slowdown"; 0 with others
	FixedHz        int64   `json:"fixed_freq_hz,omitempty"` // for objective "fixed"
	// Rule says how the budget is spent: see policy.Rule.
	Rule           string   `json:"rule,omitempty"`
	Margin         string   `json:"margin,omitempty"` // part of the budget left on purpose
	Actuator       string   `json:"actuator"`         // "setspeed", "clamp", "shadow"
	ActuatorReason string   `json:"actuator_reason"`
	Model          string   `json:"model"`
	Estimator      string   `json:"estimator"`
	EstimatorNote  string   `json:"estimator_note,omitempty"`
	Counters       []string `json:"counters"` // counters of each slice; none without a PMU
	QuantumNS      int64    `json:"quantum_ns"`
	HoldOff        int      `json:"hold_off"`

	// Settle is the time from a request until the delivered clock has it: the median, and the 99th
	// percentile. Source names the instrument: "cycles", "aperf", "loop", "cpuinfo_cur_freq",
	// "scaling_cur_freq", or "given" by the user; "" when it is not known, and Note says why.
	SettleP50NS  int64  `json:"settle_p50_ns,omitempty"`
	SettleP99NS  int64  `json:"settle_p99_ns,omitempty"`
	SettleSource string `json:"settle_source,omitempty"`
	SettleNote   string `json:"settle_note,omitempty"`

	StartedNS int64 `json:"started_ns"` // time of the begin, by CLOCK_MONOTONIC
	// WallNS is the target's time from its first instruction (or the attach) to its end.
	WallNS int64 `json:"wall_ns"`
	// EndingNS is the part after it was asked to end, which ran at the highest frequency.
	EndingNS int64 `json:"ending_ns,omitempty"`
	// ProfiledNS is the sum of the profiled quanta: less than the wall time with a hold-off.
	ProfiledNS int64 `json:"profiled_ns"`
	// IdleNS is the profiled time in which no thread of the target ran.
	IdleNS int64 `json:"idle_ns"`
	// WaitedNS is the part of IdleNS in which a thread could run: others had the CPUs, or a quota
	// withheld them.
	WaitedNS   int64       `json:"waited_ns,omitempty"`
	ThreadTime *ThreadTime `json:"thread_time,omitempty"`

	Decisions int64 `json:"decisions"` // Quanta has fewer of them in a long run
	// Rests are the quanta that lasted for several of the grid, because the program did as
	// forecast; RestQuanta is the number of the grid's quanta in them.
	Rests      int64 `json:"rests,omitempty"`
	RestQuanta int64 `json:"rest_quanta,omitempty"`
	Epochs     int64 `json:"epochs"`
	Rows       int64 `json:"epoch_rows"` // sum over epochs of their running threads

	// MemoryReadBytes and MemoryWrittenBytes are the whole machine's traffic while the target ran,
	// by MemorySource. They are null where the memory controllers are not counted, and MemoryNote
	// says why. MemorySource is "cores" where only the program's own requests are known, and ""
	// where nothing is: the modelled energy of memory is then its constant part.
	MemoryReadBytes    *uint64 `json:"memory_read_bytes,omitempty"`
	MemoryWrittenBytes *uint64 `json:"memory_written_bytes,omitempty"`
	MemorySource       string  `json:"memory_source,omitempty"`
	MemoryNote         string  `json:"memory_note,omitempty"`

	// PowerParameters is the source of the power model's parameters: PowerDefault, of no machine in
	// particular, or PowerStated by the configuration. PowerWindows is the number of windows of the
	// energy meter from which the policy has learned the processor's power instead.
	PowerParameters string `json:"power_parameters,omitempty"`
	PowerWindows    int    `json:"power_windows,omitempty"`

	// MeterComparisons is the number of probes at the highest frequency, each compared by the meter
	// with the time around it. Savings of metered zones rest on them.
	MeterComparisons int `json:"meter_comparisons,omitempty"`
	// HighestHz is the highest frequency that could be chosen.
	HighestHz int64 `json:"highest_freq_hz,omitempty"`
	// Limits says what narrows the choice of frequencies; nil where nothing does.
	Limits *Limits `json:"limits,omitempty"`
	// MachineBusyNS is the CPU time of all programs on the machine; 0 when it is not known.
	MachineBusyNS int64 `json:"machine_busy_ns,omitempty"`
	// Verdict says whether governing was worth it.
	Verdict *verdict.Verdict `json:"verdict,omitempty"`

	// Power names the sources of the machine's power. Older reports do not have it.
	Power *Power `json:"power_source,omitempty"`

	// MachineMeters has the figures of meters of the whole machine.
	MachineMeters []MachineMeter `json:"machine_meters,omitempty"`

	// Sensitivity has the result of a table of functions; null without one.
	Sensitivity *Sensitivity `json:"sensitivity,omitempty"`

	Collections int64 `json:"collections,omitempty"` // garbage collections, where reported

	LostRecords uint64 `json:"lost_records"`
	// Drops counts the records that were lost or degraded, by cause.
	Drops map[string]uint64 `json:"drops,omitempty"`
	// HoleQuanta counts the quanta decided for the highest frequency because their data had holes.
	HoleQuanta  int `json:"hole_quanta"`
	StaleQuanta int `json:"stale_quanta"` // quanta decided more than a quantum too late

	// SlowdownPredicted is the slowdown over all profiled quanta against always-highest: the cost
	// of the clock.
	SlowdownPredicted float64 `json:"slowdown_predicted"`
	// DisplacedNS and TracedNS are ebb's own cost to the program, summed over CPUs: the time that
	// ebb's threads held up the program's, and the time of tracing, with interrupts at InterruptNS
	// each. SlowdownOwn is the program's slowdown by both. SlowdownTotal is the slowdown by clock
	// and ebb together, as a stopwatch shows it against a run without ebb.
	DisplacedNS   int64   `json:"displaced_ns"`
	TracedNS      int64   `json:"traced_ns"`
	InterruptNS   int64   `json:"interrupt_ns"`
	SlowdownOwn   float64 `json:"slowdown_own"`
	SlowdownTotal float64 `json:"slowdown_total"`
	// ForecastError is the mean over quanta of |slowdown of the chosen frequency that the decision
	// in force expected - slowdown by the quantum itself|. It is null with fewer than two
	// decisions.
	ForecastError *float64 `json:"slowdown_forecast_mean_abs_error"`

	// Comparisons is the number of quanta whose prediction could be compared with what came, by
	// instructions. PredictionError is the mean of |ln(actual / predicted)| of the time per
	// instruction. PredictionBias is the bias of the predictions at the end, which ebb then
	// corrected, in ln of time per ln of frequency.
	Comparisons     int      `json:"predictions_compared"`
	PredictionError *float64 `json:"prediction_mean_abs_error"`
	PredictionBias  float64  `json:"prediction_lean"`
	// Alpha is the mean place of the non-scaling time in its bracket. Probes counts the quanta at
	// the highest frequency that only served to compare.
	Alpha  float64 `json:"alpha_mean"`
	Probes int     `json:"probes"`

	// StalledNS is the time for which ebb did nothing, where its guardian therefore restored the
	// frequencies. ebb set none from then on.
	StalledNS int64 `json:"stalled_ns,omitempty"`

	OwnCPUNS      int64 `json:"own_cpu_ns"`
	OwnStartCPUNS int64 `json:"own_start_cpu_ns"` // CPU time before the target ran
	OwnRSSBytes   int64 `json:"own_rss_bytes"`    // peak of the resident memory

	Frequencies []FrequencyShare `json:"frequencies"`
	Energy      []Energy         `json:"energy"`
	Threads     []Thread         `json:"threads"`
	// Tenants is null where one target alone was governed.
	Tenants *Tenants `json:"tenants,omitempty"`
	// NotTraced is nil where the threads have the target's whole CPU time.
	NotTraced *NotTraced `json:"not_traced,omitempty"`
	Quanta    []Quantum  `json:"quanta"`
	// Attribution divides the energy among threads and methods.
	Attribution *profile.Profile `json:"attribution,omitempty"`
	// Network is the traffic of the target's processes; null when that was not asked for.
	Network  *Network `json:"network,omitempty"`
	Refusals []string `json:"refusals,omitempty"`
	// Rivals are other programs that may have set frequencies. Foreign are settings of ebb's that
	// others changed.
	Rivals   []string  `json:"rivals,omitempty"`
	Foreign  []Foreign `json:"foreign_changes,omitempty"`
	Warnings []string  `json:"warnings,omitempty"`
}

// ThreadTime divides the profiled time of all threads by what they did.
type ThreadTime struct {
	RunningNS     int64 `json:"running_ns"`
	RunnableNS    int64 `json:"runnable_ns"`     // others had the CPU
	ThrottledNS   int64 `json:"throttled_ns"`    // the quota was used up
	WaitProgramNS int64 `json:"wait_program_ns"` // waits for another thread of the program
	WaitWorldNS   int64 `json:"wait_world_ns"`   // waits for a device, a timer or another program
}

// Host describes the machine of the run.
type Host struct {
	Name   string `json:"name,omitempty"` // machine's own name in the network
	Kernel string `json:"kernel"`
	CPUs   int    `json:"cpus"`
	Model  string `json:"cpu_model,omitempty"`
}

// Foreign is a control of a frequency domain that another program changed during the run.
type Foreign struct {
	Domain  int    `json:"policy"`
	Control string `json:"control"` // scaling_governor, ...
	Times   int    `json:"times"`
	Value   string `json:"value"`   // last value found
	Yielded bool   `json:"yielded"` // the domain was left to the other program
}

// FrequencyShare is the time for which a frequency was in effect; in shadow mode, would have been.
type FrequencyShare struct {
	FreqHz int64 `json:"freq_hz"`
	TimeNS int64 `json:"time_ns"`
}

// Sources of an Energy.
const (
	Measured = "measured" // by a meter of the machine, for all that ran there
	Modelled = "modelled" // by the named power model, for the target alone
	// Reference is a power model that describes no machine in particular, for the target alone. It
	// compares clocks, in percent. Its joules are not shown.
	Reference = "reference processor"
)

// Energy is one zone's energy over the run, beside its energy always at the highest frequency.
// Zones overlap where their names say so: cores are part of their package.
type Energy struct {
	Zone string `json:"zone"`
	// Kind is a measured zone's: "package", "cores", "graphics", "dram" or "psys".
	Kind   string `json:"kind,omitempty"`
	Source string `json:"source"` // Measured, Modelled or Reference
	// Model names the power model of Modelled or Reference, or the one that estimated MaxFreqNJ of
	// Measured.
	Model    string `json:"model,omitempty"`
	Meter    string `json:"meter,omitempty"` // with Measured: "perf" or "powercap"
	EnergyNJ int64  `json:"energy_nj"`
	// EndingNJ is the energy used in the report's EndingNS.
	EndingNJ int64 `json:"ending_energy_nj,omitempty"`
	// MaxFreqNJ of a measured zone is estimated from the meter at the highest frequency. Where the
	// meter was not learned from, it is estimated by the model's ratio. 0 when unknown.
	MaxFreqNJ int64 `json:"max_freq_energy_nj"`
	// MaxFreqLoNJ and MaxFreqHiNJ are the ends of its 90 % interval, only with Measured, and only
	// where the meter was learned from.
	MaxFreqLoNJ int64 `json:"max_freq_energy_lo_nj,omitempty"`
	MaxFreqHiNJ int64 `json:"max_freq_energy_hi_nj,omitempty"`
	ProfiledNS  int64 `json:"profiled_ns"` // time that the energy covers
	// Frozen says that the meter stood still: the energy says nothing.
	Frozen    bool   `json:"frozen,omitempty"`
	Resets    int    `json:"resets,omitempty"`     // number of the meter's resets
	UnknownNS int64  `json:"unknown_ns,omitempty"` // time whose energy is missing because of resets
	Problem   string `json:"problem,omitempty"`    // why the last reading failed
	Doubt     string `json:"doubt,omitempty"`      // why the meter is not believed
}

// Thread is one thread of the target. Run time and switches are the kernel's own accounts from the
// moment tracing began. Traced times are what ebb saw: less with a hold-off.
type Thread struct {
	TID int32 `json:"tid"`
	PID int32 `json:"pid"`
	// InnerTID is its id in its own PID namespace, as that of a container; 0 where that is the
	// machine's first one, or the kernel does not say it. A process's is its first thread's.
	InnerTID       int32  `json:"inner_tid,omitempty"`
	Comm           string `json:"comm"`
	Tenant         string `json:"tenant,omitempty"` // name of its tenant, where there are several
	RunNS          int64  `json:"run_ns"`
	Switches       uint64 `json:"switches"`
	FutexSleeps    uint64 `json:"futex_sleeps"`
	TracedRunNS    int64  `json:"traced_run_ns"`
	TracedSwitches uint64 `json:"traced_switches"`
}

// Quantum is one decision.
type Quantum struct {
	StartNS int64 `json:"start_ns"` // time since the target's start
	DurNS   int64 `json:"dur_ns"`
	FreqHz  int64 `json:"freq_hz"` // frequency that the quantum was measured at
	// EffectiveHz is the frequency that was asked for while the quantum ran; in shadow mode, would
	// have been.
	EffectiveHz          int64   `json:"effective_hz"`
	PredictedMaxNS       int64   `json:"predicted_max_ns"`
	PredictedEffectiveNS int64   `json:"predicted_effective_ns"`
	ExpectedSlowdown     float64 `json:"expected_slowdown"` // by the decision in force
	Slowdown             float64 `json:"slowdown"`          // by this quantum's own prediction
	Epochs               int     `json:"epochs"`
	BusyNS               int64   `json:"busy_ns"`
	RunNS                int64   `json:"run_ns"`
	ChosenHz             int64   `json:"chosen_hz"`
	PredictedChosenNS    int64   `json:"predicted_chosen_ns"`
	SlackNS              int64   `json:"slack_ns"`
	Reason               string  `json:"reason"`
	// PredictionError is ln(actual / predicted) of the time per instruction, null where nothing
	// could be compared.
	PredictionError *float64 `json:"prediction_error"`
	Alpha           float64  `json:"alpha"`
	Doubt           float64  `json:"doubt"` // share of the duration at the highest frequency
}
