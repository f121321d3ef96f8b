package train

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/ebb-energy/ebb/internal/power/wattmeter"
	"github.com/ebb-energy/ebb/internal/power/wattmeter/log"
)

// wallPatience is the time that a wall meter's log may lag behind the measurement.
const wallPatience = 15 * time.Second

// FillIn reads a wall meter's log and fills in the powers that are missing. A log that is still
// written has some time to reach the last interval.
func (d *Data) FillIn(ctx context.Context, path string, open func(string) (io.ReadCloser, error),
	say func(format string, args ...any),
) error {
	long := time.Duration(d.Origin.IntervalNS).Seconds()
	deadline := time.Now().Add(wallPatience)
	for {
		samples, err := readLog(path, open)
		if err != nil {
			return err
		}
		behind := len(d.Intervals) > 0 &&
			samples[len(samples)-1].At < seconds(d.Intervals[len(d.Intervals)-1].At)+long
		if behind && time.Now().Before(deadline) && ctx.Err() == nil {
			time.Sleep(time.Second)
			continue
		}
		missing := d.unmetered()
		a := d.align(samples)
		if a.Lag != 0 {
			say("the wall meter's clock is %+.2f s from this machine's: its power follows the "+
				"load best so; corrected", a.Lag)
		}
		if a.Filled > 0 && a.Follows < leastFollows {
			say("warning: the wall meter's power hardly follows the load (correlation %.2f): "+
				"is it this machine's, and are the clocks the same?", a.Follows)
		}
		if a.Filled < missing {
			say("warning: the wall meter's log does not cover %d of %d intervals",
				missing-a.Filled, missing)
		}
		if a.Filled == 0 && missing > 0 {
			return errors.New("the wall meter's log covers no interval: does it have times in " +
				"seconds since 1970?")
		}
		return nil
	}
}

// leastFollows is the correlation of power and busy time below which a log is doubted.
const leastFollows = 0.5

func readLog(path string, open func(string) (io.ReadCloser, error)) ([]wattmeter.Reading,
	error,
) {
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // opened for reading: nothing can be lost
	return log.Read(f)
}
