package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/cpufreq/guardian"
	"github.com/ebb-energy/ebb/cpufreq/settle"
	"github.com/ebb-energy/ebb/internal/inventory"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/internal/render/printable"
)

// examineFrequency describes the machine's frequency domains.
func examineFrequency(fs *sysfs.FS) Finding {
	host, err := cpufreq.Open(fs)
	switch {
	case errors.Is(err, cpufreq.ErrNone):
		return Finding{"frequency", Missing, err.Error(),
			"most virtual machines have none: run ebb on the host, or use shadow mode to predict " +
				"the saving"}
	case err != nil:
		return Finding{"frequency", Warning, err.Error(), ""}
	}
	d := &host.Domains[0]
	f := Finding{"frequency", Good,
		fmt.Sprintf("%s, driver %s, governor %s", printable.Count(len(host.Domains), "domain"),
			orUnknown(d.Driver), d.Governor), ""}
	if d.EPP {
		f.Detail += ", hardware or driver choose by an energy preference"
	}
	for _, s := range host.Skipped {
		f.Detail += fmt.Sprintf("; policy%d cannot be read: %v", s.Domain, s.Err)
	}
	return f
}

// examineStates names the frequencies that ebb would choose from.
func examineStates(fs *sysfs.FS) Finding {
	host, err := cpufreq.Open(fs)
	if err != nil {
		states := cpufreq.VirtualStates()
		return Finding{"states", Missing,
			fmt.Sprintf("shadow mode uses a virtual processor's, %s to %s", states[0].Text(),
				states[len(states)-1].Text()), ""}
	}
	states, limits := host.States(nil), host.Limits(nil)
	d := &host.Domains[0]
	f := Finding{"states", Good,
		fmt.Sprintf("%s to %s in %s, boost %v", states[0].Text(), limits.Highest.Text(),
			printable.Count(limits.States, "state"), d.Boost), ""}
	if d.Synthesised {
		f.Detail += "; the driver lists none, so they are steps between its limits"
	}
	if limits.Turbo {
		f.Detail += fmt.Sprintf("; %s stands for turbo: the clock there is at least that, and "+
			"the cycle counter shows which", limits.Highest.Text())
	}
	if d.Min > d.HardwareMin || d.Max < d.HardwareMax {
		f.Detail += fmt.Sprintf("; the limits %s to %s exclude some of %s to %s", d.Min.Text(),
			d.Max.Text(), d.HardwareMin.Text(), d.HardwareMax.Text())
		f.Advice = "widen scaling_min_freq and scaling_max_freq unless you want these limits: " +
			"ebb stays within them"
	}
	if limits.Narrow() {
		f.Detail += fmt.Sprintf("; %s keeps the clock at %s of %s", limits.File,
			limits.Highest.Text(), limits.Hardware.Text())
		f.Advice = "widen " + limits.File + " unless you want this limit: ebb stays within it"
	}
	if limits.Uneven != "" {
		f.State = Warning
		f.Detail += fmt.Sprintf("; %s keeps its CPUs at %s, others reach %s", limits.Uneven,
			limits.UnevenAt.Text(), limits.Highest.Text())
		f.Advice = "widen " + limits.Uneven + ": what runs there takes longer, whatever the budget"
	}
	if cpufreq.Cooled(fs) {
		f.Detail += "; heat holds the clock back now"
		f.Advice = "let the machine cool down before you compare runs"
	}
	switch {
	case limits.Fixed() && limits.File != "":
		f.State, f.Advice = Missing, "widen "+limits.File+": with one state there is nothing to "+
			"choose"
	case limits.Fixed():
		f.State = Missing
		f.Detail += "; with one state there is nothing to choose"
	}
	return f
}

// examineActuator says how ebb would set a frequency, and why.
func examineActuator(fs *sysfs.FS) Finding {
	host, err := cpufreq.Open(fs)
	if err != nil {
		return Finding{"actuator", Missing, cpufreq.Shadow + ": " + err.Error(), ""}
	}
	choices := host.Probe(nil)
	var tries []string
	for _, c := range choices {
		tries = append(tries, c.Name+" ("+c.Reason+")")
	}
	f := Finding{"actuator", Good, "would try " + strings.Join(tries, ", then "), ""}
	switch {
	case choices[0].Name == cpufreq.Shadow && errors.Is(host.Writable(), sysfs.ErrRefused):
		f.State, f.Advice = Warning, "run as root: sudo ebb doctor"
	case choices[0].Name == cpufreq.Shadow:
		f.State = Missing
	case strings.Contains(choices[0].Reason, "modprobe"):
		f.Advice = "modprobe cpufreq_userspace: with the userspace governor a request takes " +
			"effect in the write itself"
	}
	return f
}

