package bench

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ebb-energy/ebb/internal/app/config"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/render/printable"
	"github.com/ebb-energy/ebb/policy"
	"github.com/ebb-energy/ebb/units"
)

// Session has the settings of a measurement: ebb's configuration, and settings that only flags
// have.
type Session struct {
	// Config has ebb's settings, from ConfigFile where one is given.
	Config     config.Config
	ConfigFile string
	Rule       policy.Rule
	Seed       uint64
	Pause      time.Duration // pause before each run
	// WarmUp is the number of runs that are made first and thrown away.
	WarmUp int

	slowdown    []string
	minimize    string
	runs        int
	frequencies []string
	dir         string
	journal     string
	json        bool
	quiet       bool
}

// NewSession returns a session with ebb's defaults.
func NewSession() *Session { return &Session{Config: config.Default()} }

// Target is a machine that runs are made on, and what is known about it.
type Target struct {
	Runner
	Machine  Testbed
	States   []units.Frequency // ascending
	Governor string            // name of the governor that the machine was found with
	Source   Source
	Workload string
	Command  []string
	Options  []string
	Close    func() error
}

// journalName is the journal's name in a directory of results.
const journalName = "journal.jsonl"

// Flags adds the flags that every measurement has.
func (s *Session) Flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringSliceVar(&s.slowdown, "slowdown", []string{s.Config.Slowdown.String()},
		"ebb's budgets, such as `5%,10%`")
	command.Of(cmd, "slowdown").Proposes(command.Quantity(command.Percent))
	f.StringVar(&s.minimize, "minimize", "", "also run ebb for `"+config.MinimizeSystemEnergy+"`")
	command.Of(cmd, "minimize").Proposes(command.OneOf(config.MinimizeSystemEnergy))
	f.StringVar((*string)(&s.Rule), "rule", "",
		"let ebb decide by `RULE`: "+strings.Join(policy.Rules(), ", ")+"; with --minimize: "+
			strings.Join(policy.SystemRules(), ", "))
	command.PaperFlags(cmd)
	f.IntVar(&s.runs, "runs", 5, "number of runs of each setting")
	f.StringSliceVar(&s.frequencies, "frequencies", nil,
		"run only these `FREQUENCIES` and the highest (default: all)")
	command.Of(cmd, "frequencies").Proposes(command.Quantity(command.Hertz))
	f.StringVar(&s.ConfigFile, "config", "",
		"ebb's settings besides budget and objective, from this TOML `FILE`")
	command.Of(cmd, "config").Proposes(command.Files("toml"))
	f.StringVarP(&s.dir, "output", "o", "",
		"write page, picture, JSON and journal into this `DIRECTORY`")
	f.StringVar(&s.journal, "journal", "",
		"keep finished runs in this `FILE` (default with -o: DIRECTORY/"+journalName+")")
	f.BoolVar(&s.json, "json", false, "print JSON instead of the table")
	f.BoolVarP(&s.quiet, "quiet", "q", false, "suppress progress")
}

// Execute checks the settings, calls open for the machine, makes the runs, and prints and writes
// the result. It takes runs that were finished before from the journal.
func (s *Session) Execute(ctx context.Context, std command.Stdio,
	open func() (*Target, error)) (err error) {
	budgets, err := s.Check()
	if err != nil {
		return err
	}
	ctx, caught := command.UntilSignal(ctx)
	defer caught.Stop()
	m, err := open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	states, err := s.choose(m.States)
	if err != nil {
		return err
	}
	plan := &Plan{
		Version: command.Version(), Machine: m.Machine, Command: m.Command, Workload: m.Workload,
		WarmUp: s.WarmUp, Seed: s.Seed, Source: m.Source, Options: m.Options,
		Settings: Settings(states, m.Governor, budgets, s.minimize != ""),
	}
	if err := plan.validate(); err != nil {
		return command.UsageError(err)
	}
	record, done, err := s.open(plan)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, record.Close()) }()
	shown := std.Err
	if s.quiet {
		shown = io.Discard
	}
	watch := NewProgress(shown, plan, s.runs, m.Parallel(), done)
	samples, runErr := Execute(ctx, plan, s.runs, m, done, record, watch)
	watch.End()
	if runErr != nil && len(samples) == 0 {
		return caught.Or(runErr)
	}
	r := Analyse(plan, samples, s.runs)
	if err := s.print(r, std); err != nil {
		return err
	}
	if runErr != nil && caught.Signal() != 0 && !s.quiet {
		printable.Fprintf(std.Err, "ebb: interrupted after %d of %d runs%s\n", len(samples),
			s.runs*len(plan.Settings), s.goOn())
	}
	return caught.Or(runErr)
}

// goOn returns a sentence on whether finished runs are kept after an interruption.
func (s *Session) goOn() string {
	if s.journal == "" {
		return "; with -o or --journal they would be kept"
	}
	return "; the same command continues from there"
}

// choose returns the requested frequencies and the highest.
func (s *Session) choose(states []units.Frequency) ([]units.Frequency, error) {
	if len(s.frequencies) == 0 {
		return states, nil
	}
	highest := states[len(states)-1]
	chosen := []units.Frequency{highest}
	for _, s := range s.frequencies {
		var f units.Frequency
		if err := f.Set(s); err != nil {
			return nil, command.Usagef("--frequencies: %w", err)
		}
		if !slices.Contains(states, f) {
			return nil, command.Usagef("--frequencies: the machine has no %v, but %v to %v in %d "+
				"states", f,
				states[0], highest, len(states))
		}
		if !slices.Contains(chosen, f) {
			chosen = append(chosen, f)
		}
	}
	slices.Sort(chosen)
	return chosen, nil
}
