package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/epochs/bpf"
	"github.com/ebb-energy/ebb/epochs/usdt"
	"github.com/ebb-energy/ebb/governor/live"
	"github.com/ebb-energy/ebb/internal/regular"
)

// Values of --collector-phases; any other is a file.
const (
	phasesAuto = "auto" // of the JVMs that can be found
	phasesOff  = "off"
)

func (s *settings) collectorFlag(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&s.collector, "collector-phases", "", "have a JVM tell when its garbage collector works, for the model coop: auto, off, or the `FILE` of a libjvm.so (default: auto with the model coop, else off)")
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
			return usagef("--collector-phases: %w", err)
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
		n.warn("no collector phases: no JVM was found, and other runtimes do not tell when they collect")
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
	at, err := j.Collector()
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
func (n *session) runtimes(args []string) ([]live.JVM, error) {
	switch {
	case !n.settings.attaches():
		return live.JVMs(args[0])
	case n.cgroup == nil:
		found, err := live.JVMsOf(n.settings.pid)
		if err != nil {
			err = fmt.Errorf("look for a JVM in process %d: %w", n.settings.pid, err)
		}
		return found, err
	}
	pids, err := n.cgroup.Processes()
	if err != nil {
		return nil, err
	}
	found, err := live.JVMsOfAll(pids)
	if err != nil {
		err = fmt.Errorf("look for a JVM in %s: %w", n.target(), err)
	}
	return found, err
}

// theFilesFault says whether a run can do without a file's probes, as it is no JVM or somebody made
// it look like one. What this kernel or ebb's rights do not allow is another matter.
func theFilesFault(err error) bool {
	return slices.ContainsFunc([]error{
		usdt.ErrNoProbes, usdt.ErrMalformed, bpf.ErrNotNop, regular.ErrNotRegular, regular.ErrStalls, unix.ELOOP, live.ErrTooManyJVMs,
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
