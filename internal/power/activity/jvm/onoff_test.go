package jvm

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"testing"
	"time"
)

// TestInterval: the ranks are those of tables of the sign test.
func TestInterval(t *testing.T) {
	for n, rank := range map[int]int{6: 1, 10: 2, 20: 6, 34: 11} {
		var values []float64
		for i := n; i >= 1; i-- {
			values = append(values, float64(i))
		}
		m, low, high := interval(values)
		if m != float64(n+1)/2 || low != float64(rank) || high != float64(n+1-rank) {
			t.Errorf("%d: %v (%v to %v), want rank %d", n, m, low, high, rank)
		}
	}
	if m, low, _ := interval([]float64{1, 2, 3, 4, 5}); m != 3 || !math.IsNaN(low) {
		t.Errorf("five: %v from %v", m, low)
	}
	if m, _, _ := interval(nil); !math.IsNaN(m) {
		t.Errorf("none: %v", m)
	}
}

// worker is this test's process: it works all the time, and does operations at a rate of its CPU
// time that falls by a fifth while counting is on.
type worker struct {
	file   *os.File
	on     bool
	done   float64
	before time.Duration
}

func (w *worker) On() error  { w.on = true; return nil }
func (w *worker) Off() error { w.on = false; return nil }

func (w *worker) power() float64 {
	if w.on {
		return 12
	}
	return 10
}

func (w *worker) ReadAt(b []byte, _ int64) (int, error) {
	p := Program{PID: os.Getpid(), Progress: w.file}
	m, err := p.look()
	if err != nil {
		return 0, err
	}
	rate := 1.0 // operations in a ns
	if w.on {
		rate /= 1.25
	}
	w.done += float64(m.used-w.before) * rate
	w.before = m.used
	binary.LittleEndian.PutUint64(b, uint64(w.done))
	return len(b), nil
}

// TestMeasure: what slows operations down by a known factor is measured as that, whatever else the
// machine does.
func TestMeasure(t *testing.T) {
	file, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.Write(make([]byte, 8)); err != nil {
		t.Fatal(err)
	}
	busy, stop := context.WithCancel(t.Context())
	defer stop()
	go func() {
		for busy.Err() == nil { // others want the CPU as well
		}
	}()
	w := &worker{file: file}
	r, err := MeasureSwitching(t.Context(), Program{PID: os.Getpid(), Progress: w, Power: w.power},
		w, 100*time.Millisecond, 6)
	if err != nil && !errors.Is(err, errNoProgress) {
		t.Fatal(err)
	}
	if err == nil && (len(r.CPU.Triples) != 6 || math.Abs(r.CPU.Median-0.25) > 0.1) {
		t.Errorf("%+v", r)
	}
	if err != nil {
		return
	}
	// Counting draws a fifth more: an operation's energy grows by that, and by its time.
	for i, x := range r.Energy.Triples {
		if want := 1.2*(1+r.Wall.Triples[i]) - 1; math.Abs(x-want) > 0.05 {
			t.Errorf("triple %d: energy %+v, time %+v, want %+v", i, x, r.Wall.Triples[i], want)
		}
	}
	if len(r.Energy.Triples) != 6 || len(r.Wall.Triples) != 6 {
		t.Errorf("%+v", r)
	}
}

// TestUnknownEnergy: a triple in which the meter failed, and a machine without one, have no cost in
// energy, and the other costs all the same.
func TestUnknownEnergy(t *testing.T) {
	var c Cost
	c.add(1, math.NaN(), 1)
	c.add(1, 1.5, 1)
	if len(c.Triples) != 1 || c.Triples[0] != 0.5 {
		t.Errorf("%+v", c)
	}
}

// TestEnds: a context that ends leaves what was measured.
func TestEnds(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	file, err := os.Open("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r, err := MeasureSwitching(ctx, Program{PID: os.Getpid(), Progress: file}, &worker{},
		time.Hour, 3)
	if err != nil || len(r.CPU.Triples) != 0 || !math.IsNaN(r.CPU.Median) {
		t.Errorf("%+v, %v", r, err)
	}
}
