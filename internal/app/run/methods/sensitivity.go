package methods

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/app/run/part"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/sandbox"
	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
	"github.com/ebb-energy/ebb/internal/stacks"
	"github.com/ebb-energy/ebb/predictor/nonscaling"
	"github.com/ebb-energy/ebb/predictor/sensitivity"
	"github.com/ebb-energy/ebb/units"
)

// functionRate is the number of samples of a thread in a second of its CPU time. It is not 500, to
// stay out of step with what programs do. A visit of 5 ms has two or three.
const functionRate = 499

// sampling finds the functions in which samples find the target's threads.
type sampling struct {
	part.Passive
	sampler *stacks.Sampler
	reader  *sandbox.Host
	origins *sandbox.Origins
	target  part.Program
	opened  part.Stack
}

// openSampling opens the sampler and the process that reads mappings. It asks for the functions
// themselves, or for the files that are mapped.
func openSampling(r *part.Run, functions bool) (*sampling, error) {
	s := &sampling{target: r.Program}
	r.Use(part.Totals, s)
	var err error
	if s.sampler, err = stacks.OpenShallow(r.Tracer.Followed(), r.Types, functionRate); err != nil {
		return nil, err
	}
	s.opened.Push(s.sampler.Close)
	if s.reader, err = sandbox.Start(); err != nil {
		return nil, err
	}
	s.opened.Push(s.reader.Close)
	s.reader.OwnIDs(r.OwnID)
	s.origins = sandbox.NewOrigins(s.reader, functions)
	s.reader.OnOrigins(s.origins.Take)
	r.SamplingCost = s.cost
	return s, nil
}

// cost returns the time that the sampling has taken from the program so far; 0 if that could not be
// read.
func (s *sampling) cost(interrupt time.Duration) time.Duration {
	c, err := s.sampler.Cost(interrupt)
	if err != nil {
		return 0
	}
	return c
}

func (s *sampling) Start(argv []string) ([]string, error) {
	if len(argv) == 0 {
		return nil, nil // the target runs already
	}
	return argv, SampleAround(s.sampler, os.Getpid())
}

func (s *sampling) Started() error { return s.target.Sample(s.sampler) }
func (s *sampling) Close() error   { return s.opened.Close() }

// see keeps the places up to date, and takes over answers.
func (s *sampling) see(ev *governor.Event) {
	if ev.Kind != governor.Sched {
		return
	}
	switch x := &ev.Sched; x.Kind {
	case epochs.Fork, epochs.Exec, epochs.Exit:
		s.origins.Replaced(int(x.Thread))
	case epochs.Tick:
		s.origins.Tick(x.At)
		s.reader.Poll(x.At)
	}
}

// drain hands over the samples there are, each with its address and the place found for that, or
// nil.
func (s *sampling) drain(take func(*stacks.Sample, uint64, *protocol.Origin)) error {
	return s.sampler.Drain(func(x *stacks.Sample) bool {
		addr := x.Registers[instruction]
		if addr == 0 && len(x.User) > 0 {
			addr = x.User[0]
		}
		var p *protocol.Origin
		if addr != 0 {
			p, _ = s.origins.Find(x.PID, addr)
		}
		take(x, addr, p)
		return true
	})
}

// instruction is the index of rip in stacks.Registers.
const instruction = 16

// byTable is the sampling of a run that has a table of functions.
type byTable struct {
	*sampling
	settings *part.Sensitivity
	index    *sensitivity.Index
	governor *governor.Governor
	others   map[string]bool // files that the table has in other builds
	modules  map[string]bool // modules of the table
	advances advances
}

// CheckSensitivity checks the settings.
func CheckSensitivity(s *part.Settings) error {
	if s.Estimator == nonscaling.Functions && s.Sensitivity.Table == nil {
		return command.Usagef("--estimator functions needs a table: --sensitivity FILE")
	}
	return nil
}

