package run

import (
	"os"
	"slices"
	"time"

	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/linux/proc"
	"github.com/ebb-energy/ebb/internal/render/printable"
)

// longestRun is the longest duration of a run: a year. More is a mistake.
const longestRun = 365 * 24 * time.Hour

// checkTarget checks that exactly one target was named.
func (s *Settings) checkTarget(args []string) error {
	var named []string
	for flag, given := range map[string]bool{
		"--pid": s.Target.PID != 0, "--cgroup": s.Target.Cgroup != "",
		"--unit": s.Target.Unit != "", "--tenants": s.Tenants.File != "",
		"a command": len(args) > 0,
	} {
		if given {
			named = append(named, flag)
		}
	}
	slices.Sort(named)
	switch {
	case s.Live != "" && !slices.Contains(lives, s.Live):
		return command.Usagef("--live %q: it is table, row or none", s.Live)
	case s.Target.PID < 0:
		return command.Usagef("--pid %d: a process id is positive", s.Target.PID)
	case len(named) == 0:
		return command.Usagef(
			"nothing to govern: give a command after --, or --pid N, --cgroup PATH, " +
				"--unit NAME or --tenants FILE",
		)
	case len(named) > 1:
		return command.Usagef("%s and %s were given: name one target, not both", named[0], named[1])
	case s.Duration < 0:
		return command.Usagef("--duration %v is negative", printable.Given(s.Duration))
	case s.Duration > longestRun:
		return command.Usagef("--duration %s: it can be up to %s; 0, the default, is without end",
			printable.Given(s.Duration), printable.Given(longestRun))
	case s.Methods.WarmUp > longestRun:
		return command.Usagef("--warm-up %s: it can be up to %s",
			printable.Given(s.Methods.WarmUp), printable.Given(longestRun))
	case s.Target.PID != 0 && slices.Contains(ancestors(os.Getpid()), s.Target.PID):
		return command.Usagef(
			"--pid %d: ebb itself descends from this process and cannot govern itself: start "+
				"from elsewhere, such as another terminal", s.Target.PID,
		)
	}
	return nil
}

// ancestors returns the processes that pid descends from, as far as /proc shows; none for 0.
func ancestors(pid int) (pids []int) {
	for pid > 0 && len(pids) < 1000 {
		stat, err := proc.ReadStat(pid)
		if err != nil || stat.Parent == 0 {
			break
		}
		pid = stat.Parent
		pids = append(pids, pid)
	}
	return pids
}
