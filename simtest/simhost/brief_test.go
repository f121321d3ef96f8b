//go:build !race

package simhost_test

import (
	"math"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/simtest/simhost"
)

// sums adds up what a governor measured and predicted.
type sums struct {
	measured  governor.Measured
	rests     int
	atHighest float64
}

func (s *sums) Observe(_ *governor.Event, actions []governor.Action) {
	for i := range actions {
		if actions[i].Kind == governor.Rest {
			s.rests++
		}
		if actions[i].Kind != governor.Decided {
			continue
		}
		q, m := &actions[i].Quantum, &s.measured
		m.Dur, m.Busy, m.Waited = m.Dur+q.Dur, m.Busy+q.Busy, m.Waited+q.Waited
		m.ThreadRun, m.Instructions = m.ThreadRun+q.ThreadRun, m.Instructions+q.Instructions
		m.DRAMReads, m.Epochs, m.Rows = m.DRAMReads+q.DRAMReads, m.Epochs+q.Epochs, m.Rows+q.Rows
		s.atHighest += q.AtHighest
	}
}

// TestBriefRestsMissNothing: at one frequency nothing depends on predictions. Then a run in which
// the last quantum of a rest stands for all of it has the same rests, the same times of threads and
// the same counts as one in which all quanta are predicted, to the ns and to the count.
func TestBriefRestsMissNothing(t *testing.T) {
	p := profile(t, "paper")
	for name, w := range map[string]simtest.Workload{
		"compute": alternating(&compute, &compute, 10e9, 1e6, 0),
		"phases":  alternating(&chase, &compute, 0.4e9, 300e6, 3),
		"sleeps":  timers(2*time.Millisecond, 1000),
	} {
		run := func(brief bool) (sums, governor.ThreadTime) {
			o := simtest.Options{Seed: 5, Counters: simhost.Counters(&p)}
			m, err := simtest.New(p, w, o)
			if err != nil {
				t.Fatal(err)
			}
			cfg := simhost.Configure(governor.Default(), &p, &o)
			cfg.States, cfg.Rest, cfg.Brief = cfg.States[len(cfg.States)-1:], 8, brief
			g, err := governor.New(cfg)
			if err != nil {
				t.Fatal(err)
			}
			var s sums
			if err := governor.Run(t.Context(), g, simhost.New(m), &s); err != nil {
				t.Fatal(err)
			}
			return s, g.ThreadTime()
		}
		whole, wholeTimes := run(false)
		brief, briefTimes := run(true)
		if whole.rests < 20 {
			t.Errorf("%s: only %d rests", name, whole.rests)
		}
		if brief.measured != whole.measured || brief.rests != whole.rests ||
			briefTimes != wholeTimes {
			t.Errorf("%s: %+v, %d rests, %+v; without %+v, %d, %+v", name, brief.measured,
				brief.rests, briefTimes, whole.measured, whole.rests, wholeTimes)
		}
		if d := math.Abs(brief.atHighest/whole.atHighest - 1); d > 0.001 {
			t.Errorf("%s: %.4f %% between the predictions", name, 100*d)
		}
	}
}
