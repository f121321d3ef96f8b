package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/bench"
	"github.com/ebb-energy/ebb/energy/calm"
	"github.com/ebb-energy/ebb/energy/profile"
	"github.com/ebb-energy/ebb/internal/sysfs"
	"github.com/ebb-energy/ebb/report"
	"github.com/ebb-energy/ebb/topology"
)

func newCalm(std stdio) *cobra.Command {
	c := calmSettings{}
	cmd := &cobra.Command{
		Use:   "calm [flags] -- COMMAND [ARG...]",
		Short: "how often stacks can be looked at without disturbing the program",
		Long: `Runs COMMAND alone and under ebb run --methods, in turn, and compares: the time, and where the clock frequencies can
be read, how they went over time and how they were spread over the cores (Chappie's calmness: time within 5 %, both
correlations above 0.85). It begins with the shortest period between two looks at a thread, of its CPU time, and ends with
the first at which the program is calm. Then it says whether the shares of methods have settled (correlation above 0.99 of
what one more run changes).

The command gets no input; its output is thrown away; it has to end with status 0.`,
		Example: `  sudo ebb calm -- java -jar app.jar
  sudo ebb calm --periods 4,16,64 --runs 5 -- ./program`,
		RunE: func(cmd *cobra.Command, args []string) error { return c.execute(cmd, args, std) },
	}
	f := cmd.Flags()
	f.SetInterspersed(false)
	f.IntVar(&c.runs, "runs", 3, "how often to run the command in each way")
	f.IntSliceVar(&c.periods, "periods", []int{1, 2, 4, 8, 16, 32, 64, 128, 256, 512}, "`MILLISECONDS` to try")
	f.DurationVar(&c.epoch, "epoch", 512*time.Millisecond, "how often the cores' frequencies are read")
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
	epoch     time.Duration
	all       bool
	json      bool
	quiet     bool
	sysfsRoot string

	argv  []string
	files []string // of the cores' frequencies
	fs    *sysfs.FS
	say   io.Writer
}

// oneRun is what is known of one run.
type oneRun struct {
	wall      time.Duration
	frequency calm.Run
	footprint map[string]float64
}

// calmRow is what was found of one period.
type calmRow struct {
	PeriodMS    int              `json:"period_ms"`
	Time        bench.Interval   `json:"time"`
	Temporal    calm.Correlation `json:"temporal"`
	Spatial     calm.Correlation `json:"spatial"`
	Calm        bool             `json:"calm"`
	Sure        bool             `json:"sure"` // the interval of the time is on one side of the threshold
	Convergence *float64         `json:"convergence,omitempty"`
}

func (c *calmSettings) check(args []string) error {
	switch {
	case len(args) == 0:
		return usagef("nothing to run: give a command after --")
	case c.runs < 2 || c.runs > 1000:
		return usagef("--runs %d is not between 2 and 1000", c.runs)
	case len(c.periods) == 0:
		return usagef("--periods: none given")
	case c.epoch < time.Millisecond || c.epoch > time.Minute:
		return usagef("--epoch %v is not between 1ms and 1m", c.epoch)
	}
	for _, p := range c.periods {
		if p < 1 || p > 1000 {
			return usagef("--periods: %d ms is not between 1 and 1000", p)
		}
	}
	slices.Sort(c.periods)
	c.periods = slices.Compact(c.periods)
	return nil
}

