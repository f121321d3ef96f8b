package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/ebb-energy/ebb/bench"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/output"
)

// options are the flags that runs depend on, other than those in the plan.
func (b *benchSettings) options() []string {
	var o []string
	if b.configFile != "" {
		o = append(o, fmt.Sprintf("config: %+v", b.config))
	}
	if b.rule != "" {
		o = append(o, "--rule "+string(b.rule))
	}
	if b.pause > 0 {
		o = append(o, "--pause "+b.pause.String())
	}
	return o
}

// print shows the result and writes the files that were asked for.
func (b *benchSettings) print(r *bench.Result, std command.Stdio) error {
	show := func(w io.Writer) error { return r.WriteText(w, command.PageWidth(w)) }
	if b.json {
		show = r.WriteJSON
	}
	if err := show(std.Out); err != nil {
		return err
	}
	if b.dir == "" {
		return nil
	}
	errs := []error{output.Whole(filepath.Join(b.dir, "bench.html"), r.WriteHTML),
		output.Whole(filepath.Join(b.dir, "bench.json"), r.WriteJSON)}
	if r.HasPicture() {
		errs = append(errs, output.Whole(filepath.Join(b.dir, "bench.svg"), r.WriteSVG))
	}
	return errors.Join(errs...)
}

// record opens the journal, where there is to be one.
func (b *benchSettings) record(p *bench.Plan) (benchRecord, []bench.Sample, error) {
	if b.dir != "" {
		if err := output.Directory(b.dir); err != nil {
			return nil, nil, command.Usagef("-o: %w", err)
		}
		if b.journal == "" {
			b.journal = filepath.Join(b.dir, journalName)
		}
	}
	if b.journal == "" {
		return noRecord{}, nil, nil
	}
	j, done, err := bench.OpenJournal(b.journal, p)
	switch {
	case errors.Is(err, bench.ErrOtherPlan):
		return nil, nil, command.Usagef("%w; remove it, or give another -o or --journal", err)
	case err != nil:
		return nil, nil, command.UsageError(err)
	}
	return j, done, nil
}

// benchRecord is a journal or none.
type benchRecord interface {
	bench.Record
	Close() error
}

type noRecord struct{}

func (noRecord) Add(*bench.Sample) error { return nil }
func (noRecord) Close() error            { return nil }
