package report

// Sensitivity is the result of a run with a table of functions.
type Sensitivity struct {
	File      string `json:"file"`
	Functions int    `json:"functions"` // number of functions in the table
	// RunningNS is the running time of all threads, and KnownNS the part in functions of the table.
	RunningNS   int64  `json:"running_ns"`
	KnownNS     int64  `json:"known_ns"`
	Samples     uint64 `json:"samples"`
	LostSamples uint64 `json:"lost_samples"`
	// Visits is the number of visits by which the table was checked. Verdict is the outcome:
	// Unproven, ProvenRight or ProvenWrong.
	Visits int `json:"visits"`
	// Intervals is the number of intervals between samples in which registers were compared.
	Intervals int    `json:"intervals,omitempty"`
	Verdict   string `json:"verdict"`
	// DroppedAfterNS is the time after which a wrong table was dropped.
	DroppedAfterNS int64 `json:"dropped_after_ns,omitempty"`
	// OtherBuilds are files of which the table knows another build.
	OtherBuilds []string `json:"other_builds,omitempty"`
}

// The verdicts on a table.
const (
	Unproven    = "unproven"
	ProvenRight = "right"
	ProvenWrong = "wrong"
)
