package run

import (
	"path/filepath"
	"strings"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/epochs/bpf"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/arbiter"
	"github.com/ebb-energy/ebb/governor/many"
	"github.com/ebb-energy/ebb/internal/app/config"
	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/linux/cgroup"
	"github.com/ebb-energy/ebb/units"
)

// tenantConfigs returns the tenants' settings: the run's, with each one's budget or objective.
// Where the rest is governed, its settings come last.
func (r *run) tenantConfigs(states []units.Frequency) (cfg many.Config) {
	s := r.settings
	cfg.Quantum = s.Quantum
	list := s.Tenants.Tenants.Tenants
	for i := range list {
		cfg.Tenants = append(cfg.Tenants, r.tenantConfig(states, arbiter.Tenant(i+1), &list[i]))
	}
	if rest := s.Tenants.Rest; rest != config.RestBackground {
		t := config.Tenant{Name: "rest"}
		if rest == config.RestSystemEnergy {
			t.Objective = config.MinimizeSystemEnergy
		}
		cfg.Tenants = append(cfg.Tenants, r.tenantConfig(states, s.restNumber(), &t))
		last := &cfg.Tenants[len(list)].Config
		last.Counters, last.Predictor.Estimator = nil, "none" // the records of the rest are sums
	}
	return cfg
}

// tenantConfig returns the settings of one tenant.
func (r *run) tenantConfig(states []units.Frequency, n arbiter.Tenant, t *config.Tenant,
) many.Tenant {
	c := r.settings.Config
	c.Minimize, c.Frequency = t.Objective, 0
	switch {
	case t.Budget:
		c.Slowdown = t.Slowdown
	case t.Objective == "":
		c.Frequency = states[len(states)-1]
	}
	g := c.Governor(states)
	g.Shadow, g.Counters = r.Actuator.Name() == cpufreq.Shadow, r.Counted.Names
	return many.Tenant{Number: n, Config: g}
}

// restNumber returns the number by which programs that are no tenant's are governed. A service's
// tenants may have any other.
func (s *Settings) restNumber() arbiter.Tenant {
	if s.Tenants.Instruments != nil {
		return bpf.MaxTenants + 1
	}
	return arbiter.Tenant(len(s.Tenants.Tenants.Tenants) + 1)
}

// describeTenants fills in the tenants' fields of the report that are known before the run.
func (r *run) describeTenants(all *several, cfg *many.Config) {
	d := &r.Report
	d.Command, d.Objective = all.String(), report.ObjectiveTenants
	d.SlowdownBudget, d.FixedHz, d.Rule, d.Margin = 0, 0, "", ""
	d.Warnings = append(d.Warnings, all.guess...)
	d.Tenants = &report.Tenants{File: all.file, Rest: string(r.settings.Tenants.Rest)}
	root, _ := cgroup.Root()
	for i, t := range r.settings.Tenants.Tenants.Tenants {
		c := &cfg.Tenants[i].Config
		out := report.Tenant{Name: t.Name, Unit: t.Unit, PID: t.PID,
			Objective: string(c.Objective)}
		if dir := all.locations[i].Dir; dir != "" {
			out.Cgroup = filepath.Join("/", strings.TrimPrefix(dir, root))
		}
		if c.Objective == governor.Slowdown {
			out.SlowdownBudget = float64(c.Slowdown)
		}
		d.Tenants.List = append(d.Tenants.List, out)
	}
}
