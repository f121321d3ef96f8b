package run

import (
	"os"
	"slices"

	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/procstat"
)

// checkTarget checks that exactly one target was named.
func (s *Settings) checkTarget(args []string) error {
	var named []string
	for flag, given := range map[string]bool{
		"--pid": s.Target.PID != 0, "--cgroup": s.Target.Cgroup != "",
		"--unit": s.Target.Unit != "", "a command": len(args) > 0,
	} {
		if given {
			named = append(named, flag)
		}
	}
	slices.Sort(named)
	switch {
	case s.Target.PID < 0:
		return command.Usagef("--pid %d: a process id is positive", s.Target.PID)
	case len(named) == 0:
		return command.Usagef(
			"nothing to govern: give a command after --, or --pid N, --cgroup PATH or --unit NAME",
		)
	case len(named) > 1:
		return command.Usagef("%s and %s were given: name one target, not both", named[0], named[1])
	case s.Duration < 0:
		return command.Usagef("--duration %v is negative", s.Duration)
	case s.Target.PID != 0 && slices.Contains(forebears(), s.Target.PID):
		return command.Usagef(
			"--pid %d: ebb itself descends from this process and cannot govern itself: start "+
				"from elsewhere, such as another terminal", s.Target.PID,
		)
	}
	return nil
}

// forebears are the processes that ebb descends from, as far as /proc shows.
func forebears() (pids []int) {
	for pid := os.Getppid(); pid > 0 && len(pids) < 1000; {
		pids = append(pids, pid)
		stat, err := procstat.Read(pid)
		if err != nil {
			break
		}
		pid = stat.Parent
	}
	return pids
}
