package verdict

import (
	"fmt"
	"path"
	"slices"
)

const (
	// spent is the least used share of a budget that counts as the whole budget.
	spent = 0.7
	// little is the share of the busy CPU time below which the work may be done outside of the
	// program. busy is the CPU time of others, as a share of the run, from which on it is. waiting
	// is the CPU time of a program that only waits.
	little, busy, waiting = 0.2, 0.5, 0.05
	// wide is the share of the hardware's clock from which on a limit is not worth a line.
	wide = 0.95
	// fewPairs is a number of pairs below which a saving is not known well.
	fewPairs = 6
)

// Lacks of the machine, which are the same in each of its runs: ebb doctor names them.
const (
	control    = "a machine on which ebb can set the frequency: ebb doctor says what is missing"
	clocks     = "a machine with more than one clock: ebb doctor says what there is"
	parameters = "an energy meter, or this processor's parameters in the configuration ([power])"
	meter      = "an energy meter (RAPL): ebb doctor says what is missing"
	counters   = "a PMU, or a table of the program's functions from a machine that has one " +
		"(--sensitivity FILE): without either, all CPU time counts as scaling with the clock"
)

// OfRun returns the advice that the run itself can follow, and the number of lacks of its machine.
func (v *Verdict) OfRun() (own []string, machine int) {
	for _, s := range v.Better {
		if slices.Contains([]string{control, clocks, parameters, meter, counters}, s) {
			machine++
		} else {
			own = append(own, s)
		}
	}
	return own, machine
}

// improve lists what would make it better, the most important first.
func (v *Verdict) improve(f *Facts) {
	add := func(format string, args ...any) {
		v.Better = append(v.Better, fmt.Sprintf(format, args...))
	}
	switch {
	case !f.Control:
	case f.OneClock && f.LimitedBy != "":
		add("more than one clock to choose from: %s leaves %s alone", f.LimitedBy, f.Highest.Text())
	case f.OneClock:
		add(clocks)
	case f.narrow() && float64(f.Highest) < wide*float64(f.Hardware):
		add("a wider limit, unless you want this one: %s keeps the clock at %s of %s",
			f.LimitedBy, f.Highest.Text(), f.Hardware.Text())
	}
	if f.Control && f.Uneven != "" {
		add("one limit for all CPUs: %s keeps its own at %s, others reach %s", f.Uneven,
			f.UnevenAt.Text(), f.Highest.Text())
	}
	if f.elsewhere() {
		who := "a daemon may do the program's work"
		if f.Client != "" {
			who = "a daemon does the work of " + f.Client
		}
		add("%s: govern the cgroup of that, ebb run --cgroup PATH, "+
			"such as /sys/fs/cgroup/system.slice/docker-ID.scope", who)
	} else if f.Share > 0 && f.Share < leastShare {
		add("run it alone, or govern all that runs: ebb run --cgroup PATH")
	}
	if !f.Control {
		add(control)
	}
	if v.Answer == Unknown && f.Metered && f.Control && f.Pairs < fewPairs &&
		(f.Share == 0 || f.Share >= leastShare) {
		if f.Rounds > 0 {
			add("more rounds: --runs %d", max(2*f.Rounds, 5))
		} else {
			add("a longer run, in which ebb meters the highest clock more often; or ebb bench, " +
				"which compares whole runs")
		}
	}
	if f.Disbelieved != "" && f.Control {
		add("a meter that can be believed: ebb qualify compares it with others; --tdp states " +
			"what the processor draws at most")
	} else if f.Doubt && !f.Metered {
		add(parameters)
	} else if f.Control && f.Below && !f.Metered {
		add(meter)
	}
	switch {
	case f.Budget > 0 && v.Answer == Not:
		add("another objective: --minimize system-energy takes the clock of least energy")
	case f.Budget > 0 && v.Answer == Worth && f.Lost > spent*float64(f.Budget):
		add("a higher budget may save more: --slowdown %v", 2*f.Budget)
	}
	if f.AsGood > 0 && !f.Fixed && v.Answer == Worth {
		add("a fixed clock would do as well: --frequency %v", f.AsGood)
	}
	if !f.Counters && !f.Table && (f.Budget > 0 || v.Answer == Unknown) && !f.Simulated {
		add(counters)
	}
}

// elsewhere reports whether the work seems to be done outside of the program: it waits while others
// keep the machine busy.
func (f *Facts) elsewhere() bool {
	if !(f.Share > 0 && f.Share < little) || float64(f.Others) < busy*float64(f.Wall) {
		return false
	}
	own := float64(f.Others) * f.Share / (1 - f.Share)
	return f.Client != "" || own < waiting*float64(f.Wall)
}

// clients are programs whose work a daemon does.
var clients = []string{"docker", "podman-remote", "nerdctl", "ctr", "crictl", "kubectl",
	"machinectl", "systemd-run", "at", "batch"}

// Client returns the name of the command if a daemon is known to do its work, "" for others.
func Client(command string) string {
	if i := slices.Index(clients, path.Base(command)); i >= 0 {
		return clients[i]
	}
	return ""
}
