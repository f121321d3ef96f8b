package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/ebb-energy/ebb/governor/live"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/output"
	"github.com/ebb-energy/ebb/internal/sysfs"
	"github.com/ebb-energy/ebb/topology"
)

func newCalm(std command.Stdio) *cobra.Command {
	c := calmSettings{}
	cmd := &cobra.Command{
		Use:   "calm [flags] -- COMMAND [ARG...]",
		Short: "how often stacks can be looked at without disturbing the program",
		Long: `Runs COMMAND alone and under ebb run --methods, in turn, and compares: the time, and where the clock frequencies can
be read, how they went over time and how they were spread over the cores (Chappie's calmness: time within 5 %, both
correlations above 0.85). It begins with the shortest period between two looks at a thread, of its CPU time, and ends with
the first at which the program is calm. There it goes on until the shares of methods have settled: one more run changes
them so little that the correlation is above 0.99.

The command gets no input; its output is thrown away; it has to end with status 0.`,
		Example: `  sudo ebb calm -- java -jar app.jar
  sudo ebb calm --periods 4,16,64 --runs 5 -- ./program`,
		RunE: func(cmd *cobra.Command, args []string) error { return c.execute(cmd, args, std) },
	}
	f := cmd.Flags()
	f.SetInterspersed(false)
	f.IntVar(&c.runs, "runs", 3, "how often to run the command in each way")
	f.IntSliceVar(&c.periods, "periods", []int{1, 2, 4, 8, 16, 32, 64, 128, 256, 512},
		"`MILLISECONDS` to try")
	f.IntVar(&c.batches, "batches", 10,
		"at the calm period, run the command up to `N` times, until the shares of methods have settled")
	f.StringVar(&c.samples, "samples", "",
		"write the frequencies that were read to this `FILE` (CSV)")
	f.StringVar(&c.html, "html", "", "write what was found to this `FILE`, as a page with figures")
	f.DurationVar(&c.epoch, "epoch", 512*time.Millisecond,
		"how often the cores' frequencies are read")
	f.BoolVar(&c.all, "all", false, "try all periods, also after one is calm")
	f.BoolVar(&c.json, "json", false, "print JSON")
	f.BoolVarP(&c.quiet, "quiet", "q", false, "do not tell how it goes on")
	f.StringVar(&c.sysfsRoot, "sysfs", "/sys", "`ROOT` of the machine's attributes")
	return cmd
}

// calmSettings is what the flags of calm say.
type calmSettings struct {
	runs      int
	periods   []int
	batches   int
	samples   string
	html      string
	page      *output.File // nil when not asked for
	epoch     time.Duration
	all       bool
	json      bool
	quiet     bool
	sysfsRoot string

	argv   []string
	cores  []core
	fs     *sysfs.FS
	meters *meters // nil where there is none
	say    io.Writer
	out    *samplesFile // nil when not asked for
}

func (c *calmSettings) check(args []string) error {
	switch {
	case len(args) == 0:
		return command.Usagef("nothing to run: give a command after --")
	case c.runs < 2 || c.runs > 1000:
		return command.Usagef("--runs %d is not between 2 and 1000", c.runs)
	case c.batches < 0 || c.batches > 1000:
		return command.Usagef("--batches %d is not between 0 and 1000", c.batches)
	case len(c.periods) == 0:
		return command.Usagef("--periods: none given")
	case c.epoch < time.Millisecond || c.epoch > time.Minute:
		return command.Usagef("--epoch %v is not between 1ms and 1m", c.epoch)
	}
	for _, p := range c.periods {
		if p < 1 || p > 1000 {
			return command.Usagef("--periods: %d ms is not between 1 and 1000", p)
		}
	}
	slices.Sort(c.periods)
	c.periods = slices.Compact(c.periods)
	return nil
}

// core is one whose frequency can be read, and where.
type core struct {
	cpu  topology.CPU
	file string
}

func (c *calmSettings) execute(cmd *cobra.Command, args []string, std command.Stdio) (err error) {
	if err := c.check(args); err != nil {
		return err
	}
	path, err := live.LookUp(args[0])
	if err != nil {
		return command.UsageError(err)
	}
	c.argv = append([]string{path}, args[1:]...)
	c.say = std.Err
	if c.quiet {
		c.say = io.Discard
	}
	if c.fs, err = sysfs.Open(c.sysfsRoot); err != nil {
		return command.Usagef("--sysfs: %w", err)
	}
	defer c.fs.Close()
	machine, err := topology.Read(c.fs)
	if err != nil {
		return err
	}
	for _, cpu := range machine.CPUs() {
		file := fmt.Sprintf("devices/system/cpu/cpu%d/cpufreq/scaling_cur_freq", cpu)
		if _, err := c.fs.ReadInt(file); err == nil {
			c.cores = append(c.cores, core{cpu, file})
		}
	}
	if c.out, err = newSamples(c.samples); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.out.close()) }()
	if c.html != "" {
		page, err := command.FileFor("--html", c.html)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, page.Close()) }()
		c.page = page
	}
	if c.meters, _ = openMeters(c.fs); c.meters != nil {
		defer func() { err = errors.Join(err, c.meters.open.Close()) }()
	}
	ctx, caught := command.UntilSignal(cmd.Context())
	defer caught.Stop()
	rows, err := c.search(ctx)
	if sig := caught.Signal(); sig != 0 {
		return command.StatusError(command.BySignal(sig))
	}
	if err != nil {
		return err
	}
	if c.html != "" {
		if err := c.page.Fill(func(w io.Writer) error { return c.writePage(w, rows) }); err != nil {
			return err
		}
	}
	if c.json {
		return command.WriteJSON(std.Out, rows)
	}
	return c.print(std.Out, rows)
}
