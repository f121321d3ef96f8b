package main

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/ebb-energy/ebb/config"
	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/energy/profile"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/printable"
	"github.com/ebb-energy/ebb/report"
	"github.com/ebb-energy/ebb/run"
	"github.com/ebb-energy/ebb/units"
)

// Bounds of the time that is measured.
const (
	leastFor = 100 * time.Millisecond
	mostFor  = 24 * time.Hour
)

func newEnergy(std command.Stdio) *cobra.Command {
	s := runSettings{Settings: run.Settings{Config: config.Default()}}
	s.Roots.Proc, s.Roots.RunDir = "/proc", cpufreq.DefaultRunDir
	asJSON := false
	cmd := &cobra.Command{
		Use:   "energy [flags] --pid N",
		Short: "say how much energy a running process takes",
		Long: `Says how much energy the running process N uses from now on, until --for is
over or it ends: its threads' part of the machine's energy, by their exact
times on the CPUs (rule ledger). Processes that it starts meanwhile are
apart. It sets no frequency.`,
		Example: `  sudo ebb energy --pid 4711 --for 10s
  sudo ebb energy --pid 4711 --for 10s --json
  sudo ebb energy --pid 4711 --power-model web1.ebbmodel`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !cmd.Flags().Changed("pid") {
				return command.Usagef("which process? give --pid N")
			}
			if s.Duration < leastFor || s.Duration > mostFor {
				return command.Usagef("--for %v: it can be %v to %v", s.Duration, leastFor, mostFor)
			}
			if err := s.load(cmd); err != nil {
				return err
			}
			s.Shadow, s.Quiet, s.Methods.Threads = true, true, true
			s.Then = func(r *report.Report) error {
				return writeUsed(std.Out, r, &s.Settings, asJSON)
			}
			return run.Execute(cmd.Context(), &s.Settings, nil, std)
		},
	}
	f := cmd.Flags()
	f.IntVar(&s.Target.PID, "pid", 0, "measure the running process `N`")
	f.DurationVar(&s.Duration, "for", time.Second, "measure for this time")
	f.BoolVar(&asJSON, "json", false, "print JSON")
	f.StringVar(&s.configFile, "config", "",
		"read the power model's parameters from this TOML `FILE`")
	f.Var(&s.Methods.TDP, "tdp",
		"without an energy meter: the processor's thermal design `POWER`, for e-Surgeon's "+
			"formula (default: the configuration's power model)")
	noDefault(f, "tdp")
	f.StringVar(&s.powerModel, "power-model", "",
		"without an energy meter: the energy that the model in `FILE` predicts")
	f.BoolVar(&s.Methods.OtherMachine, "other-machine", false,
		"with --power-model: use it although it was trained on another machine")
	f.StringVar(&s.Roots.Sysfs, "sysfs", "/sys", "`ROOT` of the machine's attributes")
	f.StringVar(&s.Roots.Meter, "meter-root", "",
		"read the energy meters below this `ROOT` (default: as --sysfs)")
	return cmd
}

// usedEnergy is what ebb energy says.
type usedEnergy struct {
	PID     int32  `json:"pid"`
	Name    string `json:"name"`
	Source  string `json:"source"` // of the energy
	Rule    string `json:"rule"`   // that divided it
	WallNS  int64  `json:"wall_ns"`
	Ended   bool   `json:"ended"` // before the time was over
	Process usedBy `json:"process"`
	Started usedBy `json:"started"`    // by the process meanwhile, and what these started
	TotalNJ int64  `json:"machine_nj"` // of packages and memory; of the program alone if modelled
	IdleNJ  int64  `json:"idle_nj"`
}

// usedBy is what processes used.
type usedBy struct {
	EnergyNJ int64   `json:"energy_nj"`
	Watts    float64 `json:"watts"` // mean
	CPUNS    int64   `json:"cpu_ns"`
}

// usedOf adds up what a run's report says of a process.
func usedOf(r *report.Report, pid int32) *usedEnergy {
	p := r.Attribution
	u := &usedEnergy{PID: pid, Rule: p.Rules[0], WallNS: p.WallNS, Source: p.Zones[0].Source}
	names := make([]string, 0, len(p.Zones))
	for i := range p.Zones {
		names = append(names, p.Zones[i].Name)
	}
	for i, counted := range profile.Counted(names) {
		if counted {
			u.TotalNJ += p.Zones[i].TotalNJ
			u.IdleNJ += p.Zones[i].IdleNJ[0]
		}
	}
	of := func(t *profile.Thread) *usedBy {
		if t.PID == pid {
			return &u.Process
		}
		return &u.Started
	}
	for i := range p.Stacks {
		of(&p.Threads[p.Stacks[i].Thread]).EnergyNJ += p.Stacks[i].EnergyNJ[0]
	}
	for i := range p.Threads {
		t := &p.Threads[i]
		of(t).CPUNS += t.RunNS
		if t.TID == pid {
			u.Name = t.Comm
		}
	}
	for _, x := range []*usedBy{&u.Process, &u.Started} {
		x.Watts = float64(units.Energy(x.EnergyNJ).Over(time.Duration(u.WallNS)))
	}
	return u
}

// writeUsed prints one line, or JSON.
func writeUsed(w io.Writer, r *report.Report, s *run.Settings, asJSON bool) error {
	pid := int32(s.Target.PID)
	if r.Attribution == nil || len(r.Attribution.Zones) == 0 {
		return fmt.Errorf("measure process %d: nothing was measured", pid)
	}
	u := usedOf(r, pid)
	u.Ended = u.WallNS < int64(s.Duration)
	for _, t := range r.Threads {
		if t.TID == pid && u.Name == "" {
			u.Name = t.Comm
		}
	}
	if asJSON {
		return command.WriteJSON(w, u)
	}
	line := fmt.Sprintf("%s (%d): %v in %.1f s, %v; %.2f s of CPU time; %s", u.Name, pid,
		units.Energy(u.Process.EnergyNJ), time.Duration(u.WallNS).Seconds(),
		units.Power(u.Process.Watts), time.Duration(u.Process.CPUNS).Seconds(), u.Source)
	if u.Ended {
		line += "; it ended"
	}
	if u.Started.CPUNS > 0 {
		line += fmt.Sprintf("; and %v by processes that it started",
			units.Energy(u.Started.EnergyNJ))
	}
	printable.Fprintf(w, "%s\n", line)
	return nil
}