// WantTable puts the table's shares into the configuration, if there is one and no counter says
// more.
func WantTable(r *part.Run, cfg *governor.Config) {
	s := &r.Settings.Sensitivity
	if s.Table == nil || r.Settings.RecordOnly {
		return
	}
	if len(cfg.Counters) > 0 && cfg.Predictor.Estimator != nonscaling.Functions {
		part.Warn(&r.Report,
			fmt.Sprintf("this machine counts what threads wait for, which says more "+
				"than %s: that is not used (--estimator %s uses it)", s.File, nonscaling.Functions))
		return
	}
	cfg.Functions = &sensitivity.Shares{Frequency: units.Frequency(s.Table.Hz),
		Share: s.Table.Shares()}
}

// OpenByTable begins the sampling by a table, when the governor expects samples.
func OpenByTable(r *part.Run, cfg *governor.Config) error {
	if cfg.Functions == nil {
		return nil
	}
	s, err := openSampling(r, false)
	if err != nil {
		return err
	}
	t := &byTable{sampling: s, settings: &r.Settings.Sensitivity, governor: r.Governor,
		index:  r.Settings.Sensitivity.Table.Index(),
		others: map[string]bool{}, modules: map[string]bool{}}
	for i := range t.settings.Table.Functions {
		if f := &t.settings.Table.Functions[i]; f.BuildID != "" {
			t.modules[f.Module] = true
		}
	}
	r.Instruments[len(r.Instruments)-1].Instrument = t
	r.Machine = governor.WithSamples(r.Machine, t.samples)
	return nil
}

// samples hands the samples of a quantum to the governor.
func (t *byTable) samples(_ units.Instant, add func(*governor.Event)) error {
	ev := governor.Event{Kind: governor.Sampled}
	return t.drain(func(x *stacks.Sample, addr uint64, p *protocol.Origin) {
		ev.At, ev.Thread, ev.Function = x.At, x.Thread, sensitivity.UnknownFunction
		if p != nil {
			if fn, ok := t.find(p, addr); ok {
				ev.Function = sensitivity.FunctionNumber(fn)
			} else if t.modules[p.Module] && !t.index.Has(p.BuildID) && len(t.others) < 64 {
				t.others[p.Module] = true
			}
		}
		ev.Advance = t.advances.since(x.Thread, ev.Function, &x.Registers)
		add(&ev)
	})
}

// find returns the table's number of the function or method whose code is at an address.
func (t *byTable) find(p *protocol.Origin, addr uint64) (int32, bool) {
	if p.Made {
		return t.index.Method(sensitivity.Method{Class: p.Class, Name: p.Function,
			Signature: p.Signature})
	}
	return t.index.Find(p.BuildID, addr-p.Start+p.Addr)
}

func (t *byTable) Observer() governor.Observer { return t }

// Observe implements governor.Observer.
func (t *byTable) Observe(ev *governor.Event, _ []governor.Action) { t.see(ev) }

func (t *byTable) Finish(_ context.Context, done *report.Report) error {
	log := t.governor.Sampled()
	taken, lost, err := t.sampler.Counts()
	if err != nil {
		return err
	}
	c := log.Coverage()
	out := &report.Sensitivity{File: t.settings.File, Functions: len(t.settings.Table.Functions),
		RunningNS: int64(c.Running), KnownNS: int64(c.Known), Samples: taken, LostSamples: lost,
		Visits: log.Visits(), Intervals: log.Intervals(), Verdict: [...]string{
			sensitivity.Unproven: report.Unproven, sensitivity.Right: report.ProvenRight,
			sensitivity.Wrong: report.ProvenWrong}[log.Verdict()]}
	if at := log.Dropped(); at > 0 {
		out.DroppedAfterNS = int64(at.Sub(t.governor.Start()))
	}
	for m := range t.others {
		out.OtherBuilds = append(out.OtherBuilds, m)
	}
	slices.Sort(out.OtherBuilds)
	done.Sensitivity = out
	if len(out.OtherBuilds) > 0 {
		part.Warn(done, fmt.Sprintf("%s is of another build of %s (its build id differs): "+
			"nothing in it was used, and all its time counts as scaling", t.settings.File,
			strings.Join(out.OtherBuilds, ", ")))
	}
	if log.Verdict() == sensitivity.Wrong {
		part.Warn(done,
			fmt.Sprintf("%s was wrong: the program took longer at low clocks than it says; "+
				"ebb dropped it and counted all time as scaling", t.settings.File))
	}
	for _, p := range t.reader.Problems() {
		part.Warn(done, p)
	}
	return nil
}
