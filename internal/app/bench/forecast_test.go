package bench

import (
	"testing"
	"time"
)

func TestForecast(t *testing.T) {
	p := testPlan() // 4, 2 and 1 GHz, as found, 5 %, 10 %, system-energy
	f := newForecast(p, 2, 1, nil)
	if _, _, ok := f.left(); ok {
		t.Error("a time before anything ran")
	}
	second := &Sample{}
	f.Add(second, time.Second)
	// Twice: 1 + 2 + 4 at the most for the frequencies, 4 for as found and for the system's energy,
	// 1.05 and 1.10.
	lo, hi, ok := f.left()
	if want := time.Duration(2 * 17.15 * 1e9); !ok || lo != 14*time.Second || hi != want {
		t.Errorf("%v to %v, want 14s to %v", lo, hi, want)
	}
	for i := range p.Settings {
		f.Add(&Sample{Round: 1, Setting: i}, time.Duration(i+1)*time.Second)
	}
	if lo, hi, _ := f.left(); lo != 28*time.Second || hi != lo {
		t.Errorf("%v to %v, want 28s", lo, hi)
	}
	for i := range p.Settings {
		f.Add(&Sample{Round: 2, Setting: i}, time.Second)
		f.Add(&Sample{Round: 3, Setting: i}, time.Hour) // of an earlier, longer measurement
	}
	if lo, hi, _ := f.left(); lo != 0 || hi != 0 {
		t.Errorf("%v to %v with nothing left", lo, hi)
	}
}

func TestForecastAfterAnInterruption(t *testing.T) {
	p := testPlan()
	var done []Sample
	for i := range p.Settings {
		s := Sample{Round: 1, Setting: i}
		s.Wall = 2 * time.Second
		done = append(done, s)
	}
	if lo, hi, ok := newForecast(p, 3, 1, done).left(); !ok || lo != 28*time.Second || hi != lo {
		t.Errorf("%v to %v (%v), want 28s", lo, hi, ok)
	}
	// A simulated second takes as long as it takes.
	p.Machine.Simulated = "paper"
	f := newForecast(p, 3, 2, done)
	if _, _, ok := f.left(); ok {
		t.Error("a time, from simulated seconds")
	}
	f.Add(&Sample{Round: 2, Setting: 3}, time.Second)
	if lo, hi, ok := f.left(); !ok || lo <= 0 || hi <= lo || hi > 20*time.Second {
		t.Errorf("%v to %v (%v) for 13 runs, two at once, one of which took a second", lo, hi, ok)
	}
}