func (c *calmSettings) execute(cmd *cobra.Command, args []string, std stdio) error {
	if err := c.check(args); err != nil {
		return err
	}
	path, err := exec.LookPath(args[0])
	if err != nil {
		return usagef("can not run the command: %w", err)
	}
	c.argv = append([]string{path}, args[1:]...)
	c.say = std.err
	if c.quiet {
		c.say = io.Discard
	}
	if c.fs, err = sysfs.Open(c.sysfsRoot); err != nil {
		return usagef("--sysfs: %w", err)
	}
	defer c.fs.Close()
	machine, err := topology.Read(c.fs)
	if err != nil {
		return err
	}
	for _, cpu := range machine.CPUs() {
		file := fmt.Sprintf("devices/system/cpu/cpu%d/cpufreq/scaling_cur_freq", cpu)
		if _, err := c.fs.ReadInt(file); err == nil {
			c.files = append(c.files, file)
		}
	}
	ctx, caught := untilSignal(cmd.Context())
	defer caught.stop()
	rows, err := c.search(ctx)
	if sig := caught.signal(); sig != 0 {
		return statusError(exitSignal + exitCode(sig))
	}
	if err != nil {
		return err
	}
	if c.json {
		enc := json.NewEncoder(std.out)
		enc.SetIndent("", "  ")
		return enc.Encode(rows)
	}
	return c.print(std.out, rows)
}

// search tries one period after the other, the shortest first. Each is compared with reference runs made in turn with its
// own, so that what drifts hits both.
func (c *calmSettings) search(ctx context.Context) (rows []calmRow, err error) {
	fmt.Fprintln(c.say, "ebb: a first run, which counts for nothing")
	if _, err := c.reference(ctx); err != nil {
		return nil, err
	}
	for _, period := range c.periods {
		var observed, reference []oneRun
		for i := range c.runs {
			fmt.Fprintf(c.say, "ebb: period %d ms, round %d of %d\n", period, i+1, c.runs)
			r, err := c.reference(ctx)
			if err != nil {
				return nil, err
			}
			o, err := c.observed(ctx, period)
			if err != nil {
				return nil, err
			}
			reference, observed = append(reference, r), append(observed, o)
		}
		row := compare(period, observed, reference)
		rows = append(rows, row)
		if row.Calm && !c.all {
			break
		}
	}
	return rows, nil
}

func compare(period int, observed, reference []oneRun) calmRow {
	row := calmRow{PeriodMS: period}
	var logs []float64
	var o, r []calm.Run
	for i := range observed {
		logs = append(logs, math.Log(float64(observed[i].wall)/float64(reference[i].wall)))
		o, r = append(o, observed[i].frequency), append(r, reference[i].frequency)
	}
	row.Time = bench.Ratio(logs)
	row.Temporal, row.Spatial = calm.Correspondence(o, r)
	row.Calm = math.Abs(row.Time.Estimate) < calm.MaxTime
	if row.Temporal.Known {
		row.Calm = row.Calm && row.Temporal.Pass() && row.Spatial.Pass()
	}
	row.Sure = row.Time.Lo > -calm.MaxTime && row.Time.Hi < calm.MaxTime || row.Time.Lo > calm.MaxTime || row.Time.Hi < -calm.MaxTime
	before := map[string]float64{}
	for i := range len(observed) - 1 {
		for u, e := range observed[i].footprint {
			before[u] += e
		}
	}
	after := map[string]float64{}
	for i := range observed {
		for u, e := range observed[i].footprint {
			after[u] += e
		}
	}
	if v := calm.Convergence(before, after); !math.IsNaN(v) {
		row.Convergence = &v
	}
	return row
}

// reference runs the command alone.
func (c *calmSettings) reference(ctx context.Context) (r oneRun, err error) {
	cmd := exec.CommandContext(ctx, c.argv[0], c.argv[1:]...)
	start := time.Now()
	r.frequency, err = c.watch(cmd)
	r.wall = time.Since(start)
	if err != nil {
		return r, fmt.Errorf("run %s: %w", c.argv[0], err)
	}
	return r, nil
}

