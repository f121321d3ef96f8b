package settle

import (
	"math"
	"math/rand/v2"
	"path/filepath"
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
	// wander is a speed of its own, whatever is asked for.
	wander func(at time.Duration) float64
	slow   time.Duration // the most that reading the speed takes beyond the window
	cap    float64       // of the hardware, in kHz
	fails  error
	// busy is the time for which another program has the CPU, twice, often or always.
	busy       time.Duration
	interrupts int
	often      bool // now and then, for ever
	always     bool
}

const seed = 7

func newBench(
	t *testing.T, spec fakekernel.Spec, delay func(*bench) time.Duration, ramp time.Duration,
) *bench {
	t.Helper()
	b := &bench{k: fakekernel.New(t, spec), rnd: rand.New(rand.NewPCG(seed, 0)), noise: 0.01,
		cap: math.Inf(1)}
	b.k.Connect(fakekernel.Hardware{Now: b.now, Delay: func() time.Duration { return delay(b) },
		Ramp: ramp})
	a, err := cpufreq.Start(b.k.FS(t), cpufreq.Config{RunDir: filepath.Join(t.TempDir(), "run")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = a.Close() })
	b.a = a
	b.at += 50 * time.Millisecond // every request of the start is in effect
	return b
}

func (b *bench) now() time.Duration { return b.at }

func (b *bench) Source() string { return Cycles }

func (b *bench) Idle(d time.Duration) {
	b.at += d
	b.k.Work()
}

// Window is the mean over a few moments. One in fifty is disturbed by an interrupt that takes 100
// us.
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
	if b.wander != nil {
		speed = b.wander(b.at)
	}
	if b.slow > 0 {
		b.at += time.Duration(b.rnd.Int64N(int64(b.slow)))
	}
	if b.busy > 0 && (b.always || b.rnd.IntN(100) == 0) {
		b.at += b.busy
		b.interrupts++
		if b.interrupts == 2 && !b.always && !b.often {
			b.busy = 0
		}
	}
	if b.rnd.IntN(50) == 0 {
		b.at += 100 * time.Microsecond
	}
	return speed, b.fails
}

func acpi() fakekernel.Spec {
	return fakekernel.Spec{Policies: 2, Driver: "acpi-cpufreq", Governors: "userspace schedutil",
		Governor: "schedutil", Table: fakekernel.Ladder(1000000, 4000000, 500000)}
}

func hwp() fakekernel.Spec {
	return fakekernel.Spec{
		Policies: 2, Driver: "intel_pstate", Governors: "performance powersave",
		Governor: "powersave",
		Table:    fakekernel.Ladder(800000, 4200000, 100000), NoTable: true, EPP: true,
	}
}

func always(d time.Duration) func(*bench) time.Duration {
	return func(*bench) time.Duration { return d }
}

// grid is hardware that changes its clock at multiples of a step only, and some time after.
func grid(step time.Duration) func(*bench) time.Duration {
	return func(b *bench) time.Duration { return step - b.at%step + 20*time.Microsecond }
}

// named is a gauge by another name.
type named struct {
	gauge
	source string
}

func (n named) Source() string { return n.source }
