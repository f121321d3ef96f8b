package models

import (
	"context"
	"errors"

	"github.com/ebb-energy/ebb/cpufreq/guardian"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/internal/power/activity/jvm"
	"github.com/ebb-energy/ebb/internal/power/train"
)

// hardware opens the machine's counters and takes control of its clocks, for a training's settings.
func (s *trainSettings) hardware(t *train.Settings, say func(string, ...any)) (func() error,
	error,
) {
	fs, err := sysfs.Open("/sys")
	if err != nil {
		return nil, err
	}
	h, closeCounters, err := train.OpenHardware(fs, say)
	if err != nil {
		return nil, errors.Join(err, fs.Close())
	}
	t.Hardware = h
	c, err := train.SetClocks(fs, s.clocks, guardian.Over, say)
	if c != nil && err == nil {
		t.Turn = c.Turn
	}
	return func() error {
		var restored error
		if c != nil {
			restored = c.End(say)
		}
		return errors.Join(restored, closeCounters(), fs.Close())
	}, err
}

// openEvents opens the counting of the events that were asked for, or of a data set's events.
func (s *trainSettings) openEvents(ctx context.Context, data *train.Data,
	say func(string, ...any),
) (*events, error) {
	names, depth, err := s.counted()
	if err != nil {
		return nil, err
	}
	if len(data.Inputs) > 0 {
		names, depth = jvm.EventsOf(data.Inputs), jvm.DepthOf(data.Inputs)
	}
	return openEvents(ctx, names, depth, say)
}

// counted returns the events that the flags name, and how their depth is counted.
func (s *trainSettings) counted() ([]string, jvm.Depth, error) {
	depth, err := jvm.ParseDepth(s.depth)
	if err != nil {
		return nil, "", command.Usagef("--depth: %w", err)
	}
	if s.chosen != nil {
		return s.chosen.Events(), depth, nil
	}
	names, err := eventNames(s.events)
	return names, depth, err
}
