package run

import (
	"context"
	"io"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/app/run/meters"
	"github.com/ebb-energy/ebb/internal/app/run/methods"
	"github.com/ebb-energy/ebb/internal/app/run/part"
)

// openInstruments opens the instruments that the run was asked for and those of every run.
func (r *run) openInstruments(ctx context.Context, argv []string, cfg *governor.Config,
	messages io.Writer,
) error {
	open, err := meters.Open(&r.Run)
	if err != nil {
		return err
	}
	model, machine, err := meters.OpenLadder(ctx, &r.Run, open)
	if err != nil {
		return err
	}
	r.describe(argv, cfg, r.Governor.PredictorConfig())
	sums := r.newTally(cfg)
	r.openProgress(messages, sums, open)
	r.Use(part.Totals, sums)
	count, err := methods.OpenCount(ctx, &r.Run, argv)
	if err != nil {
		return err
	}
	r.Use(part.Totals, part.Finishing{Add: r.addThreads})
	r.Use(part.Totals, meters.Busy(&r.Run))
	traffic, err := methods.OpenNetwork(&r.Run)
	if err != nil {
		return err
	}
	r.Use(part.Totals, part.Finishing{Add: r.addLosses})
	if err := methods.OpenCollections(ctx, &r.Run, argv); err != nil {
		return err
	}
	r.Use(part.Totals, part.Finishing{Add: r.checkCounters})
	r.openMemory(cfg.Counters)
	if err := methods.OpenByTable(&r.Run, cfg); err != nil {
		return err
	}
	if err := methods.OpenSensitive(&r.Run, argv, cfg); err != nil {
		return err
	}
	if err := r.openRecording(cfg, nil); err != nil {
		return err
	}
	r.Use(part.OwnCost, part.Finishing{Add: r.addOverhead})
	live, err := methods.OpenStream(&r.Run, argv, messages)
	if err != nil {
		return err
	}
	from := methods.Sources{Meters: open, Model: model, Machine: machine, Traffic: traffic}
	if err := methods.Open(ctx, &r.Run, argv, cfg, from, live); err != nil {
		return err
	}
	r.Use(part.Priced, part.Finishing{Add: count.Price})
	if live != nil {
		r.Use(part.Streamed, live)
	}
	r.Use(part.Checked, part.Finishing{Add: r.check})
	if !r.settings.Quiet {
		r.Use(part.Shown, part.Finishing{Add: func(done *report.Report) error {
			printSummary(messages, done, r.settings.Verbose)
			if r.settings.Files.Report == "" {
				return printMethods(messages, done)
			}
			return nil
		}})
	}
	if then := r.settings.Then; then != nil {
		r.Use(part.Passed, part.Finishing{Add: then})
	}
	if err := r.openTable(cfg); err != nil {
		return err
	}
	return r.openReport()
}

// check completes the report as a whole, and judges it.
func (r *run) check(done *report.Report) error {
	meters.Total(&r.Run, done)
	r.addLate(done)
	r.addStatus(done)
	if err := refuseImpossible(done); err != nil {
		return err
	}
	done.Judge()
	return nil
}
