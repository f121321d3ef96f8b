package settle

import (
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/cpufreq/internal/fakekernel"
)

func TestMeasure(t *testing.T) {
	us := time.Microsecond
	for _, c := range []struct {
		name      string
		spec      fakekernel.Spec
		delay     func(*bench) time.Duration
		ramp      time.Duration
		p50, p99  time.Duration // the truth
		tolerance time.Duration
	}{
		{"at once", acpi(), always(2 * us), 0, 2 * us, 2 * us, 130 * us},
		{"a grid of 500 us", acpi(), grid(500 * us), 0, 270 * us, 520 * us, 90 * us},
		{"a grid of 1 ms", hwp(), grid(1000 * us), 0, 520 * us, 1020 * us, 130 * us},
		{"a ramp of 5 ms", hwp(), always(300 * us), 5000 * us, 4800 * us, 4800 * us, 250 * us},
		{"slow", acpi(), always(12000 * us), 0, 12000 * us, 12000 * us, 150 * us},
	} {
		b := newBench(t, c.spec, c.delay, c.ramp)
		before := b.at
		r, err := Measure(b.a, b, b.now)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		off := func(got, want time.Duration) bool {
			return got < want-c.tolerance ||
				got > want+c.tolerance
		}
		if off(r.P50, c.p50) || off(r.P99, c.p99) || r.P99 < r.P50 {
			t.Errorf("%s: %+v, want a median of %v and 99 of 100 within %v", c.name, r, c.p50,
				c.p99)
		}
		if took := b.at - before; took > budget+longest/10 {
			t.Errorf("%s: took %v", c.name, took)
		}
		if b.at += 50 * time.Millisecond; b.k.Clock(0) != c.spec.Table[len(c.spec.Table)-1] {
			t.Errorf("%s: left at %d kHz", c.name, b.k.Clock(0))
		}
		if r.Source != Cycles || r.Requests < 2 || r.Missed != 0 || r.Ratio < 0.97*r.Asked ||
			r.Ratio > 1.03*r.Asked {
			t.Errorf("%s: %+v", c.name, r)
		}
	}
}

// An interrupt longer than the wait for a steady speed only makes the measurement longer.
func TestMeasureOnABusyCPU(t *testing.T) {
	b := newBench(t, acpi(), always(300*time.Microsecond), 0)
	b.busy = 18 * time.Millisecond
	r, err := Measure(b.a, b, b.now)
	if err != nil || r.P50 < 200*time.Microsecond || r.P50 > 450*time.Microsecond {
		t.Errorf("%+v, %v", r, err)
	}
	// A request that settles unobserved does not count.
	b = newBench(t, acpi(), always(300*time.Microsecond), 0)
	b.busy, b.often = 2*time.Millisecond, true
	if r, err := Measure(b.a, b, b.now); err != nil || r.P99 > 600*time.Microsecond ||
		r.Requests < few {
		t.Errorf("%+v, %v", r, err)
	}
	b = newBench(t, acpi(), always(0), 0)
	b.busy = 18 * time.Millisecond
	b.always = true
	before := b.at
	if r, err := Measure(b.a, b, b.now); !errors.Is(err, ErrUnobserved) {
		t.Errorf("%+v, %v", r, err)
	}
	if took := b.at - before; took > budget+2*b.busy {
		t.Errorf("took %v", took)
	}
}

