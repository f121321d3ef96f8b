package methods

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/hpc"
	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/app/run/part"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/linux/monotonic"
	"github.com/ebb-energy/ebb/internal/render/printable"
	"github.com/ebb-energy/ebb/internal/safefile"
	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
	"github.com/ebb-energy/ebb/internal/stacks"
	"github.com/ebb-energy/ebb/predictor"
	"github.com/ebb-energy/ebb/predictor/sensitivity"
	"github.com/ebb-energy/ebb/units"
)

// sensitive records a table of functions: the part of each function's time that does not scale, by
// the counters of its slices.
type sensitive struct {
	*sampling
	settings  *part.Sensitivity
	recorder  *sensitivity.Recorder
	predictor *predictor.Predictor
	cycles    int // index of the counter of cycles; -1: it is not counted
	base      units.Frequency
	command   string
	held      []waiting // slices and samples in order; those before head are resolved
	head      int
	young     int // index of the first one that lookAhead looks for
	ticks     int
	epoch     epochs.Epoch
	row       [1]epochs.Row
	lost      uint64 // number of samples for which there was no room
}

// lowInBracket is the place in the bracket at which a table takes the time that does not scale: a
// low one, as in decisions for a phase of which nothing is learned.
const lowInBracket = 0.3

// OpenSensitive begins the recording of a table, when it is asked for.
func OpenSensitive(r *part.Run, argv []string, cfg *governor.Config) error {
	s := &r.Settings.Sensitivity
	if s.File == "" || !r.Settings.RecordOnly {
		return nil
	}
	if err := safefile.CheckFile(s.File); err != nil {
		return command.Usagef("--sensitivity: %w", err)
	}
	p, err := predictor.New(cfg.Predictor, cfg.Counters)
	if err != nil {
		return command.UsageError(err)
	}
	if e := p.Config().Estimator; e == "none" {
		return command.Usagef("--sensitivity: this machine has no counters that show which time " +
			"scales: record the table on one that has, and use it here with ebb run")
	}
	p.SetAlpha(lowInBracket)
	sampling, err := openSampling(r, true)
	if err != nil {
		return err
	}
	n := &sensitive{sampling: sampling, settings: s, recorder: sensitivity.NewRecorder(),
		predictor: p, cycles: -1, base: r.Host.Base(), command: strings.Join(argv, " ")}
	for i, name := range cfg.Counters {
		if name == hpc.Cycles {
			n.cycles = i
		}
	}
	n.row[0].Values = make([]int64, len(cfg.Counters))
	n.epoch.Rows = n.row[:]
	r.Instruments[len(r.Instruments)-1].Instrument = n
	return nil
}

func (s *sensitive) Observer() governor.Observer { return s }

// Observe implements governor.Observer.
func (s *sensitive) Observe(ev *governor.Event, _ []governor.Action) {
	if ev.Kind != governor.Sched {
		return
	}
	switch x := &ev.Sched; x.Kind {
	case epochs.Off, epochs.Slice:
		if slice, ok := s.split(x); ok {
			s.hold(waiting{slice: slice, at: x.At})
		}
	case epochs.Tick:
		if err := s.drain(func(x *stacks.Sample, addr uint64, _ *protocol.Origin) {
			s.hold(waiting{sample: true, slice: sensitivity.Slice{Thread: x.Thread}, pid: x.PID,
				addr: addr, at: x.At, until: s.ticks + maxTicks})
		}); err == nil {
			s.resolve(false)
		}
	}
	s.see(ev)
}

// split finds the scaling and the non-scaling part of a slice's time.
func (s *sensitive) split(x *epochs.Event) (slice sensitivity.Slice, ok bool) {
	dur := x.At.Sub(x.From)
	if x.From == 0 || dur <= 0 {
		return slice, false
	}
	clock := float64(s.base)
	if s.cycles >= 0 {
		if x.Counters[s.cycles] == 0 {
			return slice, false // the counters could not be read
		}
		clock = float64(x.Counters[s.cycles]) / dur.Seconds()
	}
	for i := range s.row[0].Values {
		s.row[0].Values[i] = int64(min(x.Counters[i], 1<<62))
	}
	s.row[0].Thread, s.epoch.Dur = x.Thread, epochs.Ticks(dur)
	s.predictor.Reset()
	s.predictor.Add(&s.epoch, units.Frequency(clock))
	p := s.predictor.Sample()
	fixed := p.Lo + lowInBracket*(p.Hi-p.Lo)
	return sensitivity.Slice{Thread: x.Thread, From: x.From, To: x.At, Fixed: fixed,
		Cycles: (p.Time - fixed) * clock / 1e9, Clock: clock}, true
}

// lastAnswers bounds the wait for the names of functions at the end.
const lastAnswers = 5 * time.Second

func (s *sensitive) Finish(ctx context.Context, done *report.Report) error {
	for stop := time.Now().Add(lastAnswers); len(s.held) > 0 && time.Now().Before(stop) &&
		ctx.Err() == nil; time.Sleep(5 * time.Millisecond) {
		s.resolve(false)
		s.origins.Tick(monotonic.Now())
		s.reader.Poll(monotonic.Now())
	}
	s.resolve(true)
	t, nameless := s.recorder.Table()
	t.Command, t.Estimator = s.command, s.predictor.Config().Estimator
	if len(t.Functions) == 0 {
		return fmt.Errorf("write %s: no function was sampled often enough in a file with a "+
			"build id: nothing is written", s.settings.File)
	}
	if nameless > 0 {
		part.Warn(done, fmt.Sprintf("%s of files without a build id: not in %s",
			printable.Count(nameless, "function"), s.settings.File))
	}
	if s.lost > 0 {
		part.Warn(done, fmt.Sprintf("%d slices and samples of functions were lost", s.lost))
	}
	for _, p := range s.reader.Problems() {
		part.Warn(done, p)
	}
	return safefile.Whole(s.settings.File, func(w io.Writer) error { return t.Write(w) })
}
