package main

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/internal/app/machine"
	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/app/run"
	"github.com/ebb-energy/ebb/internal/app/run/part"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/render/printable"
	"github.com/ebb-energy/ebb/units"
)

// Bounds of the time that is measured.
const (
	leastFor = 100 * time.Millisecond
	mostFor  = 24 * time.Hour
)

func newEnergy(std command.Stdio) *cobra.Command {
	return energyCommand(&runSettings{Settings: run.NewSettings()}, std)
}

// energyCommand returns the command energy, whose flags set s.
func energyCommand(s *runSettings, std command.Stdio) *cobra.Command {
	s.Roots.Proc, s.Roots.RunDir = "/proc", cpufreq.DefaultRunDir
	asJSON, whole := false, false
	var m machine.Settings
	cmd := &cobra.Command{
		Use:   "energy [flags] {--pid N | --machine}",
		Short: "say how much energy a process takes, or each group of a machine",
		Long: `Says how much energy the running process N uses from now on, until --for is
over or it ends: its threads' part of the machine's energy, by their exact
times on the CPUs (rule ledger). The energy of processes that it started is
in the sum, and apart beside it. It sets no frequency.

With --machine it follows all cgroups of the machine: each job, pod, container,
virtual machine, session and unit, until --for is over or Ctrl-C. All groups,
others, idle and unattributed energy add up to what the meters measured, or
the model predicts.
Without a meter or a power model there are no joules, but CPU time.`,
		Example: `  sudo ebb energy --pid 4711 --for 10s
  sudo ebb energy --pid 4711 --for 10s --json
  sudo ebb energy --pid 4711 --power-model web1.ebbmodel
  sudo ebb energy --machine --for 1m
  sudo ebb energy --machine --power-model web1.ebbmodel
  sudo ebb energy --machine --kind pod --metrics-listen 127.0.0.1:9101`,
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !whole && !cmd.Flags().Changed("pid") {
				return command.Usagef("which process? give --pid N, or --machine for all")
			}
			if s.Duration < leastFor || s.Duration > mostFor {
				return command.Usagef("--for %s: it can be %s to %s", printable.Given(s.Duration),
					printable.Given(leastFor), printable.Given(mostFor))
			}
			if whole {
				m.For, m.JSON, m.Sysfs, m.Meter = s.Duration, asJSON, s.Roots.Sysfs, s.Roots.Meter
				if err := s.loadPowerModel(); err != nil {
					return err
				}
				m.PowerModel, m.OtherMachine = s.Methods.PowerModel, s.Methods.OtherMachine
				return followMachine(cmd, &m, std)
			}
			if err := s.load(cmd); err != nil {
				return err
			}
			s.Shadow, s.Quiet, s.Methods.Threads = true, true, true
			s.Then = func(r *report.Report) error {
				return writeUsed(std.Out, r, &s.Settings, s.Target.Adopted(), asJSON)
			}
			return run.Execute(cmd.Context(), &s.Settings, nil, std)
		},
	}
	f := cmd.Flags()
	f.IntVar(&s.Target.PID, "pid", 0, "measure the running process `N`")
	s.refuseNoProcess(cmd)
	f.DurationVar(&s.Duration, "for", time.Second,
		"measure for this time; with --machine and without --for until Ctrl-C")
	f.BoolVar(&asJSON, "json", false, "print JSON; with --machine a line each interval")
	f.BoolVar(&whole, "machine", false, "measure each group of the machine's cgroups")
	addMachine(cmd, &m)
	f.StringVar(&s.configFile, "config", "",
		"read the parameters of section [power] from this TOML `FILE`")
	f.Var(&s.Methods.TDP, "tdp",
		"without an energy meter: the processor's thermal design `POWER`, for e-Surgeon's "+
			"formula (default: the configuration's [power])")
	command.Of(cmd, "tdp").NoDefault()
	f.StringVar(&s.Methods.AsIf, "as-if", "",
		"without an energy meter: joules as if the machine were the processor of this `NAME`: "+
			part.Table2+", the paper's (default: CPU time)")
	f.StringVar(&s.powerModel, "power-model", "",
		"without an energy meter: the energy that the model in `FILE` predicts")
	f.BoolVar(&s.Methods.OtherMachine, "other-machine", false,
		"with --power-model: use it although it was trained on another machine")
	f.StringVar(&s.Roots.Sysfs, "sysfs", "/sys", "`ROOT` of the machine's attributes")
	f.StringVar(&s.Roots.Meter, "meter-root", "",
		"read the energy meters below this `ROOT` (default: as --sysfs)")
	powerModelFlags(cmd)
	command.Of(cmd, "config").Proposes(command.Files("toml"))
	for _, name := range []string{"config", "tdp", "as-if"} {
		command.Of(cmd, name).Beside("which takes meters or --power-model alone", "machine")
	}
	return cmd
}

// usedEnergy is the result of ebb energy.
type usedEnergy struct {
	PID     int32  `json:"pid"`
	Name    string `json:"name"`
	Source  string `json:"source"` // source of the energy
	Rule    string `json:"rule"`   // rule by which the energy was divided
	WallNS  int64  `json:"wall_ns"`
	Ended   bool   `json:"ended"` // the process ended before the time was over
	Sum     usedBy `json:"sum"`   // use of the process and of all that it started
	Process usedBy `json:"process"`
	Started usedBy `json:"started"`         // use of processes that it started, and of theirs
	Doubt   string `json:"doubt,omitempty"` // why the meter is not believed
	// TotalNJ is the energy of packages and memory, or of the program alone if it is modelled. This
	// and all other energies are absent where the source has none.
	TotalNJ *int64 `json:"machine_nj,omitempty"`
	IdleNJ  *int64 `json:"idle_nj,omitempty"`
	// Adopted are the ids of processes that it may have started but that have another parent. They
	// are not measured.
	Adopted []int `json:"adopted_pids,omitempty"`
}

