package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/epochs/bpf"
	"github.com/ebb-energy/ebb/governor/live"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/regular"
	"github.com/ebb-energy/ebb/sandbox"
)

// Values of --collector-phases; any other is a file.
const (
	phasesAuto = "auto" // of the JVMs that can be found
	phasesOff  = "off"
)

func (s *settings) collectorFlag(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&s.collector, "collector-phases", "",
		"have a JVM tell when its garbage collector works, for the model coop: auto, off, or the `FILE` of a libjvm.so (default: auto with the model coop, else off)")
	f.Lookup("collector-phases").NoOptDefVal = phasesAuto
}

// followCollectors attaches to the collectors' probes. No JVM where one was only hoped for is a
// warning of the report.
func (n *session) followCollectors(args []string) error {
	s := n.settings
	switch {
	case s.collector == phasesOff:
		return nil
	case s.collector == "" && !strings.HasPrefix(s.config.Model, "coop"):
		return nil
	case s.collector != "" && s.collector != phasesAuto:
		f, err := live.OpenJVM(s.collector)
		if err == nil {
			err = n.followCollector(live.JVM{File: f})
		}
		switch {
		case errors.Is(err, bpf.ErrPermission):
			return explain(fmt.Errorf("--collector-phases: %w", err))
		case err != nil:
			return command.Usagef("--collector-phases: %w", err)
		}
		return nil
	}
	found, err := n.runtimes(args)
	defer func() {
		for _, j := range found {
			j.File.Close()
		}
	}()
	switch {
	case err != nil && !theFilesFault(err):
		return err
	case err != nil:
		n.warn("no collector phases: " + err.Error())
	case len(found) == 0:
		n.warn(
			"no collector phases: no JVM was found, and other runtimes do not tell when they collect",
		)
	}
	for _, j := range found {
		switch err := n.followCollector(j); {
		case err == nil, errors.Is(err, bpf.ErrNoProcess) && n.cgroup != nil:
		case theFilesFault(err):
			n.warn("no collector phases: " + err.Error())
		default:
			return explain(fmt.Errorf("--collector-phases: %w", err))
		}
	}
	return nil
}

// followCollector attaches to the probes of one runtime.
func (n *session) followCollector(j live.JVM) error {
	at, err := sandbox.Collector(context.Background(), j.File)
	if err != nil {
		return err
	}
	if err := n.tracer.FollowCollector(j.File, at, j.PID); err != nil {
		return err
	}
	n.phases = true
	return nil
}

// runtimes opens the JVMs that the command may load, or that a target has mapped that runs already.
// The error is that of the first that could not be opened; the others are returned beside it.
func (n *session) runtimes(args []string) (found []live.JVM, err error) {
	pids := []int{n.settings.pid}
	switch {
	case !n.settings.attaches():
		return live.JVMs(args[0])
	case n.cgroup != nil:
		if pids, err = n.cgroup.Processes(); err != nil {
			return nil, err
		}
	}
	more := false
	err = sandbox.Runtimes(context.Background(), pids, func(pid int, f *os.File) {
		if more = len(found) == maxJVMs; more {
			f.Close()
			return
		}
		found = append(found, live.JVM{File: f, PID: pid})
	})
	if more {
		err = fmt.Errorf("%w JVMs in %s: more than %d", sandbox.ErrMany, n.target(), maxJVMs)
	}
	return found, err
}

// maxJVMs bounds how many processes of a cgroup have their collectors followed: each makes a hit of
// a breakpoint in any of them a little dearer.
const maxJVMs = 64

// theFilesFault says whether a run can do without a file's probes, as it is no JVM or somebody made
// it look like one. What this kernel or ebb's rights do not allow is another matter.
func theFilesFault(err error) bool {
	return slices.ContainsFunc([]error{
		sandbox.ErrFile, sandbox.ErrMany, sandbox.ErrLost, bpf.ErrNotNop, regular.ErrNotRegular, regular.ErrStalls, unix.ELOOP,
	}, func(fault error) bool { return errors.Is(err, fault) })
}

// checkCollections says at the end when collectors were followed and none did anything.
func (n *session) checkCollections() {
	if n.phases && n.report.Collections == 0 {
		n.warn("no collector phases: no collection of a JVM began")
	}
}

func (n *session) warn(text string) {
	if !slices.Contains(n.report.Warnings, text) {
		n.report.Warnings = append(n.report.Warnings, text)
	}
}
