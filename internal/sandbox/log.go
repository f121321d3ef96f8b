package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/power/wattmeter"
	"github.com/ebb-energy/ebb/internal/safefile"
)

const (
	// logPatience is the time for which a log may lag behind, logEvery the time between two
	// readings of it.
	logPatience = 15 * time.Second
	logEvery    = time.Second
)

// Log returns the readings of the log in a file, from a time to a time, once its last one is from
// until or later. Times are s since 1970. A log that is still written has logPatience to get there;
// then Log takes what there is.
func Log(ctx context.Context, path string, from, to, until float64) (
	list []wattmeter.Reading, err error,
) {
	for deadline := time.Now().Add(logPatience); ; {
		var last float64
		list, last, err = readLog(ctx, path, from, to)
		if ctx.Err() != nil || time.Now().After(deadline) || last >= until ||
			err != nil && !errors.Is(err, errFewReadings) {
			return list, err
		}
		select {
		case <-ctx.Done():
			return list, ctx.Err()
		case <-time.After(logEvery):
		}
	}
}

// CheckLog refuses a file that cannot become a log.
func CheckLog(ctx context.Context, path string) error {
	_, _, err := readLog(ctx, path, 0, 0)
	if errors.Is(err, errFewReadings) {
		return nil // it has just begun
	}
	return err
}

func readLog(ctx context.Context, path string, from, to float64) (
	list []wattmeter.Reading, last float64, err error,
) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close() // opened for reading: nothing can be lost
	if err := safefile.CheckRegular(f); err != nil {
		return nil, 0, err
	}
	list, last, err = readings(ctx, f, from, to)
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return list, last, err
}
