package meters

import (
	"errors"
	"sync"
	"time"

	"github.com/ebb-energy/ebb/internal/inventory"
	"github.com/ebb-energy/ebb/internal/linux/monotonic"
	"github.com/ebb-energy/ebb/internal/power/wattmeter"
)

// mostWatched bounds the readings that are kept: those of the last two to five hours, from which
// the lag is found. The energy is that of all readings.
const mostWatched = 1 << 16

// sensor gives what has come since it was asked before, by the monotonic clock: a sensor of the
// hwmon class its power now, a host's share what a new line says of the time before it.
type sensor interface {
	Name() string
	Read() ([]wattmeter.Reading, error)
	Close() error
}

// powerSensor is a sensor of the hwmon class or of ACPI.
type powerSensor struct{ *inventory.Meter }

// Read implements sensor.
func (p powerSensor) Read() ([]wattmeter.Reading, error) {
	watts, err := p.Meter.Read()
	if err != nil || watts > wattmeter.MostWatts {
		return nil, err
	}
	return []wattmeter.Reading{{At: now(), Power: watts}}, nil
}

// now returns the monotonic clock's time in s.
func now() float64 { return time.Duration(monotonic.Now()).Seconds() }

// watch reads a sensor and the machine's busy time again and again, in a goroutine of its own. A
// sensor behind a slow bus must not hold up the governor.
type watch struct {
	sensor sensor // nil: only the busy time
	stat   string // path of the kernel's account, /proc/stat
	period time.Duration

	mu      sync.Mutex
	track   *wattmeter.Track // readings by the monotonic clock
	load    []wattmeter.Load
	problem error // error of the newest reading that failed
	failed  bool  // the newest reading failed
	end     chan struct{}
	ended   chan struct{}
}

func newWatch(sensor sensor, stat string, period time.Duration) *watch {
	return &watch{sensor: sensor, stat: stat, period: period,
		track: wattmeter.NewTrack(mostWatched)}
}

// start takes the first reading, and goes on reading.
func (w *watch) start() error {
	w.end, w.ended = make(chan struct{}), make(chan struct{})
	w.look()
	go func() {
		defer close(w.ended)
		timer := time.NewTimer(w.period)
		defer timer.Stop()
		for {
			select {
			case <-w.end:
				return
			case <-timer.C:
			}
			w.look()
			timer.Reset(w.period)
		}
	}()
	return nil
}

// stop ends the reading with a last one. Later calls do nothing.
func (w *watch) stop() {
	if w.end == nil {
		return
	}
	close(w.end)
	<-w.ended
	w.end = nil
	w.look()
	w.hold(now())
}

// hold has the newest power last until now: a share says what a time took only after it. After a
// failed reading nothing is known of now.
func (w *watch) hold(now float64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := w.track.Newest()
	if len(n) == 0 || w.failed {
		return
	}
	last := n[len(n)-1]
	for _, r := range wattmeter.Steady(last.At, now, last.Power) {
		w.track.Add(r)
	}
}

func (w *watch) look() {
	var readings []wattmeter.Reading
	var err error
	if w.sensor != nil {
		readings, err = w.sensor.Read()
	}
	at := now()
	busy, known := readBusy(w.stat)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.failed = err != nil
	if err != nil {
		w.problem = err
	} else if errors.Is(w.problem, wattmeter.ErrFirstShare) {
		w.problem = nil // the host writes
	}
	for _, r := range readings {
		w.track.Add(r)
	}
	if known {
		w.addLoad(wattmeter.Load{At: at, Busy: busy.Seconds()})
	}
}

// addLoad adds an account. Of mostWatched kept ones it drops the older half.
func (w *watch) addLoad(l wattmeter.Load) {
	if len(w.load) >= mostWatched {
		w.load = w.load[:copy(w.load, w.load[len(w.load)/2:])]
	}
	w.load = append(w.load, l)
}

// began keeps the readings of the run's begin, as far as the meter's lag can reach.
func (w *watch) began(at, lag float64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.track.Keep(at, at+lag)
}
