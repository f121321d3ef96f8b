package models

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/ebb-energy/ebb/internal/power/activity/jvm"
	"github.com/ebb-energy/ebb/internal/power/train"
	"github.com/ebb-energy/ebb/internal/safefile"
)

// onAndOff runs a program with the chosen events counted on and off in turn.
func (s *trainSettings) onAndOff(ctx context.Context, p *train.Program, t *train.Settings,
	names []string,
) (r jvm.Result, err error) {
	f, err := jvm.Follow(nil, names)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	power, closeMeter, err := train.PowerMeter(&t.Meter)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, closeMeter()) }()
	limited := *t
	limited.Events = &silent{f}
	c := &switched{events{Follower: f, ctx: ctx}, p.Argv}
	var failed error
	_, err = train.RunOnce(ctx, p, &limited, p.Time, func(ctx context.Context, pid int) {
		file := s.progress(ctx, p.Progress)
		if file == nil {
			return
		}
		defer file.Close()
		if at, ok := file.(io.ReaderAt); ok {
			r, failed = jvm.MeasureSwitching(ctx, jvm.Program{PID: pid, Progress: at,
				Power: power}, c, stretch, mostTriples)
		}
	})
	if failed != nil && !errors.Is(failed, context.Canceled) {
		err = errors.Join(err, fmt.Errorf("count on and off in turn in %s: %w", p.Name, failed))
	}
	return r, err
}

// progress opens a program's file of its progress, which the program creates at any time; nil where
// it never does.
func (s *trainSettings) progress(ctx context.Context, path string) io.ReadCloser {
	for {
		file, err := safefile.Open(path)
		if err == nil {
			return file
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(stretch):
		}
	}
}

// silent follows a program and counts nothing by itself.
type silent struct{ *jvm.Follower }

func (*silent) Names() []string                 { return nil }
func (*silent) Begin([]string) error            { return nil }
func (*silent) Window(map[string]float64) error { return nil }

// switched counts events, and can be switched on and off.
type switched struct {
	events
	argv []string
}

func (s *switched) On() error  { return s.Begin(s.argv) }
func (s *switched) Off() error { return s.Detach() }
