package qualify

// Predictions are the findings of step 5.
type Predictions struct {
	ClocksHz []int64      `json:"clocks_hz"` // ascending
	Runs     []Timed      `json:"runs"`
	Errors   []ModelError `json:"errors"`
}

// Timed is a program's real time at a clock.
type Timed struct {
	Program   string `json:"program"`
	Hz        int64  `json:"freq_hz"`
	WallNS    int64  `json:"wall_ns"`
	Throttled bool   `json:"throttled"`
}

// ModelError is a model's error, (predicted - measured) / measured.
type ModelError struct {
	Model   string  `json:"model"`
	Program string  `json:"program"`
	FromHz  int64   `json:"from_hz"`
	ToHz    int64   `json:"to_hz"`
	Percent float64 `json:"error_percent"`
}

// Comparison is one program under several settings, in paired rounds.
type Comparison struct {
	Program   string `json:"program"`
	Condition string `json:"condition"` // Alone, Foreign or Limited
	Rounds    int    `json:"rounds"`
	Source    string `json:"energy_source"` // source as bench names it
	Rows      []Row  `json:"settings"`
	// Against compares ebb's settings with others, round by round.
	Against []Versus `json:"against"`
	BestHz  int64    `json:"best_fixed_hz"` // best within the first budget; 0: unknown
	// HeldNS is the time for which a quota held the program back in all runs, by the kernel; nil
	// without a quota.
	HeldNS *int64 `json:"quota_held_ns,omitempty"`
}

// The conditions of a comparison.
const (
	Alone   = "alone"
	Foreign = "beside another program"
	Limited = "under a CPU quota"
)

// ThrottledRun is the trouble of a run in which the hardware held the clock back.
const ThrottledRun = "the hardware held the clock back (throttling)"

// Row is a setting of a comparison. Differences are against the highest frequency.
type Row struct {
	Setting  string    `json:"setting"`
	Kind     string    `json:"kind"`
	Hz       int64     `json:"freq_hz,omitempty"`
	Budget   *float64  `json:"budget,omitempty"`
	WallNS   int64     `json:"wall_ns"`
	EnergyNJ *int64    `json:"energy_nj"`
	Slowdown *Interval `json:"slowdown"`
	Energy   *Interval `json:"energy_change"`
	Trouble  []string  `json:"trouble"`
}

// Versus compares one of ebb's settings with another one.
type Versus struct {
	Of     string    `json:"of"`
	With   string    `json:"with"`
	Time   *Interval `json:"time_change"`
	Energy *Interval `json:"energy_change"`
}

// Interval is a relative difference with its 95 % interval, whose ends are null with one round.
type Interval struct {
	Estimate float64  `json:"estimate"`
	Lo       *float64 `json:"lo"`
	Hi       *float64 `json:"hi"`
	N        int      `json:"rounds"`
}

// Killed are the findings of step 8.
type Killed struct {
	// Governing: the clock was ebb's when it was killed.
	Governing bool  `json:"governing"`
	BackNS    int64 `json:"back_ns"` // time from the kill until all was as before
	// By names who put it back: "guardian", "ebb restore", or "" for nobody.
	By   string   `json:"by"`
	Left []string `json:"left"` // settings that stayed changed
}
