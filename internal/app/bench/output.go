package bench

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/safefile"
)

// Options returns the flags that runs depend on, other than those in the plan.
func (s *Session) Options() []string {
	var o []string
	if s.ConfigFile != "" {
		o = append(o, fmt.Sprintf("config: %+v", s.Config))
	}
	if s.Rule != "" {
		o = append(o, "--rule "+string(s.Rule))
	}
	if s.Pause > 0 {
		o = append(o, "--pause "+s.Pause.String())
	}
	return o
}

// print shows the result and writes the files that were asked for.
func (s *Session) print(r *Result, std command.Stdio) error {
	show := func(w io.Writer) error { return r.writeText(w, command.PageWidth(w)) }
	if s.json {
		show = r.writeJSON
	}
	if err := show(std.Out); err != nil {
		return err
	}
	if s.dir == "" {
		return nil
	}
	errs := []error{safefile.Whole(filepath.Join(s.dir, "bench.html"), r.writeHTML),
		safefile.Whole(filepath.Join(s.dir, "bench.json"), r.writeJSON)}
	if r.hasPicture() {
		errs = append(errs, safefile.Whole(filepath.Join(s.dir, "bench.svg"), r.writeSVG))
	}
	return errors.Join(errs...)
}

// open opens the journal if one was asked for.
func (s *Session) open(p *Plan) (record, []Sample, error) {
	if s.dir != "" {
		if err := safefile.Directory(s.dir); err != nil {
			return nil, nil, command.Usagef("-o: %w", err)
		}
		if s.journal == "" {
			s.journal = filepath.Join(s.dir, journalName)
		}
	}
	if s.journal == "" {
		return noRecord{}, nil, nil
	}
	j, done, err := openJournal(s.journal, p)
	switch {
	case errors.Is(err, errOtherPlan):
		return nil, nil, command.Usagef("%w; remove it, or give another -o or --journal", err)
	case err != nil:
		return nil, nil, command.UsageError(err)
	}
	return j, done, nil
}

// record is a journal, or stands for none.
type record interface {
	recorder
	Close() error
}

type noRecord struct{}

func (noRecord) Add(*Sample) error { return nil }
func (noRecord) Close() error      { return nil }
