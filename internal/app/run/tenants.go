package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/ebb-energy/ebb/epochs/bpf"
	"github.com/ebb-energy/ebb/governor/arbiter"
	"github.com/ebb-energy/ebb/governor/live"
	"github.com/ebb-energy/ebb/governor/many"
	"github.com/ebb-energy/ebb/internal/app/config"
	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/app/run/meters"
	"github.com/ebb-energy/ebb/internal/app/run/part"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/render/printable"
	"github.com/ebb-energy/ebb/internal/stacks"
)

// Tenants is a file of tenants, which are governed together.
type Tenants struct {
	File string // name of the file; empty: there is none
	// Instruments opens the instruments of a service, whose tenants can change, in the place of a
	// run's; nil: the tenants are a run's.
	Instruments func(*Several) error
	config.Tenants
}

// several has the tenants of a run, in the place of its target.
type several struct {
	file      string
	names     []string
	locations []live.Location
	waits     []string // names of the tenants that are not there yet
	guess     []string // sentences on the places where tenants are guessed to come
	host      *live.Several
	cores     *many.Governors
}

// ExecuteTenants governs several tenants until the duration is over, a signal ends the run, or all
// tenants are processes that have ended. Errors are as Execute's.
func ExecuteTenants(ctx context.Context, s *Settings, std command.Stdio) (err error) {
	if err := s.Complete(nil); err != nil {
		return err
	}
	signals := command.CatchSignals(nil)
	defer signals.Stop()
	r, err := OpenSeveral(signals.Opening, s, std.Err)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	if sig := signals.Ending(); sig != 0 {
		return command.StatusError(command.BySignal(sig))
	}
	if err := r.Start(); err != nil {
		return err
	}
	if !s.Quiet {
		r.run.announce(std.Err, nil)
	}
	r.Obey(signals)
	runErr := r.Govern(ctx)
	if err := r.run.conclude(); err != nil {
		return err
	}
	if runErr != nil {
		return fmt.Errorf("govern %s: %w", r, runErr)
	}
	return nil
}

// attachedOnly is a governed without a command that signals would go to.
type attachedOnly struct{ *live.Several }

func (attachedOnly) Launched() bool   { return false }
func (attachedOnly) Signal(os.Signal) {}
func (attachedOnly) Ending()          {}

// OpenSeveral opens everything that a run with tenants needs, as open does for one target.
func OpenSeveral(ctx context.Context, s *Settings, messages io.Writer) (_ *Several, err error) {
	r := newRun(s)
	opened := false // stays so after an error or a panic
	defer func() {
		if !opened {
			err = errors.Join(command.GivenUp(ctx, err), r.close())
		}
	}()
	all, err := s.openTenants()
	if err != nil {
		return nil, err
	}
	r.Notices = all.guess
	if err := r.openMachine(nil, all); err != nil {
		return nil, err
	}
	if err := r.openControl(); err != nil {
		return nil, err
	}
	states, err := s.States.Of(r.Actuator.States())
	if err != nil {
		return nil, command.UsageError(err)
	}
	cfg := r.tenantConfigs(states)
	if all.cores, err = many.New(cfg); err != nil {
		return nil, command.UsageError(err)
	}
	for _, t := range cfg.Tenants {
		if err := all.cores.Failed(t.Number); err != nil {
			return nil, command.UsageError(fmt.Errorf("tenant %s: %w",
				all.name(t.Number), err))
		}
	}
	highest := states[len(states)-1]
	all.host = live.NewSeveral(r.Tracer, r.Actuator, highest, all.locations)
	r.Opened.Push(all.host.Close)
	if s.Tenants.Instruments != nil {
		all.host.Stay()
	}
	if s.Tenants.Rest != config.RestBackground {
		all.host.Bystanders(s.restNumber(), highest, s.Quantum)
	}
	r.Computer, r.Machine, r.stepper = &all.host.Computer, all.host, all.cores
	r.measureOverhead()
	v := &Several{run: r, Run: &r.Run, all: all}
	if open := s.Tenants.Instruments; open != nil {
		if err := open(v); err != nil {
			return nil, err
		}
	} else if err := r.tenantInstruments(all, &cfg, messages); err != nil {
		return nil, err
	}
	opened = true
	return v, nil
}