// usedBy is the energy and CPU time that processes used.
type usedBy struct {
	EnergyNJ *int64   `json:"energy_nj,omitempty"`
	Watts    *float64 `json:"watts,omitempty"` // mean power
	CPUNS    int64    `json:"cpu_ns"`
}

// usedOf sums what a run's report says of a process and of those that it started.
func usedOf(r *report.Report, pid int32) *usedEnergy {
	p := r.Attribution
	u := &usedEnergy{PID: pid, Rule: p.Rules[0], WallNS: p.WallNS, Source: p.Zones[0].Source}
	of := func(t *profile.Thread) *usedBy {
		if t.PID == pid {
			return &u.Process
		}
		return &u.Started
	}
	for i := range p.Threads {
		t := &p.Threads[i]
		of(t).CPUNS += t.RunNS
		if t.TID == pid {
			u.Name = t.Comm
		}
	}
	u.Sum.CPUNS = u.Process.CPUNS + u.Started.CPUNS
	if r.Power != nil {
		u.Doubt = r.Power.Doubt
	}
	if p.Joules() {
		u.addEnergy(p, of)
	}
	return u
}

// addEnergy adds a profile's energies. of returns the sum that a thread belongs to.
func (u *usedEnergy) addEnergy(p *profile.Profile, of func(*profile.Thread) *usedBy) {
	names := make([]string, 0, len(p.Zones))
	for i := range p.Zones {
		names = append(names, p.Zones[i].Name)
	}
	u.TotalNJ, u.IdleNJ = new(int64), new(int64)
	for i, counted := range profile.Counted(names) {
		if counted {
			*u.TotalNJ += p.Zones[i].TotalNJ
			*u.IdleNJ += p.Zones[i].IdleNJ[0]
		}
	}
	u.Process.EnergyNJ, u.Started.EnergyNJ = new(int64), new(int64)
	for i := range p.Stacks {
		*of(&p.Threads[p.Stacks[i].Thread]).EnergyNJ += p.Stacks[i].EnergyNJ[0]
	}
	u.Sum.EnergyNJ = new(*u.Process.EnergyNJ + *u.Started.EnergyNJ)
	for _, x := range []*usedBy{&u.Sum, &u.Process, &u.Started} {
		watts := float64(units.Energy(*x.EnergyNJ).Over(time.Duration(u.WallNS)))
		x.Watts = &watts
	}
}

// writeUsed prints one line, or JSON. Others are processes that the process may have started; those
// of them that were measured are in the sum.
func writeUsed(
	w io.Writer, r *report.Report, s *run.Settings, others []int, asJSON bool,
) error {
	pid := int32(s.Target.PID)
	if r.Attribution == nil || len(r.Attribution.Zones) == 0 {
		return fmt.Errorf("measure process %d: nothing was measured", pid)
	}
	first := int32(r.PID) // id of the process as the profile's threads have it
	u := usedOf(r, first)
	u.PID = pid
	u.Ended = u.WallNS < int64(s.Duration)
	for _, t := range r.Threads {
		if t.TID == first && u.Name == "" {
			u.Name = t.Comm
		}
	}
	for _, id := range others {
		if !slices.ContainsFunc(r.Attribution.Threads, func(t profile.Thread) bool {
			return int(t.PID) == id
		}) {
			u.Adopted = append(u.Adopted, id)
		}
	}
	if asJSON {
		return command.WriteJSON(w, u)
	}
	of := "" // words that say whose the sum is
	if u.Started.CPUNS > 0 {
		of = " and what it started"
	}
	line := fmt.Sprintf("%s (%d)%s: %s", u.Name, pid, of, u.Sum.line(u))
	switch {
	case u.Started.CPUNS > 0 && u.Started.EnergyNJ != nil:
		line += fmt.Sprintf("; %v by itself, %v by processes that it started",
			units.Energy(*u.Process.EnergyNJ), units.Energy(*u.Started.EnergyNJ))
	case u.Started.CPUNS > 0:
		line += fmt.Sprintf("; %.2f s by itself, %.2f s by processes that it started",
			time.Duration(u.Process.CPUNS).Seconds(), time.Duration(u.Started.CPUNS).Seconds())
	}
	if u.Ended {
		line += "; it ended"
	}
	if n := len(u.Adopted); n > 0 {
		line += fmt.Sprintf("; not in this: %s of its session (%d) that it may have started and "+
			"left to another parent; ebb energy --machine has all", printable.Count(n, "process"),
			u.Adopted[0])
	}
	if u.Doubt != "" {
		line += "; " + u.Doubt
	}
	if u.Sum.EnergyNJ == nil {
		line += "; " + report.OnlyTime
	}
	printable.Fprintf(w, "%s\n", line)
	return nil
}

// line returns a sentence on what the processes used.
func (u *usedBy) line(e *usedEnergy) string {
	wall, busy := time.Duration(e.WallNS).Seconds(), time.Duration(u.CPUNS).Seconds()
	if u.EnergyNJ == nil {
		return fmt.Sprintf("%.2f s of CPU time in %.1f s", busy, wall)
	}
	return fmt.Sprintf("%v in %.1f s, %v; %.2f s of CPU time; %s", units.Energy(*u.EnergyNJ), wall,
		units.Power(*u.Watts), busy, e.Source)
}
