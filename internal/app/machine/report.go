package machine

import (
	"time"

	"github.com/ebb-energy/ebb/internal/energy/groups"
	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/power/wattmeter"
	"github.com/ebb-energy/ebb/units"
)

// Report is all that was counted since the begin. It has energies only where there is a meter, or a
// power model that the user named.
type Report struct {
	Date      string `json:"date"`
	WallNS    int64  `json:"wall_ns"`
	Hierarchy string `json:"hierarchy"` // hierarchy of cgroups: "v2", or a subsystem of version 1
	Power     string `json:"power"`     // rung of the ladder that the joules come from
	// LowW and HighW bound the machine's power where nothing says more.
	LowW     float64 `json:"low_w,omitempty"`
	HighW    float64 `json:"high_w,omitempty"`
	GroupsNS int64   `json:"groups_ns"` // CPU time of all groups
	OthersNS int64   `json:"others_ns"`
	IdleNS   int64   `json:"idle_ns"`
	// Refused is the number of stretches that found no room in the kernel's map.
	Refused   uint64  `json:"refused"`
	ShareIdle string  `json:"share_idle,omitempty"`
	Zones     []Zone  `json:"zones,omitempty"`
	Groups    []Group `json:"groups"`

	detail string // detail of the rung
}

// Zone is a part of the machine that a meter covers. A model has one zone, whose MeasuredNJ is the
// predicted energy.
type Zone struct {
	Name           string  `json:"zone"`
	Source         string  `json:"source"`
	Counted        bool    `json:"counted"` // neither part of another zone nor the sum of others
	MeasuredNJ     int64   `json:"measured_nj"`
	LowNJ          *int64  `json:"low_nj,omitempty"` // low end of a model's interval; nil: unknown
	HighNJ         *int64  `json:"high_nj,omitempty"`
	AttributedNJ   int64   `json:"attributed_nj"`
	OthersNJ       int64   `json:"others_nj"`
	IdleNJ         int64   `json:"idle_nj"`
	UnattributedNJ int64   `json:"unattributed_nj"`
	IdleW          float64 `json:"idle_w,omitempty"` // idle power; absent until it is known
	Doubt          string  `json:"doubt,omitempty"`
}

// Group is a job, a pod or a unit: cgroups that belong together.
type Group struct {
	Kind   string  `json:"kind"`
	Name   string  `json:"name"`
	CPUNS  int64   `json:"cpu_ns"`
	Energy []joule `json:"energy,omitempty"`
}

// joule is a group's energy of a zone, with its interval.
type joule struct {
	Zone     string `json:"zone"`
	EnergyNJ int64  `json:"energy_nj"`
	LowNJ    int64  `json:"low_nj"`
	HighNJ   int64  `json:"high_nj"`
	// IdleNJ is the group's part of the idle energy, beside its own.
	IdleNJ *int64 `json:"idle_nj,omitempty"`
}

// reported returns the report of an account.
func reported(a *groups.Account, m *meters, wall time.Duration) *Report {
	cpu := a.CPU()
	r := &Report{Date: time.Now().Format(time.RFC3339), WallNS: int64(wall), Power: m.taken,
		GroupsNS: int64(cpu.Groups), OthersNS: int64(cpu.Others), IdleNS: int64(cpu.Idle),
		Groups: []Group{}}
	rung := wattmeter.Find(m.rungs, m.taken)
	r.detail, r.LowW, r.HighW = rung.Detail, rung.LowW, rung.HighW
	names := make([]string, 0, len(m.zones))
	for i := range m.zones {
		names = append(names, m.zones[i].Name)
	}
	counted, idle := profile.Counted(names), a.IdlePower()
	for i, t := range a.Totals() {
		r.Zones = append(r.Zones, Zone{Name: names[i], Source: string(m.zones[i].Source),
			Counted: counted[i], MeasuredNJ: int64(t.Measured), AttributedNJ: int64(t.Attributed),
			OthersNJ: int64(t.Others), IdleNJ: int64(t.Idle),
			UnattributedNJ: int64(t.Unattributed), IdleW: float64(idle[i]), Doubt: m.doubt[i]})
	}
	if m.model != nil {
		if low, high, ok := m.model.interval(); ok {
			r.Zones[0].LowNJ, r.Zones[0].HighNJ = new(int64(low)), new(int64(high))
		}
	}
	for _, row := range a.Rows() {
		g := Group{Kind: row.Kind, Name: row.Name.Name, CPUNS: int64(row.CPU)}
		for i := range names {
			j := joule{Zone: names[i], EnergyNJ: int64(row.Energy[i]), LowNJ: int64(row.Low[i]),
				HighNJ: int64(row.High[i])}
			if row.Idle != nil {
				j.IdleNJ = new(int64(row.Idle[i]))
			}
			g.Energy = append(g.Energy, j)
		}
		r.Groups = append(r.Groups, g)
	}
	return r
}

// sum returns the sum of a group's energies over the zones that add up to the machine's.
func (r *Report) sum(g *Group, of func(*joule) int64) (e units.Energy) {
	for i := range g.Energy {
		if r.Zones[i].Counted {
			e += units.Energy(of(&g.Energy[i]))
		}
	}
	return e
}

// total returns the sum of the zones' own energies over the zones that add up to the machine's.
func (r *Report) total(of func(*Zone) int64) (e units.Energy) {
	for i := range r.Zones {
		if r.Zones[i].Counted {
			e += units.Energy(of(&r.Zones[i]))
		}
	}
	return e
}
