package doctor

import (
	"fmt"
	"time"

	"github.com/ebb-energy/ebb/config"
	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/internal/sysfs"
	"github.com/ebb-energy/ebb/rivals"
)

// decisionPeriod is the time between two decisions on a machine with this settle time.
func decisionPeriod(settle time.Duration) time.Duration {
	quantum, holdOff := governor.Calibrate(settle)
	return quantum * time.Duration(holdOff)
}

// verdict is what ebb run would do.
func (d *Doctor) verdict(fs *sysfs.FS, tracing Finding, found []rivals.Rival) Finding {
	if tracing.State != Good {
		return Finding{run, Missing, "refuses: " + tracing.Detail, tracing.Advice}
	}
	host, err := cpufreq.Open(fs)
	if err != nil {
		states := cpufreq.VirtualStates()
		return Finding{run, Warning,
			fmt.Sprintf(
				"shadow mode: predicts and decides for a virtual processor of %v to %v, writes "+
					"nothing (%v)", states[0], states[len(states)-1], err,
			), ""}
	}
	first := host.Probe(nil)[0]
	switch {
	case first.Name == cpufreq.Shadow:
		return Finding{run, Warning,
			"shadow mode: predicts and decides, writes nothing (" + first.Reason + ")", ""}
	case len(found) > 0:
		return Finding{run, Missing, "refuses: " + rivals.Refuse(found).Error(),
			examineRivals(found).Advice}
	}
	states := host.States(nil)
	return Finding{run, Good,
		fmt.Sprintf("sets the frequency by %s, from %v to %v, so that the program takes at most "+
			"%v longer; restores everything at its end",
			first.Name, states[0], states[len(states)-1], config.Default().Slowdown), ""}
}
