package doctor

import (
	"fmt"
	"time"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/internal/app/config"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
)

// decisionPeriod returns the time between two decisions on a machine with this settle time.
func decisionPeriod(settle time.Duration) time.Duration {
	quantum, holdOff := governor.Calibrate(settle)
	return quantum * time.Duration(holdOff)
}

// verdict returns the finding on what ebb run would do.
func (d *Doctor) verdict(fs *sysfs.FS, tracing Finding, found []cpufreq.Rival) Finding {
	if tracing.State != Good {
		return Finding{run, Missing, "refuses: " + tracing.Detail, tracing.Advice}
	}
	host, err := cpufreq.Open(fs)
	if err != nil {
		states := cpufreq.VirtualStates()
		return Finding{run, Warning,
			fmt.Sprintf(
				"shadow mode: predicts and decides for a virtual processor of %s to %s, writes "+
					"nothing (%v)", states[0].Text(), states[len(states)-1].Text(), err,
			), ""}
	}
	first := host.Probe(nil)[0]
	switch {
	case first.Name == cpufreq.Shadow:
		return Finding{run, Warning,
			"shadow mode: predicts and decides, writes nothing (" + first.Reason + ")", ""}
	case len(found) > 0:
		return Finding{run, Missing, "refuses: " + cpufreq.RefuseRivals(found).Error(),
			examineRivals(found).Advice}
	}
	states, limits := host.States(nil), host.Limits(nil)
	if limits.Fixed() {
		f := Finding{run, Warning, fmt.Sprintf("would govern, but there is one clock to choose "+
			"from, %s", limits.Highest.Text()), ""}
		if limits.File != "" {
			f.Detail += fmt.Sprintf(" of %s", limits.Hardware.Text())
			f.Advice = "widen " + limits.File
		}
		return f
	}
	if limits.Uneven != "" {
		return Finding{run, Warning, fmt.Sprintf("would govern, but %s keeps its CPUs at %s: what "+
			"runs there takes longer than any budget that is counted from %s", limits.Uneven,
			limits.UnevenAt.Text(), limits.Highest.Text()), "widen " + limits.Uneven}
	}
	f := Finding{run, Good,
		fmt.Sprintf("sets the frequency by %s, from %s to %s, so that the program takes at most "+
			"%v longer; restores everything at its end", first.Name, states[0].Text(),
			limits.Highest.Text(), config.Default().Slowdown), ""}
	if limits.Unread != "" {
		f.State = Warning
		f.Detail += "; the CPUs of " + limits.Unread + ", which lacks what that takes, keep theirs"
	}
	return f
}
