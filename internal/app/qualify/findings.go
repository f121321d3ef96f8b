package qualify

// There is the result of step 1: the machine's parts.
type There struct {
	Findings []Finding     `json:"findings"`
	Rivals   []string      `json:"rivals"` // other programs that set frequencies
	Supply   string        `json:"supply"` // "AC", "battery", or "" where the machine does not say
	Turbo    string        `json:"turbo"`  // "on", "off" or "unknown"
	SMT      string        `json:"smt"`    // kernel's word; "" where unknown
	Idle     []string      `json:"idle_states"`
	Domains  []DomainFound `json:"domains"`
}

// Finding is a line of the doctor's page.
type Finding struct {
	What   string `json:"what"`
	State  string `json:"state"`
	Detail string `json:"detail"`
}

// DomainFound is a frequency domain as it was found.
type DomainFound struct {
	ID       int    `json:"policy"`
	CPUs     int    `json:"cpus"`
	Driver   string `json:"driver"`
	Governor string `json:"governor"`
	MinHz    int64  `json:"min_hz"`
	MaxHz    int64  `json:"max_hz"`
	States   int    `json:"states"`
}

// Requests is the result of step 2: how requests for a frequency are kept.
type Requests struct {
	Actuator string `json:"actuator"`
	Reason   string `json:"actuator_reason"`
	LowHz    int64  `json:"lowest_hz"`
	HighHz   int64  `json:"highest_hz"`
	Source   string `json:"speed_source"` // cycles, aperf, loop, ...: see cpufreq/settle
	P50NS    int64  `json:"settle_p50_ns"`
	P99NS    int64  `json:"settle_p99_ns"`
	Settled  int    `json:"requests_settled"`
	Missed   int    `json:"requests_missed"`
	// Ratio is the speed at the highest state over that at the lowest. Asked is the same ratio of
	// the states' frequencies.
	Ratio   float64       `json:"speed_ratio"`
	Asked   float64       `json:"asked_ratio"`
	Trouble string        `json:"trouble,omitempty"`
	Domains []DomainTried `json:"domains"`
	// Of is the number of the machine's frequency domains; 0 in results of older versions.
	Of   int         `json:"of_domains,omitempty"`
	Busy []BusyCores `json:"busy_cores"`
	Warm *Warm       `json:"warm_up,omitempty"`
}

// MostDomains is the number of domains that are tried at most.
const MostDomains = 8

// DomainTried is the effect of requests in one frequency domain, while the others' clocks are the
// lowest.
type DomainTried struct {
	ID    int     `json:"policy"`
	Ratio float64 `json:"speed_ratio"`
	Asked float64 `json:"asked_ratio"`
	// With are the other domains whose clock moved with it. Tried is the number of domains that
	// were watched.
	With  []int `json:"moves_with"`
	Tried int   `json:"watched"`
}

// BusyCores is the speed of one core at the highest request while Busy cores are busy.
type BusyCores struct {
	Busy     int     `json:"busy"`
	Asked    int     `json:"asked,omitempty"` // cores to be kept busy; 0 in older results
	Relative float64 `json:"relative_speed"`  // relative to the speed of one busy core alone
	Hz       int64   `json:"clock_hz"`        // 0 where the source has no unit
}

// Warm is the course of the power under full load until it was flat.
type Warm struct {
	FirstW float64 `json:"first_w"`
	LastW  float64 `json:"last_w"`
	TookNS int64   `json:"took_ns"`
	Flat   bool    `json:"flat"`
}

// Counters is the result of step 3: whether counters count right.
type Counters struct {
	Counted  []string  `json:"counted"` // names of the counters
	Programs []Counted `json:"programs"`
	Memory   *Streamed `json:"memory,omitempty"`
}

// Counted has the counts of one program. Known is 0 where the true number is not known.
type Counted struct {
	Program      string   `json:"program"`
	Hz           int64    `json:"freq_hz"` // frequency that was set; 0: as the machine chose
	RunNS        int64    `json:"run_ns"`
	Known        int64    `json:"known_instructions"`
	Instructions int64    `json:"instructions"`
	Cycles       int64    `json:"cycles"`
	Stalled      *float64 `json:"stalled_share"` // share of cycles by the memory's counters
}

// Streamed has the memory controllers' counts of a known stream.
type Streamed struct {
	Source     string  `json:"source"`
	Known      int64   `json:"known_lines"`
	Read       int64   `json:"read_lines"`
	Background float64 `json:"background_lines_per_s"`
}

// Meters is the result of step 4: the meters, and their figures against each other.
type Meters struct {
	Meters  []Meter    `json:"meters"`
	Against []Compared `json:"against"`
}

// MeterLog is the name of the meter whose log the user gave: the flag's.
const MeterLog = "--meter-csv"

// Meter is one source of power or energy, read at several steps of load.
type Meter struct {
	Name  string `json:"name"`
	Scope string `json:"scope"` // "package": processor and memory; "machine": everything
	// StepJ is the least change that it showed, and PeriodNS the time between two changes.
	StepJ    float64 `json:"step_j"`
	PeriodNS int64   `json:"period_ns"`
	// Follows is the correlation of its power with the busy time. LagS is the time by which it is
	// late.
	Follows float64 `json:"follows"`
	LagS    float64 `json:"lag_s"`
	Frozen  bool    `json:"frozen"`
	Loads   []Load  `json:"loads"`
}

// Load is a step of load.
type Load struct {
	Busy  float64 `json:"busy_share"` // share of all CPUs' time
	Power float64 `json:"power_w"`
	N     int     `json:"readings"`
}

// Compared is one meter against another: the rise of the first where the second rises by one.
type Compared struct {
	Of    string  `json:"of"`
	With  string  `json:"with"`
	Slope float64 `json:"slope"`
	N     int     `json:"loads"`
}
