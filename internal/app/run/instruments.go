package run

import (
	"context"
	"io"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/internal/app/report"
)

// openInstruments opens the instruments that the run was asked for and those of every run. They
// finish in this order: totals before their division, the recording before the names, which can
// take long, and the report's file last.
func (r *Run) openInstruments(ctx context.Context, argv []string, cfg *governor.Config,
	messages io.Writer,
) error {
	meters, err := r.openMeters()
	if err != nil {
		return err
	}
	model, machine, err := r.openLadder(ctx, meters)
	if err != nil {
		return err
	}
	r.describe(argv, cfg, r.governor.PredictorConfig())
	sums := r.newLedger(cfg)
	r.openProgress(messages, sums, meters)
	r.use(sums)
	count, err := r.openCount(ctx, argv)
	if err != nil {
		return err
	}
	r.use(finishing{add: r.addThreads})
	r.use(r.newBusyTime())
	traffic, err := r.openNetwork()
	if err != nil {
		return err
	}
	r.use(finishing{add: r.addLosses})
	if err := r.openCollections(ctx, argv); err != nil {
		return err
	}
	r.use(finishing{add: r.checkCounters})
	r.openMemory(cfg.Counters)
	if err := r.openByTable(cfg); err != nil {
		return err
	}
	if err := r.openSensitive(argv, cfg); err != nil {
		return err
	}
	if err := r.openRecording(cfg, nil); err != nil {
		return err
	}
	r.use(finishing{add: r.addOverhead})
	shown, err := r.openStream(argv, messages)
	if err != nil {
		return err
	}
	from := sources{meters, model, machine, traffic}
	if err := r.openMethods(ctx, argv, cfg, from, shown); err != nil {
		return err
	}
	r.use(finishing{add: count.price})
	if shown != nil {
		r.use(shown)
	}
	r.use(finishing{add: r.boundPower})
	r.use(finishing{add: r.oneSum})
	r.use(finishing{add: r.addLate})
	r.use(finishing{add: r.addStatus})
	r.use(finishing{add: refuseImpossible})
	r.use(finishing{add: func(done *report.Report) error {
		done.Judge()
		return nil
	}})
	if !r.settings.Quiet {
		r.use(finishing{add: func(done *report.Report) error {
			printSummary(messages, done, r.settings.Verbose)
			if r.settings.Files.Report == "" {
				return printMethods(messages, done)
			}
			return nil
		}})
	}
	if then := r.settings.Then; then != nil {
		r.use(finishing{add: then})
	}
	if err := r.openTable(cfg); err != nil {
		return err
	}
	return r.openReport()
}
