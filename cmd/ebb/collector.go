package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ebb-energy/ebb/epochs/bpf"
	"github.com/ebb-energy/ebb/governor/live"
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

// followCollectors attaches to the collectors' probes. No JVM where one was only hoped for is a warning of the report.
func (n *session) followCollectors(args []string) error {
	s := n.settings
	auto := false
	var files []string
	switch s.collector {
	case phasesOff:
		return nil
	case "":
		if !strings.HasPrefix(s.config.Model, "coop") {
			return nil
		}
		auto = true
	case phasesAuto:
		auto = true
	default:
		files = []string{s.collector}
	}
	if auto && s.attaches() {
		var err error
		if files, err = n.runtimes(); err != nil {
			return err
		}
	} else if auto {
		files = live.JVMs(args[0])
	}
	if auto && len(files) == 0 {
		n.warn("no collector phases: no JVM was found, and other runtimes do not tell when they collect")
	}
	for _, file := range files {
		err := n.tracer.FollowCollector(file)
		switch {
		case err == nil:
			n.phases = true
		case auto && errors.Is(err, bpf.ErrNoProbes):
			n.warn("no collector phases: " + err.Error())
		case errors.Is(err, bpf.ErrPermission), auto:
			return explain(fmt.Errorf("--collector-phases: %w", err))
		default:
			return usagef("--collector-phases: %w", err)
		}
	}
	return nil
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
