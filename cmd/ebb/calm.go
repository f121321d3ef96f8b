package main

import (
	"errors"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/ebb-energy/ebb/calm/search"
	"github.com/ebb-energy/ebb/governor/live"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/output"
	"github.com/ebb-energy/ebb/internal/sysfs"
)

func newCalm(std command.Stdio) *cobra.Command {
	c := calmSettings{}
	cmd := &cobra.Command{
		Use:   "calm [flags] -- COMMAND [ARG...]",
		Short: "find the highest sampling rate that does not perturb the program",
		Long: `Runs COMMAND alone and under ebb run --methods, in turn, and compares: the time,
and where the clock frequencies can be read, how they went over time and how they were spread
over the cores (Chappie's calmness: time within 5 %, both correlations above 0.85). It begins
with the shortest sampling period, of a thread's CPU time, and ends with the first at which the
program is calm. There it continues until the shares of methods have settled: one more run
changes them so little that the correlation is above 0.99.

The command gets no input; its output is thrown away; it has to end with status 0.`,
		Example: `  sudo ebb calm -- java -jar app.jar
  sudo ebb calm --periods 4,16,64 --runs 5 -- ./program`,
		RunE: func(cmd *cobra.Command, args []string) error { return c.execute(cmd, args, std) },
	}
	f := cmd.Flags()
	f.SetInterspersed(false)
	f.IntVar(&c.Runs, "runs", 3, "how often to run the command in each way")
	f.IntSliceVar(&c.Periods, "periods", []int{1, 2, 4, 8, 16, 32, 64, 128, 256, 512},
		"`MILLISECONDS` to try")
	f.IntVar(&c.Batches, "batches", 10,
		"at the calm period, run the command up to `N` times, until the shares of methods have "+
			"settled")
	f.StringVar(&c.samples, "samples", "",
		"write the frequencies that were read to this `FILE` (CSV)")
	f.StringVar(&c.html, "html", "", "write what was found to this `FILE`, as a page with figures")
	f.DurationVar(&c.Epoch, "epoch", 512*time.Millisecond,
		"how often the cores' frequencies are read")
	f.BoolVar(&c.All, "all", false, "try all periods, also after one is calm")
	f.BoolVar(&c.json, "json", false, "print JSON")
	f.BoolVarP(&c.quiet, "quiet", "q", false, "suppress progress")
	f.StringVar(&c.Sysfs, "sysfs", "/sys", "`ROOT` of the machine's attributes")
	return cmd
}

// calmSettings is what the flags of calm say.
type calmSettings struct {
	search.Settings
	samples string
	html    string
	json    bool
	quiet   bool
}

func (c *calmSettings) check(args []string) error {
	switch {
	case len(args) == 0:
		return command.Usagef("nothing to run: give a command after --")
	case c.Runs < 2 || c.Runs > 1000:
		return command.Usagef("--runs %d is not between 2 and 1000", c.Runs)
	case c.Batches < 0 || c.Batches > 1000:
		return command.Usagef("--batches %d is not between 0 and 1000", c.Batches)
	case len(c.Periods) == 0:
		return command.Usagef("--periods: none given")
	case c.Epoch < time.Millisecond || c.Epoch > time.Minute:
		return command.Usagef("--epoch %v is not between 1ms and 1m", c.Epoch)
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
func (c *calmSettings) files() (samples, page *output.File, err error) {
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
	path, err := live.LookUp(args[0])
	if err != nil {
		return command.UsageError(err)
	}
	fs, err := sysfs.Open(c.Sysfs)
	if err != nil {
		return command.Usagef("--sysfs: %w", err)
	}
	defer fs.Close()
	samples, page, err := c.files()
	defer func() { err = errors.Join(err, closeFiles(samples, page)) }()
	if err != nil {
		return err
	}
	say := std.Err
	if c.quiet {
		say = io.Discard
	}
	s, err := search.Open(c.Settings, fs, append([]string{path}, args[1:]...), say, samples)
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
	if err != nil {
		return err
	}
	if page != nil {
		write := func(w io.Writer) error { return s.WriteHTML(w, rows) }
		if err := page.Fill(write); err != nil {
			return err
		}
	}
	if c.json {
		return command.WriteJSON(std.Out, rows)
	}
	return s.WriteText(std.Out, rows)
}

// closeFiles closes those that were opened.
func closeFiles(files ...*output.File) error {
	var errs []error
	for _, f := range files {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	return errors.Join(errs...)
}
