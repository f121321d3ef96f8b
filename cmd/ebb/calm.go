package main

import (
	"errors"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/ebb-energy/ebb/governor/live"
	"github.com/ebb-energy/ebb/internal/app/perturbation"
	"github.com/ebb-energy/ebb/internal/app/run"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/internal/safefile"
)

func newCalm(std command.Stdio) *cobra.Command {
	c := calmSettings{}
	cmd := &cobra.Command{
		Use:   "calm [flags] -- COMMAND [ARG...]",
		Short: "find the highest sampling rate that does not perturb the program",
		Long: `Runs COMMAND alone and under ebb run --methods, in turn. It compares the time
and, if the clock frequencies can be read, their course over time and their
spread over the cores. The program is calm if the times differ by less than 5 %
and both correlations exceed 0.85 (Chappie), with their whole 95 % intervals.
The time is without that in which the program waited for CPUs that others had,
where ebb can see that: it says nothing of sampling.
It is disturbed if the times surely differ by more than 1 % and are not shown to
differ by less than 5 %, or if a correlation is surely lower.

ebb tries the sampling periods (CPU time of a thread between two samples) from
the shortest up, each until there is a verdict, and stops at the first that
leaves the program calm. After three rounds it prints a plan: by how much a
round's difference scatters, and how many rounds of how long a verdict takes.
--at-most bounds the search: a program too long for 18 runs within it is
refused, and where it is too short for all periods, ebb leaves some out. At the
calm period it adds runs until the methods' shares have
settled: one more run leaves their correlation above 0.99.

The command runs as the user who called sudo, as in ebb run, and gets no input.
Its output is discarded, and it must exit with status 0.

The exit status is 0 if a period is calm, 3 if every one that was tried disturbs
the program, the longest among them, and 4 if that is not known.`,
		Example: `  sudo ebb calm -- java -jar app.jar
  sudo ebb calm --periods 4,16,64 --runs 5 -o results -- ./program
  sudo ebb calm --region iteration#3- --batches 20 -- ./harness.sh`,
		RunE: func(cmd *cobra.Command, args []string) error { return c.execute(cmd, args, std) },
	}
	f := cmd.Flags()
	f.SetInterspersed(false)
	f.IntVar(&c.Runs, "runs", 0, "do `N` runs of each kind, alone and sampled, for each period, "+
		"whatever they show and however long they take (0: until there is a verdict)")
	f.DurationVar(&c.AtMost, "at-most", 10*time.Minute,
		"begin no run that would not end within this `TIME`; without --runs")
	f.IntSliceVar(&c.Periods, "periods", []int{1, 2, 4, 8, 16, 32, 64, 128, 256, 512},
		"`MILLISECONDS` to try")
	f.IntVar(&c.Batches, "batches", 10,
		"at the calm period, run the command up to `N` times, until the methods' shares have "+
			"settled")
	f.StringVar(&c.samples, "samples", "",
		"write the cores' frequencies to this `FILE` (CSV)")
	f.StringVar(&c.html, "html", "", "write the results to this `FILE`, a page with figures")
	f.StringVarP(&c.dir, "output", "o", "",
		"write the page, the numbers of its figures (CSV) and the report of an observed run into "+
			"this `DIRECTORY`")
	f.DurationVar(&c.Epoch, "epoch", 512*time.Millisecond,
		"interval between two readings of the cores' frequencies")
	f.DurationVar(&c.WarmUp, "warm-up", 0,
		"leave out the first `TIME` of each run, while the program starts and its code is "+
			"compiled")
	f.StringVar(&c.Region, "region", "",
		"compare only this `REGION` that the program marks (ebb mark): NAME, or NAME#3- without "+
			"the first two iterations of each run")
	f.BoolVar(&c.All, "all", false, "try all periods, even after a calm one")
	command.UserFlags(cmd, &c.User, &c.KeepEnv)
	f.BoolVar(&c.json, "json", false, "print JSON")
	f.BoolVarP(&c.quiet, "quiet", "q", false, "suppress progress")
	f.StringVar(&c.Sysfs, "sysfs", "/sys", "`ROOT` of the machine's attributes")
	return cmd
}

// calmSettings has the values of calm's flags.
type calmSettings struct {
	perturbation.Settings
	samples string
	html    string
	dir     string
	json    bool
	quiet   bool
}

