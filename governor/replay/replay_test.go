package replay_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/replay"
	"github.com/ebb-energy/ebb/predictor"
	"github.com/ebb-energy/ebb/units"
)

var testConfig = governor.Config{
	Objective: governor.Slowdown, Slowdown: 0.05,
	States:  []units.Frequency{1e9, 2e9, 3e9, 4e9},
	Quantum: 5 * time.Millisecond, HoldOff: 1, Shadow: true,
	Predictor: predictor.Config{Estimator: "none"},
}

// script is a Machine that hands out given events in batches of random sizes.
type script struct {
	events []governor.Event
	r      *rand.Rand
}

func (s *script) Next(_ context.Context, buf []governor.Event) (int, error) {
	if len(s.events) == 0 {
		return 0, io.EOF
	}
	n := copy(buf[:1+s.r.IntN(7)], s.events)
	s.events = s.events[n:]
	return n, nil
}

func (s *script) Apply(governor.Action) error { return nil }

// twoThreads is 100 ms of two threads that take turns, one of them sleeping half of the time.
func twoThreads(seed uint64) []governor.Event {
	r := rand.New(rand.NewPCG(seed, 0))
	evs := []governor.Event{{Kind: governor.Begin, At: 1_000_000, Frequency: 4e9}}
	sched := func(ev epochs.Event) {
		evs = append(evs,
			governor.Event{Kind: governor.Sched, Sched: ev})
	}
	at := units.Instant(1_000_000)
	sched(epochs.Event{Kind: epochs.On, Cause: epochs.Started, At: at, Thread: 10,
		By: epochs.NoThread})
	from := at
	for at < 101_000_000 {
		at += units.Instant(r.Int64N(300_000))
		sched(epochs.Event{Kind: epochs.On, Cause: epochs.Woken, At: at, Thread: 11, By: 10, CPU: 1,
			WokenAt: at - 5})
		woke := at
		at += units.Instant(r.Int64N(300_000))
		sched(epochs.Event{Kind: epochs.Off, Cause: epochs.FutexSleep, At: at, Thread: 11,
			By: epochs.NoThread, CPU: 1, From: woke})
		if r.IntN(10) == 0 {
			sched(epochs.Event{Kind: epochs.Off, Cause: epochs.OtherSleep, At: at, Thread: 10,
				By: epochs.NoThread, From: from})
			at += units.Instant(r.Int64N(2_000_000))
			sched(epochs.Event{Kind: epochs.On, Cause: epochs.Woken, At: at, Thread: 10,
				By: epochs.NoThread})
			from = at
		}
		sched(epochs.Event{Kind: epochs.Tick, At: at, Thread: epochs.NoThread, By: epochs.NoThread})
	}
	return append(evs, governor.Event{Kind: governor.End, At: at})
}

