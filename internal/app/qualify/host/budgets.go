package host

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/ebb-energy/ebb/cpufreq/guardian"
	"github.com/ebb-energy/ebb/internal/app/bench"
	benchhost "github.com/ebb-energy/ebb/internal/app/bench/host"
	"github.com/ebb-energy/ebb/internal/app/config"
	"github.com/ebb-energy/ebb/internal/app/qualify"
	"github.com/ebb-energy/ebb/internal/render/printable"
	"github.com/ebb-energy/ebb/units"
)

// allowed are the budgets of step 6.
var allowed = []units.Slowdown{0.05, 0.1}

// budgets makes step 6.
func (h *host) budgets(ctx context.Context, step *qualify.Step) error {
	states, err := h.controlled()
	if err != nil {
		return err
	}
	for _, name := range h.Plan.Compared {
		c, err := h.alongClocks(ctx, name, states)
		if c != nil {
			step.Comparisons = append(step.Comparisons, *c)
		}
		if err != nil && name == qualify.JVM && ctx.Err() == nil {
			miss(step, qualify.JVMProgram, err)
			continue
		}
		if err != nil {
			return h.partial(ctx, step, err)
		}
	}
	c, err := h.besideAnother(ctx, h.Plan.Compared[0], states)
	if c != nil {
		step.Comparisons = append(step.Comparisons, *c)
	}
	if err != nil {
		return h.partial(ctx, step, err)
	}
	if c, err = h.underQuota(ctx, step, h.Plan.Compared[0], states); c != nil {
		step.Comparisons = append(step.Comparisons, *c)
	}
	return h.partial(ctx, step, err)
}

// partial keeps the comparisons that were made before an error, and notes the error.
func (h *host) partial(ctx context.Context, step *qualify.Step, err error) error {
	if err != nil && ctx.Err() == nil && len(step.Comparisons) > 0 {
		miss(step, "the comparisons that follow", err)
		return nil
	}
	return err
}

// alongClocks compares fixed clocks, the machine as it was found, and ebb. After the first round it
// adds the neighbours of the best clock.
func (h *host) alongClocks(ctx context.Context, name string, states []units.Frequency,
) (*qualify.Comparison, error) {
	r, close, err := h.runner(ctx, name)
	if err != nil {
		return nil, err
	}
	defer close()
	some := clocks(states, h.Plan.Clocks)
	h.Say("   %s: one round at %d clocks", name, len(some))
	first, err := h.compare(ctx, r, h.settings(r, some, nil, false), 1)
	if err != nil {
		return nil, err
	}
	best := bestOf(first)
	if i := slices.Index(states, best); i >= 0 {
		for _, k := range []int{i - 1, i + 1} {
			if k >= 0 && k < len(states) && !slices.Contains(some, states[k]) {
				some = append(some, states[k])
			}
		}
	}
	slices.Sort(some)
	h.Say("   %s: %s of %d clocks, the machine as found, and ebb", name,
		printable.Count(h.Plan.Rounds, "round"), len(some))
	result, err := h.compare(ctx, r, h.settings(r, some, allowed, true), h.Plan.Rounds)
	if result == nil {
		return nil, err
	}
	return comparison(name, qualify.Alone, result), err
}

// runner returns a bench.Runner for a program with further arguments on this machine.
func (h *host) runner(ctx context.Context, name string, more ...string,
) (*runner, func(), error) {
	if err := h.alone(); err != nil {
		return nil, nil, err
	}
	argv, err := h.program(ctx, name)
	if err != nil {
		return nil, nil, err
	}
	c := config.Default()
	if h.Config != "" {
		if c, err = config.Load(h.Config); err != nil {
			return nil, nil, err
		}
	}
	flags := slices.DeleteFunc(h.flags(), func(f string) bool { return f == "--quiet" })
	if i := slices.Index(flags, "--run-dir"); i >= 0 {
		flags = slices.Delete(flags, i, i+2) // bench adds it
	}
	b, err := benchhost.Open(benchhost.Config{Command: append(argv, more...),
		Ebb: []string{h.Self}, EbbFlags: flags, Sysfs: h.fs, RunDir: h.RunDir, Meter: h.meter,
		Power: c.Power, Guard: guardian.Over})
	if err != nil {
		return nil, nil, err
	}
	return &runner{b, h}, func() { _ = b.Close() }, nil // closes a file without a name
}

// runner is a bench.Runner that marks the runs that were throttled.
type runner struct {
	*benchhost.Runner
	h *host
}

// Run implements bench.Runner.
func (r *runner) Run(ctx context.Context, s bench.Setting, round int) (bench.Measurement, error) {
	before := r.h.throttled()
	m, err := r.Runner.Run(ctx, s, round)
	if since(before, r.h.throttled()).Any() {
		m.Trouble = strings.TrimPrefix(m.Trouble+"; "+qualify.ThrottledRun, "; ")
	}
	return m, err
}

// settings returns the settings of a comparison; found adds the machine as found.
func (h *host) settings(r *runner, states []units.Frequency, budgets []units.Slowdown, found bool,
) []bench.Setting {
	all := bench.Settings(states, r.Governor(), budgets, false)
	if !found {
		all = slices.DeleteFunc(all, func(s bench.Setting) bool { return s.Kind == bench.Default })
	}
	return all
}

// compare makes the rounds. After an error it returns the rounds so far, if one is whole.
func (h *host) compare(ctx context.Context, r *runner, settings []bench.Setting, rounds int,
) (*bench.Result, error) {
	plan := &bench.Plan{Version: h.Version, Settings: settings, Seed: 1, Source: r.Source()}
	watch := bench.NewProgress(io.Discard, plan, rounds, 1, nil)
	samples, err := bench.Execute(ctx, plan, rounds, r, nil, unwritten{}, watch)
	watch.End()
	result := bench.Analyse(plan, samples, rounds)
	if result.Rounds == 0 {
		return nil, err
	}
	return result, err
}

// unwritten is a record that keeps nothing: a qualification is not continued.
type unwritten struct{}

func (unwritten) Add(*bench.Sample) error { return nil }

// bestOf returns the fixed clock with the least energy of processor and memory; without energies,
// the highest.
func bestOf(r *bench.Result) units.Frequency {
	best, least := units.Frequency(0), units.Energy(0)
	for i := range r.Rows {
		row := &r.Rows[i]
		if row.Kind == bench.Static && row.HasEnergy && (best == 0 || row.Total < least) {
			best, least = units.Frequency(row.Hz), row.Total
		}
	}
	return best
}