// Settings that a measurement changed are restored as all others are.
func TestMeasuringLeavesNothing(t *testing.T) {
	k := fakekernel.New(t, acpi())
	before := k.Controls()
	b := &bench{k: k, rnd: rand.New(rand.NewPCG(seed, 0)), cap: math.Inf(1)}
	k.Connect(fakekernel.Hardware{Now: b.now,
		Delay: func() time.Duration { return 100 * time.Microsecond }})
	a, err := cpufreq.Start(k.FS(t), cpufreq.Config{RunDir: filepath.Join(t.TempDir(), "run")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Measure(a, b, b.now); err != nil {
		t.Error(err)
	}
	if r, err := a.Close(); err != nil || !r.Complete {
		t.Errorf("%+v, %v", r, err)
	}
	after := k.Controls()
	for path, value := range before {
		if after[path] != value {
			t.Errorf("%s is %q, was %q", path, after[path], value)
		}
	}
}

func TestUnobserved(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*bench)
		source string
		want   string
	}{
		"the clock does not follow": {func(b *bench) { b.fixed = true }, Cycles,
			"no effect: 4GHz and 1GHz were asked for, and by cycles the speeds are as 1.00 to 1"},
		"the loop sees it not follow": {func(b *bench) { b.fixed = true }, Loop, "1.00 to 1"},
		"the counter fails": {func(b *bench) { b.fails = syscall.EIO }, Cycles,
			"input/output error"},
		"no domain takes a request": {func(b *bench) {
			for _, id := range []string{"0", "1"} {
				b.k.Break("devices/system/cpu/cpufreq/policy"+id+"/scaling_setspeed",
					fakekernel.Fault{Write: syscall.EIO})
			}
		}, Cycles, "no request is taken"},
		"only an echo": {func(*bench) {}, Kernel, "repeats each request"},
		"an echo that takes its time": {func(b *bench) { b.slow = 400 * time.Microsecond }, Kernel,
			"repeats each request"},
		"a speed of its own that looked like an effect": {func(b *bench) {
			begin, next, high := b.at, time.Duration(0), true
			b.wander = func(at time.Duration) float64 {
				switch at -= begin; {
				case at < 16*time.Millisecond:
					return 4e6
				case at < 33*time.Millisecond:
					return 1e6
				}
				if at >= next {
					next, high = at+time.Duration(b.rnd.Int64N(int64(4*time.Millisecond))), !high
				}
				if high {
					return 4e6
				}
				return 1e6
			}
		}, Loop, "changes by itself"},
	} {
		b := newBench(t, acpi(), always(0), 0)
		c.change(b)
		_, err := Measure(b.a, named{b, c.source}, b.now)
		if !errors.Is(err, ErrUnobserved) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q in it", name, err, c.want)
		}
	}
	// A change slower than the wait for a request does not count as fast, nor as none: the worker
	// that applies limits waits behind all others.
	for _, late := range []time.Duration{60 * time.Millisecond, 200 * time.Millisecond} {
		b := newBench(t, acpi(), always(late), 0)
		r, err := Measure(b.a, b, b.now)
		if !errors.Is(err, ErrUnobserved) || errors.Is(err, ErrNoEffect) || r.Short(4e9) {
			t.Errorf("%v: %+v, %v", late, r, err)
		}
	}
	b := newBench(t, hwp(), always(0), 0)
	b.k.Postpone()
	r, err := Measure(b.a, b, b.now)
	if !errors.Is(err, ErrUnobserved) || errors.Is(err, ErrNoEffect) {
		t.Errorf("limits: %+v, %v", r, err)
	}
}

// Only a counter can show that requests do nothing.
func TestNoEffect(t *testing.T) {
	for source, want := range map[string]bool{Cycles: true, APERF: true, Loop: false,
		Hardware: false, Kernel: false} {
		b := newBench(t, acpi(), always(0), 0)
		b.fixed = true
		_, err := Measure(b.a, named{b, source}, b.now)
		if got := errors.Is(err, ErrNoEffect); got != want || !errors.Is(err, ErrUnobserved) {
			t.Errorf("%s: %v", source, err)
		}
	}
}

// Under a cap of the hardware the time is measured all the same, and the result says what was
// delivered.
func TestMeasureUnderACap(t *testing.T) {
	b := newBench(t, acpi(), always(300*time.Microsecond), 0)
	b.cap = 2e6
	r, err := Measure(b.a, named{b, Hardware}, b.now)
	if err != nil || r.P50 < 200*time.Microsecond || r.P50 > 400*time.Microsecond {
		t.Errorf("%+v, %v", r, err)
	}
	// the bench's speeds are in kHz
	if off := float64(r.Highest) - 2e6; off < -1e5 || off > 1e5 || !r.Short(4e6) || r.Short(2e6) {
		t.Errorf("%v was delivered", r.Highest)
	}
	if r = (Result{}); r.Short(4e9) {
		t.Error("what is not known is short")
	}
}