func (c *calmSettings) check(args []string) error {
	switch {
	case len(args) == 0:
		return command.Usagef("nothing to run: give a command after --")
	case c.Runs != 0 && (c.Runs < 2 || c.Runs > 1000):
		return command.Usagef("--runs %d is not between 2 and 1000", c.Runs)
	case c.AtMost < time.Second || c.AtMost > 1000*time.Hour:
		return command.Usagef("--at-most %v is not between 1s and 1000h", c.AtMost)
	case c.Batches < 0 || c.Batches > 1000:
		return command.Usagef("--batches %d is not between 0 and 1000", c.Batches)
	case len(c.Periods) == 0:
		return command.Usagef("--periods: none given")
	case c.WarmUp < 0:
		return command.Usagef("--warm-up %v is below zero", c.WarmUp)
	case c.Epoch < time.Millisecond || c.Epoch > time.Minute:
		return command.Usagef("--epoch %v is not between 1ms and 1m", c.Epoch)
	}
	if c.Region != "" {
		if _, err := profile.ParseCut(c.Region); err != nil {
			return command.Usagef("--region: %w", err)
		}
	}
	for _, p := range c.Periods {
		if p < 1 || p > 1000 {
			return command.Usagef("--periods: %d ms is not between 1 and 1000", p)
		}
	}
	slices.Sort(c.Periods)
	c.Periods = slices.Compact(c.Periods)
	return nil
}

// files opens the files that were asked for; nil for those that were not.
func (c *calmSettings) files() (samples, page *safefile.File, err error) {
	if c.samples != "" {
		if samples, err = command.FileFor("--samples", c.samples); err != nil {
			return nil, nil, err
		}
	}
	if c.html != "" {
		if page, err = command.FileFor("--html", c.html); err != nil {
			return samples, nil, err
		}
	}
	return samples, page, nil
}

func (c *calmSettings) execute(cmd *cobra.Command, args []string, std command.Stdio) (err error) {
	if err := c.check(args); err != nil {
		return err
	}
	if f := cmd.Flags(); c.Runs > 0 && f.Changed("at-most") {
		return command.Usagef("--runs and --at-most exclude each other: a number of runs takes " +
			"what it takes")
	}
	path, err := live.LookUp(args[0])
	if err != nil {
		return command.UsageError(err)
	}
	id, err := run.Identity(c.User, c.KeepEnv)
	if err != nil {
		return err
	}
	c.As, c.Environment, c.Within = id.Credential(), id.Environ(), id.Within
	fs, err := sysfs.Open(c.Sysfs)
	if err != nil {
		return command.Usagef("--sysfs: %w", err)
	}
	defer fs.Close()
	if c.dir != "" {
		if err := perturbation.CheckDirectory(c.dir); err != nil {
			return command.Usagef("-o: %w", err)
		}
	}
	samples, page, err := c.files()
	defer func() { err = errors.Join(err, closeFiles(samples, page)) }()
	if err != nil {
		return err
	}
	say := std.Err
	if c.quiet {
		say = io.Discard
	}
	s, err := perturbation.Open(c.Settings, fs, append([]string{path}, args[1:]...), say, samples)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	ctx, caught := command.UntilSignal(cmd.Context())
	defer caught.Stop()
	rows, err := s.Run(ctx)
	if sig := caught.Signal(); sig != 0 {
		return command.StatusError(command.BySignal(sig))
	}
	if errors.Is(err, perturbation.ErrTime) {
		return command.UsageError(err)
	}
	if err != nil {
		return err
	}
	if page != nil {
		write := func(w io.Writer) error { return s.WriteHTML(w, rows) }
		if err := page.Fill(write); err != nil {
			return err
		}
	}
	if c.dir != "" {
		if err := s.WriteDirectory(c.dir, rows); err != nil {
			return err
		}
	}
	write := func() error { return s.WriteText(std.Out, rows, command.PageWidth(std.Out)) }
	if c.json {
		write = func() error { return command.WriteJSON(std.Out, rows) }
	}
	if err := write(); err != nil {
		return err
	}
	if status := calmStatus(rows, s.Disturbed(rows)); status != command.OK {
		return command.StatusError(status)
	}
	return nil
}

// calmStatus returns the exit status for the verdicts on all periods. disturbed says that every
// period is known to disturb the program.
func calmStatus(rows []perturbation.Row, disturbed bool) command.Status {
	switch {
	case slices.ContainsFunc(rows, func(r perturbation.Row) bool { return r.Calm }):
		return command.OK
	case disturbed:
		return command.Disturbed
	}
	return command.Inconclusive
}

// closeFiles closes the files that are not nil.
func closeFiles(files ...*safefile.File) error {
	var errs []error
	for _, f := range files {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	return errors.Join(errs...)
}
