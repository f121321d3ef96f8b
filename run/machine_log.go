package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/regular"
	"github.com/ebb-energy/ebb/sandbox"
	"github.com/ebb-energy/ebb/wattmeter"
)

// checkLog refuses a file that cannot be a log, before anything starts.
func checkLog(path string) error {
	_, _, err := readLog(context.Background(), path, 0, 0)
	if errors.Is(err, sandbox.ErrFewReadings) {
		return nil // it has just begun
	}
	return err
}

// readLog has a log read by a process without rights.
func readLog(ctx context.Context, path string, from, to float64) (
	list []wattmeter.Reading, last float64, err error,
) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close() // opened for reading: nothing can be lost
	if err := regular.Check(f); err != nil {
		return nil, 0, err
	}
	list, last, err = sandbox.Readings(ctx, f, from, to)
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return list, last, err
}

// logged reads the log, by the monotonic clock. A log that is still written has some time to reach
// the run's end.
func (m *machineMeter) logged(ctx context.Context, from, to float64) (
	list []wattmeter.Reading, err error,
) {
	offset := m.offset.Seconds()
	end := time.Duration(m.end).Seconds() + offset
	for deadline := time.Now().Add(logPatience); ; {
		var last float64
		list, last, err = readLog(ctx, m.log, from+offset, to+offset)
		if ctx.Err() != nil || time.Now().After(deadline) || last >= end ||
			err != nil && !errors.Is(err, sandbox.ErrFewReadings) {
			break
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
	for i := range list {
		list[i].At -= offset
	}
	return list, err
}

// logPatience is the time that a log may lag behind the run's end.
const logPatience = 15 * time.Second
