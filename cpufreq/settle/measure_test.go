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

// bench is a fake machine with hardware that takes its time, in virtual time.
type bench struct {
	k     *fakekernel.Kernel
	a     cpufreq.Actuator
	at    time.Duration
	rnd   *rand.Rand
	noise float64 // of a speed, relative
	fixed bool    // the clock does not follow
	cap   float64 // of the hardware, in kHz
	fails error
	// busy is how long another program has the CPU, twice or always.
	busy       time.Duration
	interrupts int
	always     bool
}

const seed = 7

func newBench(t *testing.T, spec fakekernel.Spec, delay func(*bench) time.Duration, ramp time.Duration) *bench {
	t.Helper()
	b := &bench{k: fakekernel.New(t, spec), rnd: rand.New(rand.NewPCG(seed, 0)), noise: 0.01, cap: math.Inf(1)}
	b.k.Connect(fakekernel.Hardware{Now: b.now, Delay: func() time.Duration { return delay(b) }, Ramp: ramp})
	a, err := cpufreq.Start(b.k.FS(t), cpufreq.Config{RunDir: filepath.Join(t.TempDir(), "run")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = a.Close() })
	b.a = a
	b.at += 50 * time.Millisecond // whatever taking hold has asked for is in effect
	return b
}

func (b *bench) now() time.Duration { return b.at }

func (b *bench) Source() string { return Cycles }

// Window is the mean over a few moments. One in fifty is disturbed by an interrupt that takes 100 us.
func (b *bench) Window(d time.Duration) (float64, error) {
	const parts = 5
	sum := 0.0
	for range parts {
		b.at += d / parts
		sum += min(float64(b.k.Clock(0)), b.cap)
	}
	speed := sum / parts * (1 + b.noise*b.rnd.NormFloat64())
	if b.fixed {
		speed = 3e6
	}
	if b.busy > 0 && (b.always || b.rnd.IntN(100) == 0) {
		b.at += b.busy
		b.interrupts++
		if b.interrupts == 2 && !b.always {
			b.busy = 0
		}
	}
	if b.rnd.IntN(50) == 0 {
		b.at += 100 * time.Microsecond
	}
	return speed, b.fails
}

func acpi() fakekernel.Spec {
	return fakekernel.Spec{Policies: 2, Driver: "acpi-cpufreq", Governors: "userspace schedutil", Governor: "schedutil", Table: fakekernel.Ladder(1000000, 4000000, 500000)}
}

func hwp() fakekernel.Spec {
	return fakekernel.Spec{
		Policies: 2, Driver: "intel_pstate", Governors: "performance powersave", Governor: "powersave",
		Table: fakekernel.Ladder(800000, 4200000, 100000), NoTable: true, EPP: true,
	}
}

func always(d time.Duration) func(*bench) time.Duration {
	return func(*bench) time.Duration { return d }
}

// grid is hardware that changes its clock at multiples of a step only, and some time after.
func grid(step time.Duration) func(*bench) time.Duration {
	return func(b *bench) time.Duration { return step - b.at%step + 20*time.Microsecond }
}

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
		off := func(got, want time.Duration) bool { return got < want-c.tolerance || got > want+c.tolerance }
		if off(r.P50, c.p50) || off(r.P99, c.p99) || r.P99 < r.P50 {
			t.Errorf("%s: %+v, want a median of %v and 99 of 100 within %v", c.name, r, c.p50, c.p99)
		}
		if took := b.at - before; took > Budget+longest/10 {
			t.Errorf("%s: took %v", c.name, took)
		}
		if b.at += 50 * time.Millisecond; b.k.Clock(0) != c.spec.Table[len(c.spec.Table)-1] {
			t.Errorf("%s: left at %d kHz", c.name, b.k.Clock(0))
		}
		if r.Source != Cycles || r.Requests < 2 || r.Missed != 0 || r.Ratio < 0.97*r.Asked || r.Ratio > 1.03*r.Asked {
			t.Errorf("%s: %+v", c.name, r)
		}
	}
}

// An interrupt that takes longer than a steady speed is waited for only makes it take longer.
func TestMeasureOnABusyCPU(t *testing.T) {
	b := newBench(t, acpi(), always(300*time.Microsecond), 0)
	b.busy = 18 * time.Millisecond
	r, err := Measure(b.a, b, b.now)
	if err != nil || r.P50 < 200*time.Microsecond || r.P50 > 450*time.Microsecond {
		t.Errorf("%+v, %v", r, err)
	}
	b = newBench(t, acpi(), always(0), 0)
	b.busy = 18 * time.Millisecond
	b.always = true
	before := b.at
	if r, err := Measure(b.a, b, b.now); !errors.Is(err, ErrUnobserved) {
		t.Errorf("%+v, %v", r, err)
	}
	if took := b.at - before; took > Budget+2*b.busy {
		t.Errorf("took %v", took)
	}
}

