package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/ebb-energy/ebb/cgroup"
	"github.com/ebb-energy/ebb/internal/procstat"
)

// checkTarget sees that exactly one target was named.
func (s *settings) checkTarget(args []string) error {
	var named []string
	for flag, given := range map[string]bool{"--pid": s.pid != 0, "--cgroup": s.cgroup != "",
		"--unit": s.unit != "", "a command": len(args) > 0} {
		if given {
			named = append(named, flag)
		}
	}
	slices.Sort(named)
	switch {
	case s.pid < 0:
		return usagef("--pid %d: a process id is positive", s.pid)
	case len(named) == 0:
		return usagef(
			"nothing to govern: give a command after --, or --pid N, --cgroup PATH or --unit NAME",
		)
	case len(named) > 1:
		return usagef("both %s and %s were given; one of them is governed, not both", named[0],
			named[1])
	case s.duration < 0:
		return usagef("--duration %v is negative", s.duration)
	case s.pid != 0 && slices.Contains(forebears(), s.pid):
		return usagef(
			"--pid %d: ebb itself comes from it, and does not govern itself: start it from elsewhere, as from another terminal", s.pid,
		)
	}
	return nil
}

// forebears are the processes that ebb comes from, as far as /proc tells.
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

// attaches says whether the target runs already.
func (s *settings) attaches() bool { return s.pid != 0 || s.cgroup != "" || s.unit != "" }

// openCgroup finds the cgroup that is the target, if one is. What has no process is not waited for.
func (n *session) openCgroup() (err error) {
	s := n.settings
	flag, name, open := "--cgroup", s.cgroup, cgroup.Open
	if s.unit != "" {
		flag, name, open = "--unit", s.unit, cgroup.Unit
	}
	if name == "" {
		return nil
	}
	n.cgroup, err = open(name)
	switch {
	case errors.Is(err, cgroup.ErrNoHierarchy), errors.Is(err, fs.ErrPermission):
		n.cgroup = nil
		return fmt.Errorf("%s %s: %w", flag, name, err)
	case err != nil:
		n.cgroup = nil
		return usagef("%s %s: %w", flag, name, err)
	}
	pids, err := n.cgroup.Processes()
	switch {
	case err != nil:
		return fmt.Errorf("%s %s: %w", flag, name, err)
	case len(pids) == 0:
		return usagef("%s %s: %w", flag, name, cgroup.ErrNotRunning)
	case slices.Contains(pids, os.Getpid()):
		return usagef(
			"%s %s: ebb itself is in it, and does not govern itself: start it from elsewhere, as by sudo systemd-run --scope ebb", flag, name,
		)
	}
	return nil
}

// attach takes the target that runs already.
func (n *session) attach() error {
	s := n.settings
	if n.cgroup == nil {
		n.report.Command = commandOf(s.pid)
		if err := n.machine.Attach(s.pid); err != nil {
			return err
		}
		if n.methods != nil {
			return n.methods.sampler.Attach(s.pid)
		}
		return nil
	}
	if err := n.machine.AttachCgroup(n.cgroup.Wait); err != nil {
		return err
	}
	n.report.Command, n.report.Cgroup = n.target(), n.cgroup.Name
	if n.methods != nil {
		return n.methods.sampler.AttachCgroup(n.cgroup.FD())
	}
	return nil
}

// target names the target, as in a message.
func (n *session) target() string {
	switch {
	case n.settings.unit != "":
		return "unit " + n.settings.unit
	case n.cgroup != nil:
		return "cgroup " + n.cgroup.Name
	default:
		return fmt.Sprintf("process %d", n.machine.PID())
	}
}

// workloadOf names what is run, for the epoch table: the command's file name.
func (n *session) workloadOf(args []string) string {
	switch {
	case len(args) > 0:
		return filepath.Base(args[0])
	case n.cgroup != nil:
		return filepath.Base(n.cgroup.Name)
	default:
		return fmt.Sprintf("pid %d", n.settings.pid)
	}
}

// examineCgroups says whether a cgroup or a unit can be a target.
func examineCgroups() finding {
	f := finding{What: "cgroups", State: "yes"}
	root, err := cgroup.Root()
	switch {
	case errors.Is(err, cgroup.ErrNoHierarchy):
		f.State, f.Detail, f.Advice = "no", err.Error()+
			": targets are commands and processes, not --cgroup and --unit", "mount -t cgroup2 none /sys/fs/cgroup"
	case err != nil:
		f.State, f.Detail = "unknown", err.Error()
	default:
		f.Detail = "version 2 at " + root + ": --cgroup and --unit can be governed"
	}
	return f
}
