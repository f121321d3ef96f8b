package meters

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/app/run/part"
	"github.com/ebb-energy/ebb/internal/linux/shelter"
	"github.com/ebb-energy/ebb/internal/power/activity"
)

// busyTime measures the time for which the machine's CPUs were busy over a run, with any program.
// It shows which part of it was the target's.
type busyTime struct {
	part.Passive
	file   string // the kernel's account, /proc/stat
	before time.Duration
	known  bool
}

// Busy returns an instrument that measures for how long the machine's CPUs were busy.
func Busy(r *part.Run) part.Instrument {
	return &busyTime{file: filepath.Join(r.Settings.Roots.Proc, "stat")}
}

func (b *busyTime) Start(argv []string) ([]string, error) {
	b.before, b.known = readBusy(b.file)
	return argv, nil
}

// started reads again where a launcher ran meanwhile.
func (b *busyTime) Started() error {
	if shelter.LauncherNeeded() {
		b.before, b.known = readBusy(b.file)
	}
	return nil
}

func (b *busyTime) Finish(_ context.Context, r *report.Report) error {
	if after, ok := readBusy(b.file); ok && b.known && after >= b.before {
		r.MachineBusyNS = int64(after - b.before)
	}
	return nil
}

// readBusy reads an account. Without one the time is not known, and no run fails for that.
func readBusy(file string) (time.Duration, bool) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, false
	}
	stat, err := activity.ParseStat(string(text))
	return stat.Busy(), err == nil
}
