package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/lab/vesta"
	"github.com/ebb-energy/ebb/internal/render/printable"
	"github.com/ebb-energy/ebb/internal/safefile"
)

// sweepSettings are the flags of ebb-lab sweep.
type sweepSettings struct {
	vestaSettings
	dir, plan, ebb, jdks string
	options, only        []string
	list                 bool
}

func newSweep(std command.Stdio) *cobra.Command {
	s := sweepSettings{vestaSettings: vestaSettings{power: "power_w", program: "program", merge: 1}}
	cmd := &cobra.Command{
		Use:   "sweep -o DIR --plan FILE [flags] [-- FLAGS OF EBB TRAIN]",
		Short: "what a power model loses with other collectors, heaps and JDKs",
		Long: `Runs ebb train on the Java programs of a plan in one setting after the other:
as given, with each collector, with a small heap, with everything compiled and
nothing compiled, with each other JDK below /usr/lib/jvm, and as given again.
Then it prints how far models miss the programs' energy in each setting: those
of its own intervals, as in VESTA's figure 17, and the model that was made as
given. The setting "again" shows what the time between two trainings costs.

ebb train needs root and an energy meter. DIR gets each setting's plan, data set
and model; a setting that has a model is not run again, so that an interrupted
sweep goes on where it was. If the first fails, the sweep ends. A program that a
setting does not suit, as one that the heap is too small for, is missing there.`,
		Example: `  sudo ebb-lab sweep -o sweep --plan plan.toml
  sudo ebb-lab sweep -o sweep --plan plan.toml --only as-given,gc-z,again
  sudo ebb-lab sweep -o sweep --plan plan.toml --option heap-4g=-Xmx4g
  sudo ebb-lab sweep -o sweep --plan plan.toml -- --suite --each 10s
  ebb-lab sweep -o sweep --plan plan.toml --list`,
		RunE: func(cmd *cobra.Command, args []string) error { return s.execute(cmd, args, std) },
	}
	f := cmd.Flags()
	f.StringVarP(&s.dir, "output", "o", "", "write the results to this `DIRECTORY`")
	f.StringVar(&s.plan, "plan", "", "the programs: a plan of ebb train, a TOML `FILE`")
	command.Of(cmd, "plan").Proposes(command.Files("toml"))
	f.StringArrayVar(&s.options, "option", nil, "one more setting, `NAME=OPTIONS` of the JVM, "+
		"with spaces between them; several times")
	f.StringSliceVar(&s.only, "only", nil, "these settings alone, by their `NAMES`")
	f.StringVar(&s.jdks, "jdks", "/usr/lib/jvm", "the `DIRECTORY` with the JDKs")
	f.StringVar(&s.ebb, "ebb", "", "the `FILE` of the command ebb (default: the one beside "+
		"ebb-lab)")
	command.Of(cmd, "ebb").NoDefault()
	f.BoolVar(&s.list, "list", false, "print the settings, and run nothing")
	s.compareFlags(cmd)
	return cmd
}

// variants returns the settings to go through.
func (s *sweepSettings) variants() ([]vesta.Variant, error) {
	all := vesta.Variants(s.jdks)
	for _, text := range s.options {
		v, err := vesta.ParseVariant(text)
		if err != nil {
			return nil, command.Usagef("--option %s: %w", text, err)
		}
		all = slices.Insert(all, len(all)-1, v) // before the last, which is as given again
	}
	if len(s.only) == 0 {
		return all, nil
	}
	var names []string
	for _, v := range all {
		names = append(names, v.Name)
	}
	for _, name := range s.only {
		if !slices.Contains(names, name) {
			return nil, command.Usagef("--only %s: there are %s", name, strings.Join(names, ", "))
		}
	}
	return slices.DeleteFunc(all, func(v vesta.Variant) bool {
		return !slices.Contains(s.only, v.Name)
	}), nil
}

// sweep returns the sweep that the flags ask for.
func (s *sweepSettings) sweep(args []string, std command.Stdio) (*vesta.Sweep, error) {
	switch {
	case s.plan == "":
		return nil, command.Usagef("--plan is missing: which programs?")
	case s.dir == "":
		return nil, command.Usagef("-o is missing: where should the results go?")
	}
	if err := s.checkCompared(); err != nil {
		return nil, err
	}
	variants, err := s.variants()
	if err != nil {
		return nil, err
	}
	plan, err := safefile.ReadAll(s.plan, mostPlan)
	if err != nil {
		return nil, command.Usagef("--plan %s: %w", s.plan, err)
	}
	out := &vesta.Sweep{Ebb: s.ebb, Dir: s.dir, Plan: plan, Train: args, Variants: variants,
		Out: std.Err, Err: std.Err}
	out.Say = func(format string, args ...any) {
		printable.Fprintf(std.Err, "ebb-lab sweep: "+format+"\n", args...)
	}
	if err := out.Check(); err != nil {
		return nil, command.Usagef("--plan %s: %w", s.plan, err)
	}
	if s.ebb == "" {
		own, err := os.Executable()
		if err != nil {
			return nil, fmt.Errorf("find ebb beside ebb-lab: %w", err)
		}
		out.Ebb = filepath.Join(filepath.Dir(own), "ebb")
	}
	return out, nil
}

// mostPlan bounds a plan, in bytes, as ebb train does.
const mostPlan = 16 << 10

func (s *sweepSettings) execute(cmd *cobra.Command, args []string, std command.Stdio) error {
	sweep, err := s.sweep(args, std)
	if err != nil {
		return err
	}
	if s.list {
		return listVariants(std.Out, sweep.Variants)
	}
	if len(sweep.Variants) < 2 {
		return command.Usagef("one setting has nothing to be compared with: name a second one in " +
			"--only")
	}
	if err := safefile.Directory(s.dir); err != nil {
		return command.Usagef("-o %s: %w", s.dir, err)
	}
	trained := untilSignal(cmd.Context(), sweep.Run)
	if status := command.StatusError(0); errors.As(trained, &status) {
		return trained
	}
	if errors.Is(trained, vesta.ErrOtherPlan) {
		return command.Usagef("-o %s: %w", s.dir, trained)
	}
	var files []string
	for i := range sweep.Variants {
		v := &sweep.Variants[i]
		if _, err := os.Stat(sweep.File(v, ".ebbmodel")); err == nil {
			files = append(files, sweep.File(v, ".csv"))
		}
	}
	if len(files) < 2 {
		return errors.Join(trained, errors.New("compare settings: fewer than two have a model"))
	}
	return errors.Join(trained, s.compare(cmd.Context(), files, std))
}

// untilSignal runs what a signal ends, and returns the signal's status then.
func untilSignal(ctx context.Context, run func(context.Context) error) error {
	ctx, caught := command.UntilSignal(ctx)
	defer caught.Stop()
	return caught.Or(run(ctx))
}

func listVariants(w io.Writer, all []vesta.Variant) error {
	t := &printable.Table{Name: "setting", Columns: []printable.Column{{Title: "java", Weight: 1},
		{Title: "options", Weight: 1}}}
	for _, v := range all {
		java := v.Java
		if java == "" {
			java = "the plan's"
		}
		t.Row(v.Name, java, strings.Join(v.Options, " "))
	}
	return t.Write(w, command.PageWidth(w))
}