func record(t testing.TB, events []governor.Event) []byte {
	t.Helper()
	g, err := governor.New(testConfig)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	rec, err := replay.NewRecorder(&script{slices.Clone(events), rand.New(rand.NewPCG(3, 0))},
		testConfig, &file)
	if err != nil {
		t.Fatal(err)
	}
	if err := governor.Run(context.Background(), g, rec); err != nil {
		t.Fatal(err)
	}
	if err := rec.Finish(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func play(file []byte, change func(*governor.Config)) (*replay.Player, error) {
	p, err := replay.NewPlayer(bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	cfg := p.Config()
	if change != nil {
		change(&cfg)
	}
	g, err := governor.New(cfg)
	if err != nil {
		return nil, err
	}
	return p, governor.Run(context.Background(), g, p)
}

func TestReplayAgrees(t *testing.T) {
	for seed := range uint64(20) {
		file := record(t, twoThreads(seed))
		p, err := play(file, nil)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if p.Applied() < 15 || p.Truncated() {
			t.Errorf("seed %d: %d actions agreed (truncated %v), "+
				"want one for each of about 20 quanta", seed, p.Applied(), p.Truncated())
		}
	}
}

// TestReplayOfWhatWasLearned: with learning and readings of an energy meter, a replay decides the
// same to the last bit.
func TestReplayOfWhatWasLearned(t *testing.T) {
	cfg := governor.Default()
	cfg.States, cfg.Slowdown = []units.Frequency{3e9, 3.25e9, 3.5e9, 3.75e9, 4e9}, 0.06
	cfg.Counters = []string{"crit_offx", "sq_off", "instructions", "dram_rd"}
	events := busyThreads(4, 200)
	g, err := governor.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	rec, err := replay.NewRecorder(&script{events, rand.New(rand.NewPCG(3, 0))}, cfg, &file)
	if err != nil {
		t.Fatal(err)
	}
	var seen learned
	if err := governor.Run(context.Background(), g, rec, &seen); err != nil {
		t.Fatal(err)
	}
	if err := rec.Finish(); err != nil {
		t.Fatal(err)
	}
	if seen.biased < 100 || seen.compared == 0 {
		t.Errorf("%+v: the run says nothing of learning", seen)
	}
	if p, err := play(file.Bytes(), nil); err != nil || p.Truncated() {
		t.Errorf("%v", err)
	}
}

// learned counts what a run learned.
type learned struct{ biased, compared int }

func (l *learned) Observe(_ *governor.Event, actions []governor.Action) {
	for i := range actions {
		if actions[i].Kind != governor.Decided {
			continue
		}
		if actions[i].Quantum.Bias != 0 {
			l.biased++
		}
		if actions[i].Quantum.Compared {
			l.compared++
		}
	}
}

// busyThreads are threads that wait for memory half of their time, on a machine that goes to and
// fro between two frequencies. Their predictions are biased.
func busyThreads(threads, quanta int) []governor.Event {
	r := rand.New(rand.NewPCG(9, 0))
	at := units.Instant(1_000_000_000)
	evs := []governor.Event{{Kind: governor.Begin, At: at, Frequency: 4e9}}
	sched := func(ev epochs.Event) {
		ev.At, ev.By = at, epochs.NoThread
		evs = append(evs, governor.Event{Kind: governor.Sched, Sched: ev})
	}
	for i := range threads {
		sched(epochs.Event{Kind: epochs.On, Cause: epochs.Started, Thread: epochs.TID(i),
			CPU: int16(i)})
	}
	slow := false
	for q := range quanta {
		from := at
		at += 5e6
		for i := range threads {
			work := 1e7 * (1 + 0.01*r.NormFloat64())
			if slow {
				work *= 0.9
			}
			sched(epochs.Event{Kind: epochs.Slice, Thread: epochs.TID(i), CPU: int16(i), From: from,
				Counters: [epochs.MaxCounters]uint64{2500000, 0, uint64(work), uint64(work / 200)}})
		}
		evs = append(evs, governor.Event{Kind: governor.Metered, At: at,
			Package: units.Energy(q+1) * 250e6})
		sched(epochs.Event{Kind: epochs.Tick, Thread: epochs.NoThread})
		if slow = q%30 > 0; slow {
			evs = append(evs, governor.Event{Kind: governor.Applied, At: at + 1000, Frequency: 3e9})
		} else {
			evs = append(evs, governor.Event{Kind: governor.Applied, At: at + 1000, Frequency: 4e9})
		}
	}
	return append(evs, governor.Event{Kind: governor.End, At: at + 2000})
}

func TestReplayNamesTheFirstDifference(t *testing.T) {
	file := record(t, twoThreads(1))
	_, err := play(file, func(c *governor.Config) { c.Slowdown = 0.5 })
	var diverged *replay.DivergedError
	if !errors.As(err, &diverged) {
		t.Fatalf("replay with another budget: %v, want a divergence", err)
	}
	if diverged.Want == nil || diverged.Got == nil ||
		diverged.Want.Quantum.Chosen == diverged.Got.Quantum.Chosen {
		t.Errorf("diverged at %d: recorded %+v, replayed %+v; want both, with different choices",
			diverged.Index, diverged.Want, diverged.Got)
	}
}

// TestCutAnywhere: a recording that ends at any byte replays to its last whole frame.
func TestCutAnywhere(t *testing.T) {
	file := record(t, twoThreads(2))
	whole, err := play(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	for cut := len(file) - 1; cut > 0; cut -= 1 + cut/97 {
		p, err := play(file[:cut], nil)
		if err != nil {
			if p == nil && (errors.Is(err, replay.ErrFormat) || errors.Is(err, io.EOF) ||
				cut < 1000) {
				continue // inside the header
			}
			t.Fatalf("cut at %d of %d: %v", cut, len(file), err)
		}
		if p.Applied() > whole.Applied() {
			t.Fatalf("cut at %d: %d actions, more than the %d of the whole", cut, p.Applied(),
				whole.Applied())
		}
	}
}

func TestDamageIsFound(t *testing.T) {
	file := record(t, twoThreads(4))
	r := rand.New(rand.NewPCG(5, 0))
	for range 300 {
		bad := slices.Clone(file)
		i := r.IntN(len(bad))
		bad[i] ^= byte(1 + r.IntN(255))
		p, err := play(bad, nil)
		if err == nil && !p.Truncated() {
			t.Fatalf("byte %d of %d changed, and the replay agreed to the end", i, len(bad))
		}
	}
}

// FuzzPlayer: whatever the bytes, a player emits events, ends, or returns an error.
func FuzzPlayer(f *testing.F) {
	file := record(f, twoThreads(6)[:40])
	f.Add(file)
	f.Add(file[:len(file)/2])
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := replay.NewPlayer(bytes.NewReader(b))
		if err != nil {
			return
		}
		buf := make([]governor.Event, 16)
		for handed := 0; ; {
			n, err := p.Next(context.Background(), buf)
			if handed += n; handed > len(b) {
				t.Fatalf("%d events out of %d bytes", handed, len(b))
			}
			if err != nil {
				return
			}
		}
	})
}
