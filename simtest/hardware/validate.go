package hardware

import (
	"errors"
	"fmt"
	"math"
)

// Validate reports why a profile is no machine, if it is none.
func (p *Profile) Validate() error {
	switch {
	case p.Cores < 1 || p.Cores > MaxCores:
		return fmt.Errorf("profile %s: %d cores, not 1 to %d", p.Name, p.Cores, MaxCores)
	case len(p.States) == 0 || p.States[0] <= 0:
		return fmt.Errorf("profile %s: no states", p.Name)
	}
	for i, f := range p.States[1:] {
		if f <= p.States[i] {
			return fmt.Errorf("profile %s: states do not ascend: %v after %v", p.Name, f,
				p.States[i])
		}
	}
	for _, x := range []struct {
		what string
		v    float64
	}{
		{"reorder buffer", p.ROB},
		{"store queue", p.StoreEntries},
		{"stores in flight", p.StoreParallel},
		{"loads in flight", p.MissParallel},
		{"shared cache's latency", p.L3Ns},
		{"memory's latency", p.DRAMNs},
		{"time of a line", p.LineNs},
	} {
		if !(x.v > 0) || math.IsInf(x.v, 1) {
			return fmt.Errorf("profile %s: %s is %v", p.Name, x.what, x.v)
		}
	}
	return errors.Join(p.SMT.validate(p), p.Transition.validate(p.Name), p.Power.Validate(p.Name),
		p.RAPL.Validate(p.Name))
}
