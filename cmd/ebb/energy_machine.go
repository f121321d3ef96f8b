package main

import (
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ebb-energy/ebb/internal/app/machine"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/energy/groups"
)

// machineFlags are the flags of ebb energy that go with --machine alone.
var machineFlags = []string{"interval", "depth", "kind", "hierarchy", "share-idle",
	"metrics-listen", "textfile", "slurm-file", "guests", "top"}

// addMachine adds the flags of a whole machine.
func addMachine(cmd *cobra.Command, s *machine.Settings) {
	f := cmd.Flags()
	f.DurationVar(&s.Every, "interval", time.Second, "with --machine: length of a window")
	f.IntVar(&s.Depth, "depth", 0,
		"with --machine: groups are the cgroups `N` below the root, whatever they are")
	f.StringVar(&s.Kind, "kind", "", "with --machine: groups of this `KIND` alone: "+
		strings.Join(groups.Kinds, ", "))
	f.StringVar(&s.Hierarchy, "hierarchy", "",
		"with --machine: the cgroups of this `NAME`: v2, or a subsystem of version 1 "+
			"(default: the one that this machine uses)")
	f.StringVar(&s.ShareIdle, "share-idle", "", "with --machine: divide idle energy, beside, by "+
		"this `RULE`: "+shares())
	f.StringVar(&s.Listen, "metrics-listen", "", "with --machine: serve metrics for Prometheus at "+
		"this `ADDRESS` of the loopback interface")
	f.StringVar(&s.Textfile, "textfile", "", "with --machine: write metrics to this `FILE` for "+
		"node_exporter, each interval")
	f.StringVar(&s.SlurmFile, "slurm-file", "", "with --machine: write the energy of Slurm's jobs "+
		"to this `FILE` for Slurm's plugin, each interval")
	f.StringVar(&s.Guests, "guests", "", "with --machine: write each virtual machine's energy to "+
		"a file of its own in this `DIRECTORY`, each interval, for ebb run --host-share in it")
	f.IntVar(&s.Top, "top", 15, "with --machine: show `N` groups; 0 for all")
	for _, name := range machineFlags {
		command.Of(cmd, name).Needs("machine")
	}
	for _, name := range []string{"depth", "kind", "hierarchy", "share-idle"} {
		command.Of(cmd, name).NoDefault()
	}
	command.Of(cmd, "top").Beside("which has all groups", "json")
	command.Of(cmd, "kind").Proposes(command.OneOf(groups.Kinds...))
	command.Of(cmd, "share-idle").Proposes(command.OneOf(strings.Split(shares(), ", ")...))
}

func shares() string {
	var all []string
	for _, s := range groups.Shares {
		all = append(all, string(s))
	}
	return strings.Join(all, ", ")
}

// followMachine runs ebb energy --machine.
func followMachine(cmd *cobra.Command, s *machine.Settings, std command.Stdio) error {
	f := cmd.Flags()
	if f.Changed("pid") {
		return command.Usagef("--pid and --machine: give one of them")
	}
	if !f.Changed("for") {
		s.For = 0
	}
	return machine.Execute(cmd.Context(), s, std)
}