// What is measured on a machine is taken back as everything is.
func TestMeasuringLeavesNothing(t *testing.T) {
	k := fakekernel.New(t, acpi())
	before := k.Controls()
	b := &bench{k: k, rnd: rand.New(rand.NewPCG(seed, 0)), cap: math.Inf(1)}
	k.Connect(fakekernel.Hardware{Now: b.now, Delay: func() time.Duration { return 100 * time.Microsecond }})
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
		"the clock does not follow":   {func(b *bench) { b.fixed = true }, Cycles, "no effect: 4GHz and 1GHz were asked for, and by cycles the speeds are as 1.00 to 1"},
		"the loop sees it not follow": {func(b *bench) { b.fixed = true }, Loop, "1.00 to 1"},
		"the counter fails":           {func(b *bench) { b.fails = syscall.EIO }, Cycles, "input/output error"},
		"no domain takes a request": {func(b *bench) {
			for _, id := range []string{"0", "1"} {
				b.k.Break("devices/system/cpu/cpufreq/policy"+id+"/scaling_setspeed", fakekernel.Fault{Write: syscall.EIO})
			}
		}, Cycles, "no request is taken"},
		"only an echo": {func(*bench) {}, Kernel, "repeats each request"},
	} {
		b := newBench(t, acpi(), always(0), 0)
		c.change(b)
		_, err := Measure(b.a, named{b, c.source}, b.now)
		if !errors.Is(err, ErrUnobserved) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q in it", name, err, c.want)
		}
	}
	// Slower than a request is waited for. It is not taken for fast.
	b := newBench(t, acpi(), always(60*time.Millisecond), 0)
	if r, err := Measure(b.a, b, b.now); !errors.Is(err, ErrUnobserved) {
		t.Errorf("%+v, %v", r, err)
	}
}

// Only a counter is trusted with that requests do nothing.
func TestNoEffect(t *testing.T) {
	for source, want := range map[string]bool{Cycles: true, APERF: true, Loop: false, Hardware: false, Kernel: false} {
		b := newBench(t, acpi(), always(0), 0)
		b.fixed = true
		_, err := Measure(b.a, named{b, source}, b.now)
		if got := errors.Is(err, ErrNoEffect); got != want || !errors.Is(err, ErrUnobserved) {
			t.Errorf("%s: %v", source, err)
		}
	}
}

// Under a cap of the hardware the time is measured all the same, and the result says what was delivered.
func TestMeasureUnderACap(t *testing.T) {
	b := newBench(t, acpi(), always(300*time.Microsecond), 0)
	b.cap = 2e6
	r, err := Measure(b.a, named{b, Hardware}, b.now)
	if err != nil || r.P50 < 200*time.Microsecond || r.P50 > 400*time.Microsecond {
		t.Errorf("%+v, %v", r, err)
	}
	if off := float64(r.Highest) - 2e6; off < -1e5 || off > 1e5 || !r.Short(4e6) || r.Short(2e6) { // the bench's speeds are in kHz
		t.Errorf("%v was delivered", r.Highest)
	}
	if r = (Result{}); r.Short(4e9) {
		t.Error("what is not known is short")
	}
}

// named is a gauge by another name.
type named struct {
	Gauge
	source string
}

func (n named) Source() string { return n.source }

// The read-back gauge reads what the kernel says: here with limits that are late.
func TestReadback(t *testing.T) {
	k := fakekernel.New(t, acpi())
	fs := k.FS(t)
	g, err := newReadback(fs, 0)
	if err != nil {
		t.Fatal(err)
	}
	if s, err := g.Window(window); err != nil || s != 4e9 || g.Source() != Kernel {
		t.Errorf("%s %v, %v", g.Source(), s, err)
	}
	k.Vanish(0)
	if s, err := g.Window(window); err == nil {
		t.Errorf("a domain that is gone runs at %v", s)
	}
	if _, err := newReadback(fs, 0); err == nil {
		t.Error("a gauge of a domain that is gone")
	}
}

// The loop's speed does not depend on how long it is watched.
func TestLoop(t *testing.T) {
	l := &loop{state: 1}
	best := func(d time.Duration) (most float64) {
		for range 200 {
			s, err := l.Window(d)
			if err != nil || s <= 0 {
				t.Fatalf("%v, %v", s, err)
			}
			most = max(most, s)
		}
		return most
	}
	if short, long := best(window), best(10*window); short < 0.7*long || short > 1.4*long {
		t.Errorf("%v in a short window, %v in a long one", short, long)
	}
}

// On a machine of files, whose clock follows nothing, a run finds that out, and in time.
func TestRunOnAMachineWithoutAnEffect(t *testing.T) {
	k := fakekernel.New(t, acpi())
	fs := k.FS(t)
	a, err := cpufreq.Start(fs, cpufreq.Config{RunDir: filepath.Join(t.TempDir(), "run")})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	r, err := Run(fs, a)
	if !errors.Is(err, ErrUnobserved) {
		t.Errorf("%+v, %v", r, err)
	}
	if o := a.Set(a.States()[len(a.States())-1]); o[0].Kind != cpufreq.Unchanged {
		t.Errorf("it was not left at the highest state: %+v", o[0])
	}
}

func TestRunOnAbsentHardware(t *testing.T) {
	k := fakekernel.New(t, fakekernel.Spec{})
	if _, err := Run(k.FS(t), cpufreq.NewShadow("asked for")); !errors.Is(err, ErrUnobserved) || !errors.Is(err, cpufreq.ErrNone) {
		t.Errorf("%v", err)
	}
}
