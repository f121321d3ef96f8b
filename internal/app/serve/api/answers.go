package api

// The paths of the answers.
const (
	HealthPath    = "/v1/health"
	TenantsPath   = "/v1/tenants"
	DomainsPath   = "/v1/domains"
	DecisionsPath = "/v1/decisions"
	EnergyPath    = "/v1/energy"
	MetricsPath   = "/metrics"
	LeasePath     = "/v1/lease"
)

// Health is the state of the service that everybody may know.
type Health struct {
	Health string `json:"health"` // one of stateNames
}

// stateNames are the names of a service's states, indexed by board.State.
var stateNames = []string{"starting", "idle", "governing", "ending"}

// Tenants is the answer to TenantsPath.
type Tenants struct {
	Service Service  `json:"service"`
	Tenants []Tenant `json:"tenants"`
}

// Service describes the service as a whole.
type Service struct {
	Health         string `json:"health"`
	Shadow         bool   `json:"shadow"`
	RestorePending *bool  `json:"restore_pending,omitempty"`
	UptimeNS       int64  `json:"uptime_ns"`
	Rest           string `json:"rest,omitempty"`
	LowestHz       int64  `json:"lowest_hz,omitempty"`
	HighestHz      int64  `json:"highest_hz,omitempty"`
	Quanta         Quanta `json:"quanta"`
	LostRecords    uint64 `json:"lost_records"`
}

// Quanta counts quanta by their results.
type Quanta struct {
	Decided   uint64 `json:"decided"`
	Undecided uint64 `json:"undecided"`
	Hole      uint64 `json:"hole"`
	Late      uint64 `json:"late"`
}

// Tenant describes one tenant.
type Tenant struct {
	Name      string `json:"name"`
	Objective string `json:"objective"`
	// SlowdownBudget is present with the objective "slowdown".
	SlowdownBudget *float64 `json:"slowdown_budget,omitempty"`
	// State is "present", "awaited" where it has no process, or "failed" where its governor has
	// ended and it runs at the highest clock.
	State  string `json:"state"`
	Begins uint64 `json:"begins"`
	// ReferenceNS is the time that its work would have taken at the highest clock. ExcessNS is the
	// time beyond that, since the service began.
	ReferenceNS int64  `json:"reference_ns"`
	ExcessNS    int64  `json:"excess_ns"`
	BusyNS      int64  `json:"busy_ns"`
	Quanta      Quanta `json:"quanta"`
	// SinceNS is the time since its last quantum, with which the windows end. A window that is
	// older than its own length is absent. Burnt is a window's slowdown as a share of the budget.
	SinceNS      *int64   `json:"since_ns,omitempty"`
	Slowdown10s  *float64 `json:"slowdown_10s,omitempty"`
	Slowdown5min *float64 `json:"slowdown_5min,omitempty"`
	Burnt10s     *float64 `json:"burnt_10s,omitempty"`
	Burnt5min    *float64 `json:"burnt_5min,omitempty"`
	WishedHz     int64    `json:"wished_hz,omitempty"`
	GotHz        int64    `json:"got_hz,omitempty"`
	Reason       string   `json:"reason,omitempty"`
	BorneNJ      *int64   `json:"imposed_borne_nj,omitempty"`
	CausedNJ     *int64   `json:"imposed_caused_nj,omitempty"`
	SavedNJ      *int64   `json:"saved_nj,omitempty"`
}

// Domains is the answer to DomainsPath.
type Domains struct {
	Shadow  bool     `json:"shadow"`
	Domains []Domain `json:"domains"`
}

// Domain describes the clock of some CPUs, with its reason.
type Domain struct {
	Domain string `json:"domain"`
	// AskedHz is the clock that was asked for, in shadow mode would have been, for By, a tenant or
	// "rest", by its Reason.
	AskedHz    int64  `json:"asked_hz,omitempty"`
	By         string `json:"by,omitempty"`
	Reason     string `json:"reason,omitempty"`
	SinceNS    *int64 `json:"since_ns,omitempty"`
	ReportedHz int64  `json:"reported_hz,omitempty"`
	Refused    bool   `json:"refused"`
	// BusyNS is the time that tenants' threads ran on the CPUs, and Cycles the cycles counted in
	// it.
	BusyNS int64   `json:"busy_ns"`
	Cycles *uint64 `json:"cycles,omitempty"`
}

// Decisions is the answer to DecisionsPath: the newest first.
type Decisions struct {
	Decisions []decision `json:"decisions"`
}

// decision is one decision.
type decision struct {
	Tenant      string `json:"tenant"`
	Result      string `json:"result"`
	AgeNS       int64  `json:"age_ns"`  // time since the quantum's end
	LateNS      int64  `json:"late_ns"` // time from then to the reading behind the decision
	TookNS      int64  `json:"took_ns"`
	BusyNS      int64  `json:"busy_ns"`
	DeliveredHz int64  `json:"delivered_hz"`
	EffectiveHz int64  `json:"effective_hz"`
	ChosenHz    int64  `json:"chosen_hz,omitempty"`
	RanNS       int64  `json:"ran_ns"`
	HighestNS   int64  `json:"highest_ns"`
	SlackNS     int64  `json:"slack_ns"`
	Reason      string `json:"reason,omitempty"`
	LostRecords uint64 `json:"lost_records"`
}

// Energy is the answer to EnergyPath.
type Energy struct {
	Zones []Zone `json:"zones"`
}

// Zone has the energy of a meter while tenants were governed.
type Zone struct {
	Zone     string `json:"zone"`
	Kind     string `json:"kind"`
	Source   string `json:"source"`
	EnergyNJ int64  `json:"energy_nj"`
	// PowerW is the mean power between the two newest readings, at least a second apart.
	PowerW *float64 `json:"power_w,omitempty"`
	AgeNS  *int64   `json:"age_ns,omitempty"` // age of the newest reading
}

// Error is the answer where there is no other, with the reason.
type Error struct {
	Error string `json:"error"`
}

// Wish is the body of a POST to LeasePath.
type Wish struct {
	Slowdown string `json:"slowdown"`
	// Cgroup is the cgroup whose processes get the lease; "": the process that asks gets it, with
	// what it starts.
	Cgroup string `json:"cgroup,omitempty"`
	// For is the user whose lease it is, by number, where root asks; nil: that of whoever asks.
	For *uint32 `json:"for,omitempty"`
}

// Lease is the answer to a POST to LeasePath. The lease lasts as long as the connection.
type Lease struct {
	Tenant         string  `json:"tenant"`
	SlowdownBudget float64 `json:"slowdown_budget"`
}
