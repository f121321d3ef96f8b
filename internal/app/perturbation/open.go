package perturbation

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"syscall"
	"time"

	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/internal/safefile"
	"github.com/ebb-energy/ebb/rapl"
)

// Settings are the periods and the numbers of runs.
type Settings struct {
	Runs    int           // runs of each kind for each period; 0: until there is a verdict
	AtMost  time.Duration // time for the whole search where Runs is 0
	Periods []int         // periods to try, in ms, ascending
	Batches int           // most observed runs at the calm period, until shares have settled
	Epoch   time.Duration // time between two readings of the cores' frequencies
	All     bool          // try all periods, also after a calm one
	WarmUp  time.Duration // time at the begin of each run that is left out
	// Region is the part of each run that counts, as profile.ParseCut reads it; empty: all. The
	// frequencies are those of the whole run.
	Region string
	// User is the value of --user for runs under ebb; empty: ebb run finds who called sudo. As and
	// Environment are the same user for runs alone; nil: ebb's own.
	User        string
	As          *syscall.Credential
	Environment []string
	KeepEnv     []string // variables that --keep-env names for runs under ebb
	// Within starts a command with the user's limits.
	Within func(start func() error) error
	Sysfs  string // root of the machine's attributes, for ebb too
}

// Search runs one program again and again.
type Search struct {
	Settings
	argv    []string
	cores   []core
	fs      *sysfs.FS
	meters  *rapl.Meters // an empty set where there is none
	say     io.Writer
	samples *samplesFile // nil when not asked for
	region  *region      // nil when not asked for

	// alone and sampled run the command once; run 0 is discarded.
	alone, sampled func(ctx context.Context, period, run int) (oneRun, error)
	now            func() time.Time
	coin           func() bool // whether the sampled run of a round is first
	began          time.Time
	longest, took  time.Duration // longest time of a round, and the sum of all
	rounds         int
	others         time.Duration // what a period leaves of the time, as long as others wait
	outlook        outlook
	untried        []int // periods for which there was no time
}

// core is a core whose frequency can be read, with the file of its frequency.
type core struct {
	cpu  sysfs.CPU
	file string
}

// Open prepares runs of the command, whose file was found already. The Search closes the
// attributes. It writes its progress to say, and the frequencies to samples unless that is nil;
// both remain the caller's.
func Open(
	s Settings, fs *sysfs.FS, argv []string, say io.Writer, samples *safefile.File,
) (*Search, error) {
	machine, err := sysfs.ReadLayout(fs)
	if err != nil {
		return nil, err
	}
	n := &Search{Settings: s, argv: argv, fs: fs, say: say, samples: newSamples(samples),
		now: time.Now, coin: func() bool { return rand.IntN(2) == 0 }}
	n.alone, n.sampled = n.reference, n.observed
	for _, cpu := range machine.CPUs() {
		file := fmt.Sprintf("devices/system/cpu/cpu%d/cpufreq/scaling_cur_freq", cpu)
		if _, err := fs.ReadInt(file); err == nil {
			n.cores = append(n.cores, core{cpu, file})
		}
	}
	// Energy is no criterion of calmness: meters that cannot be opened are left out.
	if n.meters, err = rapl.Open(fs); err != nil {
		n.meters = &rapl.Meters{}
	}
	if n.region, err = openRegion(s.Region, s.As); err != nil {
		return nil, errors.Join(err, n.meters.Close())
	}
	return n, nil
}

// Close completes the samples and closes the meters.
func (s *Search) Close() error {
	return errors.Join(s.samples.close(), s.meters.Close(), s.region.close())
}