// name returns the name of a tenant.
func (s *several) name(n arbiter.Tenant) string {
	if n == 0 || int(n) > len(s.names) {
		return "rest"
	}
	return s.names[n-1]
}

// startTenants begins to follow the tenants.
func (r *run) startTenants(all *several) error {
	r.Types = nil // some MiB
	r.Report.OwnStartCPUNS = ownCPU()
	for _, i := range r.Instruments {
		if _, err := i.Start(nil); err != nil {
			return err
		}
	}
	if which, err := all.host.Start(); err != nil {
		switch {
		case which == 0:
			return part.Explain(err)
		case errors.Is(err, bpf.ErrPermission):
			return part.Explain(err)
		}
		return tenantError(all.name(which), err)
	}
	for i := len(r.Instruments) - 1; i >= 0; i-- {
		if err := r.Instruments[i].Started(); err != nil {
			return err
		}
	}
	if d := r.settings.Duration; d > 0 {
		time.AfterFunc(d, all.host.Stop)
	}
	return nil
}

// tenantInstruments opens the instruments of a run with tenants.
func (r *run) tenantInstruments(all *several, cfg *many.Config, messages io.Writer) error {
	open, err := meters.Open(&r.Run)
	if err != nil {
		return err
	}
	first := cfg.Tenants[0].Config
	r.describe(nil, &first, all.cores.Governor(1).PredictorConfig())
	r.describeTenants(all, cfg)
	r.Use(part.Totals, &tenantTally{run: r, all: all, meters: open,
		sums: report.NewTenantObserver(&r.Report, first.States[len(first.States)-1])})
	r.openTenantsProgress(command.NewBottom(messages), all)
	r.Use(part.Totals, meters.Busy(&r.Run))
	r.Use(part.Totals, part.Finishing{Add: r.addLosses})
	r.Use(part.Totals, part.Finishing{Add: r.checkCounters})
	if err := r.openRecording(&first, cfg); err != nil {
		return err
	}
	r.Use(part.OwnCost, part.Finishing{Add: r.addOverhead})
	r.Use(part.Checked, part.Finishing{Add: func(done *report.Report) error {
		r.addLate(done)
		return refuseImpossible(done)
	}})
	if !r.settings.Quiet {
		r.Use(part.Shown, part.Finishing{Add: func(done *report.Report) error {
			printSummary(messages, done, r.settings.Verbose)
			return nil
		}})
	}
	return r.openReport()
}

// start does nothing, as other methods of a target: startTenants does all.
func (s *several) start(context.Context, *live.Host, []string, *report.Report) error {
	return nil
}

func (s *several) Runtimes(context.Context, []string) ([]live.JVM, error) { return nil, nil }

func (s *several) Sample(*stacks.Sampler) error { return nil }
func (s *several) ProcessesPass() bool          { return true }
func (s *several) workload() string             { return s.file }
func (s *several) cgroupID() uint64             { return 0 }
func (s *several) close() error                 { return nil }

func (s *several) String() string {
	return fmt.Sprintf("%s of %s", printable.Count(len(s.names), "tenant"), s.file)
}

// mostWaiting is the number of awaited tenants that are named.
const mostWaiting = 3

// waiting names the tenants that have no process yet, as the end of a sentence.
func (s *several) waiting() string {
	if len(s.waits) == 0 {
		return ""
	}
	first := strings.Join(s.waits[:min(len(s.waits), mostWaiting)], ", ")
	if more := len(s.waits) - mostWaiting; more > 0 {
		first += fmt.Sprintf(" and %d more", more)
	}
	return "; waits for " + first
}