// observed runs it under ebb.
func (c *calmSettings) observed(ctx context.Context, period int) (r oneRun, err error) {
	self, err := os.Executable()
	if err != nil {
		return r, err
	}
	file, err := os.CreateTemp("", "ebb-calm-*.json")
	if err != nil {
		return r, err
	}
	defer os.Remove(file.Name())
	if err := file.Close(); err != nil {
		return r, err
	}
	args := []string{"run", "--quiet", "--shadow", "--methods", "--rate", fmt.Sprint(max(1000/period, 1)), "--report", file.Name(), "--"}
	cmd := exec.CommandContext(ctx, self, append(args, c.argv...)...)
	var said strings.Builder
	cmd.Stderr = &said
	if r.frequency, err = c.watch(cmd); err != nil {
		return r, fmt.Errorf("run %s under ebb: %w: %s", c.argv[0], err, strings.TrimSpace(said.String()))
	}
	b, err := os.ReadFile(file.Name())
	if err != nil {
		return r, err
	}
	var rep report.Report
	if err := json.Unmarshal(b, &rep); err != nil {
		return r, err
	}
	r.wall = time.Duration(rep.WallNS)
	v, err := profile.NewView(rep.Attribution, "method", nil)
	if err != nil {
		return r, err
	}
	r.footprint = map[string]float64{}
	for _, row := range rep.Attribution.Rows(v, 0) {
		r.footprint[row.Unit] = float64(row.Energy)
	}
	return r, nil
}

// watch runs a command to its end and reads the cores' frequencies meanwhile.
func (c *calmSettings) watch(cmd *exec.Cmd) (frequencies calm.Run, err error) {
	// ebb passes the signal on to what it governs; killed, it would leave it running.
	cmd.Cancel = func() error { return cmd.Process.Signal(unix.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	tick := time.NewTicker(c.epoch)
	defer tick.Stop()
	for {
		select {
		case err := <-done:
			return frequencies, err
		case <-tick.C:
			if len(c.files) == 0 {
				continue
			}
			epoch := make([]float64, len(c.files))
			for i, f := range c.files {
				khz, err := c.fs.ReadInt(f)
				if err != nil {
					khz = 0 // a core that is offline runs at no frequency
				}
				epoch[i] = float64(khz) * 1000
			}
			frequencies = append(frequencies, epoch)
		}
	}
}

func (c *calmSettings) print(w io.Writer, rows []calmRow) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%8s %8s %18s %18s %18s %12s  %s\n", "period", "time", "95% interval", "temporal", "spatial", "convergence", "verdict")
	for _, r := range rows {
		verdict := "disturbed"
		if r.Calm {
			verdict = "calm"
		}
		if !r.Sure {
			verdict += " (more runs would make it sure)"
		}
		convergence := "-"
		if r.Convergence != nil {
			convergence = fmt.Sprintf("%.4f", *r.Convergence)
			if *r.Convergence < calm.MinConvergence {
				convergence += " no"
			}
		}
		fmt.Fprintf(&b, "%5d ms %+7.2f%% %18s %18s %18s %12s  %s\n", r.PeriodMS, 100*r.Time.Estimate,
			fmt.Sprintf("%+.2f%% %+.2f%%", 100*r.Time.Lo, 100*r.Time.Hi), correlation(r.Temporal), correlation(r.Spatial), convergence, verdict)
	}
	fmt.Fprintf(&b, "thresholds: time within %.0f%%, correlations above %.2f; shares have settled above %.2f\n", 100*calm.MaxTime, calm.MinCorrelation, calm.MinConvergence)
	if len(c.files) == 0 {
		b.WriteString("the machine shows no core's frequency: only the time was compared\n")
	}
	switch i := slices.IndexFunc(rows, func(r calmRow) bool { return r.Calm }); {
	case i >= 0:
		fmt.Fprintf(&b, "smallest calm period: %d ms (ebb run --methods --rate %d)\n", rows[i].PeriodMS, max(1000/rows[i].PeriodMS, 1))
	default:
		fmt.Fprintf(&b, "no period was calm; the least disturbance is to be expected at %d ms\n", rows[len(rows)-1].PeriodMS)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func correlation(c calm.Correlation) string {
	if !c.Known {
		return "not known"
	}
	verdict := "pass"
	if !c.Pass() {
		verdict = "fail"
	}
	return fmt.Sprintf("%.3f±%.3f %s", c.R, c.SE, verdict)
}