// examineSettle measures the settle time, when that was asked for.
func (d *Doctor) examineSettle(fs *sysfs.FS, found []cpufreq.Rival) Finding {
	f := Finding{What: "settle time", State: Warning}
	host, err := cpufreq.Open(fs)
	if err != nil || host.Probe(nil)[0].Name == cpufreq.Shadow {
		f.State, f.Detail = Missing, "there is no frequency that ebb could set"
		return f
	}
	if d.Measure && !inventory.KernelsOwn(d.Sysfs) {
		f.Detail = "not measured: " + d.Sysfs + " is no tree of this machine's kernel"
		return f
	}
	if !d.Measure {
		f.Detail = "not measured: that sets frequencies for a tenth of a second; ebb run does it " +
			"at its start"
		f.Advice = "sudo ebb doctor --measure"
		return f
	}
	if len(found) > 0 {
		f.Detail = "not measured, because other programs set frequencies: " +
			cpufreq.RivalNames(found)
		return f
	}
	a, err := cpufreq.Start(fs, cpufreq.Config{RunDir: d.RunDir, Guard: guardian.Over})
	if err != nil {
		f.Detail = "not measured: " + err.Error()
		return f
	}
	r, err := settle.Run(fs, a)
	if f.State, f.Detail = Good, r.String(); errors.Is(err, settle.ErrNoEffect) {
		f.State, f.Detail = Missing, err.Error()+"; ebb run uses shadow mode"
	} else if err != nil {
		f.State, f.Detail = Warning, err.Error()
	} else {
		f.Detail += "; so ebb would decide every " + decisionPeriod(r.P99).String()
	}
	if states := a.States(); r.Short(states[len(states)-1]) {
		f.Detail += fmt.Sprintf("; %s was requested and %s delivered",
			states[len(states)-1].Text(), r.Highest.Text())
	}
	switch restored, err := a.Close(); {
	case err != nil:
		f.State, f.Detail, f.Advice = Warning, f.Detail+"; putting the frequencies back: "+
			err.Error(), "sudo ebb restore"
	case restored.Count(cpufreq.Kept) > 0:
		f.Detail += "; another program changed a control meanwhile, and ebb left it"
	}
	return f
}

// rivals finds other programs that set frequencies.
func (d *Doctor) rivals(sys *sysfs.FS) []cpufreq.Rival {
	// An error means that no processes can be read, and so no rivals.
	found, _ := cpufreq.FindRivals(cpufreq.RivalPlaces{Proc: d.Proc, Run: "/run", Sys: sys})
	return found
}

func examineRivals(found []cpufreq.Rival) Finding {
	if len(found) == 0 {
		return Finding{"rivals", Good, "no other program that sets frequencies was found", ""}
	}
	var details, stops []string
	for _, r := range found {
		details = append(details, r.String()+" "+r.What)
		stops = append(stops, r.Stop)
	}
	return Finding{"rivals", Warning, strings.Join(details, "; "),
		strings.Join(stops, "; ") + "; or govern beside it with ebb run --takeover"}
}

// examineLeftover looks for another ebb, running or killed.
func (d *Doctor) examineLeftover() Finding {
	f := Finding{What: "other ebb", State: Good,
		Detail: "no other ebb is running; nothing to restore"}
	switch l, err := cpufreq.Look(d.RunDir); {
	case errors.Is(err, fs.ErrPermission), errors.Is(err, cpufreq.ErrUnsafe):
		f.State, f.Detail, f.Advice = Warning, err.Error(), "run as root: sudo ebb doctor"
	case err != nil:
		f.State, f.Detail = Warning, err.Error()
	case l.Running != 0:
		f.State, f.Detail = Warning, fmt.Sprintf("process %d holds the frequencies", l.Running)
	case l.Killed != 0:
		f.State, f.Detail, f.Advice = Warning, fmt.Sprintf(
			"process %d was killed before it could put the frequencies back", l.Killed,
		), "sudo ebb restore"
	}
	return f
}

func orUnknown(s string) string {
	if s == "" {
		return "(unnamed)"
	}
	return s
}
