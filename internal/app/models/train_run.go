package models

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/ebb-energy/ebb/internal/app/run"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/inventory"
	"github.com/ebb-energy/ebb/internal/power/powermodel"
	"github.com/ebb-energy/ebb/internal/power/train"
	"github.com/ebb-energy/ebb/internal/render/printable"
	"github.com/ebb-energy/ebb/internal/safefile"
)

func (s *trainSettings) execute(cmd *cobra.Command, args []string, std command.Stdio) error {
	if err := s.check(args); err != nil {
		return err
	}
	if _, _, err := s.counted(); err != nil {
		return err
	}
	if s.add {
		s.from = dataFile(s.out)
	}
	data := &train.Data{}
	if s.from != "" {
		var err error
		if data, err = readData(s.from); err != nil {
			return command.Usagef("read %s: %w", s.from, err)
		}
	}
	todo, err := s.programs(args)
	if err != nil {
		return err
	}
	if err := s.checkFiles(); err != nil {
		return err
	}
	say := func(format string, args ...any) {
		printable.Fprintf(std.Err, "ebb train: "+format+"\n", args...)
	}
	ctx, caught := command.UntilSignal(cmd.Context())
	defer caught.Stop()
	if len(todo) > 0 {
		if err := s.measure(ctx, todo, data, std, say); err != nil {
			if caught.Signal() != 0 && len(data.Intervals) > 0 {
				say("interrupted; %s has %s: --from makes a model of that",
					dataFile(s.out), printable.Count(len(data.Intervals), "interval"))
			}
			return caught.Or(explainTraining(err))
		}
	}
	return caught.Or(s.learn(ctx, data, std, say))
}

// programs returns the programs to run: none with --from alone.
func (s *trainSettings) programs(args []string) (todo []train.Program, err error) {
	own, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find ebb's own small programs: %w", err)
	}
	more := s.suite || s.plan != "" || len(args) > 0
	if s.from == "" {
		todo = train.Basic(own, inventory.CPUs(), s.each)
	} else if !more {
		return nil, nil
	}
	if s.suite {
		todo = append(todo, train.Suite(own, s.each)...)
	}
	if s.plan != "" {
		planned, err := readPlan(s.plan, s.limit)
		if err != nil {
			return nil, command.Usagef("--plan %s: %w", s.plan, err)
		}
		todo = append(todo, planned...)
	}
	if len(args) > 0 {
		todo = append(todo, train.Given(args, s.limit))
	}
	return todo, nil
}

func readPlan(path string, limit time.Duration) ([]train.Program, error) {
	f, err := safefile.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // opened for reading: nothing can be lost
	return train.ReadPlan(f, limit)
}

func (s *trainSettings) measure(ctx context.Context, todo []train.Program, data *train.Data,
	std command.Stdio, say func(string, ...any),
) (err error) {
	id, err := run.Identity(s.user, s.keepEnv)
	if err != nil {
		return err
	}
	t := train.Settings{Programs: todo, Meter: s.meter, Interval: s.interval,
		Others: float64(s.others), Out: std.Out, Errors: std.Err, Say: say, Keep: s.keep}
	if id != nil {
		t.User = &train.User{Credential: id.Credential(), Environment: id.Environ(),
			Limits: id.Limits()}
	}
	if s.selecting.wanted {
		if s.chosen, err = s.selectEvents(ctx, todo, &t, std, say); err != nil {
			return err
		}
	}
	counted, err := s.openEvents(ctx, data, say)
	if err != nil {
		return err
	}
	if counted != nil {
		t.Events = counted
		defer func() {
			err = errors.Join(err, counted.Close())
		}()
	}
	closeHardware, err := s.hardware(&t, say)
	if err != nil {
		return err
	}
	err = train.Measure(ctx, &t, data)
	err = errors.Join(err, closeHardware())
	if counted != nil && counted.jvm != "" && data.Origin.JVM == "" &&
		len(data.Intervals) > 0 {
		data.Origin.JVM = counted.jvm
		err = errors.Join(err, s.keep(data))
	}
	return err
}

// explainTraining turns errors that the user can correct into usage errors.
func explainTraining(err error) error {
	for _, usage := range []error{train.ErrElsewhere, train.ErrOtherMeter,
		train.ErrPrograms} {
		if errors.Is(err, usage) {
			return command.UsageError(err)
		}
	}
	return err
}

// learn makes the model and writes it.
func (s *trainSettings) learn(ctx context.Context, d *train.Data, std command.Stdio,
	say func(string, ...any),
) error {
	if s.meter.Wall != "" {
		if err := d.FillIn(ctx, s.meter.Wall, openLog, say); err != nil {
			return command.Usagef("--meter-csv %s: %w; the data set is in %s", s.meter.Wall, err,
				dataFile(s.out))
		}
	}
	if s.meter.Wall != "" || s.from != "" {
		if err := s.keep(d); err != nil {
			return err
		}
	}
	m, err := d.Learn()
	if err != nil {
		return fmt.Errorf("make a power model of %s: %w", dataFile(s.out), err)
	}
	for _, doubt := range d.Doubts() {
		say("warning: %s", doubt)
	}
	if err := safefile.Whole(s.out, m.Write); err != nil {
		return err
	}
	if err := s.writePage(d, m); err != nil {
		return err
	}
	return printTrained(std.Out, s.out, m)
}

// printTrained prints how good the model is.
func printTrained(out io.Writer, path string, m *powermodel.Model) error {
	p := &m.Provenance
	printable.Fprintf(out, "%s: %d intervals of %d programs, %d inputs, meter %s\n", path,
		p.Intervals, len(p.Programs), len(m.Inputs), p.Meter)
	if m.Interval == nil {
		_, err := fmt.Fprintln(out, "its error for a program that it has not seen is unknown: "+
			"that takes five\nprograms with at least 20 intervals each")
		return err
	}
	for _, e := range m.Programs {
		printable.Fprintf(out, "  %+6.1f %%  %s, left out\n", 100*e.Total, e.Program)
	}
	_, err := fmt.Fprintf(out, "90 %% interval of a program that was left out: +-%.1f %% on "+
		"average\n", 100*m.Interval.HalfWidth)
	return err
}
