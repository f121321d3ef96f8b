package activity

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/linux/proc"
	"github.com/ebb-energy/ebb/units"
)

// TestStamps compares the sums of stamps with times that are added up one by one, for readings at
// any moment, and far beyond where the sums overflow.
func TestStamps(t *testing.T) {
	r := rand.New(rand.NewPCG(devtest.Seed(t), 1))
	entries := make([]entry, 5)
	working := make([]bool, len(entries))
	var busy, both uint64 // ns of all CPUs, and ns with two and more busy
	at := uint64(1) << 62
	for range 20000 {
		n := 0
		for _, w := range working {
			if w {
				n++
			}
		}
		step := r.Uint64N(1 << 40)
		at += step
		busy += step * uint64(n)
		if n >= 2 {
			both += step
		}
		i := r.IntN(len(entries))
		e := &entries[i]
		stamp := at<<stampBits | 1
		if working[i] {
			e.Busy += stamp
			if n == 2 {
				e.Level[1] += stamp
			}
		} else {
			e.Busy -= stamp
			if n == 1 {
				e.Level[1] -= stamp
			}
		}
		working[i] = !working[i]
		got := summed(entries, units.Instant(at))
		if d := elapsed(busy, got.Busy); d != 0 {
			t.Fatalf("busy time is off by %v", d)
		}
		if d := elapsed(both, got.Level[1]); d != 0 {
			t.Fatalf("time with two busy is off by %v", d)
		}
	}
}

func TestBetween(t *testing.T) {
	a := Reading{At: 5, Stat: Stat{CPUs: 4, CPULine: proc.CPULine{User: time.Second},
		Switches: 10},
		CPUs: CPUs{Busy: 1<<50 - 5}}
	b := Reading{At: 5 + 2e9, Stat: Stat{CPUs: 4,
		CPULine: proc.CPULine{User: 3 * time.Second}, Switches: 30},
		CPUs: CPUs{Busy: 4e9 - 5, Level: [levels]uint64{2e9, 1e9}, Idle: [lengths]uint64{0, 8}}}
	in, err := Between(&a, &b)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]float64{"cpu_user": 25, "cpu_busy": 50, "contexts": 10,
		"busy_cpus_1": 100, "busy_cpus_2": 50, "busy_cpus_4": 0, "idle_ends_1ms": 4,
		"cpu_system": 0} {
		if got, ok := in[name]; !ok || got != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
	for _, name := range Names(4) {
		if _, ok := in[name]; !ok {
			t.Errorf("no %s", name)
		}
	}
	if len(in) != len(Names(4)) {
		t.Errorf("%d inputs and %d names", len(in), len(Names(4)))
	}
	if back, err := Between(&b, &Reading{At: b.At + 1e9, Stat: Stat{CPUs: 4}}); err != nil ||
		back["contexts"] != 0 || back["cpu_user"] != 0 {
		t.Errorf("counts that went back: %v, %v", back, err)
	}
	if _, err := Between(&b, &b); err == nil {
		t.Error("an empty window has inputs")
	}
}

// TestHardware: the clock is cycles over busy time, counters are rates, and what stood still on a
// CPU is no input.
func TestHardware(t *testing.T) {
	reading := func(at units.Instant, cycles uint64, ran time.Duration) Reading {
		return Reading{At: at, Stat: Stat{CPUs: 2}, CPUs: CPUs{Busy: uint64(at) / 2},
			Counts: []Count{{"cycles", cycles, ran}, {"instructions", 2 * cycles, ran}}}
	}
	a, b := reading(2e9, 0, 0), reading(4e9, 3e9, 4*time.Second) // one of four CPU seconds busy
	in, err := Between(&a, &b)
	if err != nil || in[Clock] != 3 || in["cycles"] != 1.5e9 || in["instructions"] != 3e9 {
		t.Errorf("%v, %v", in, err)
	}
	b.Counts[0].Ran = 2 * time.Second
	if in, _ = Between(&a, &b); len(in) != len(Names(2))+1 {
		t.Errorf("with a counter that stood still: %v", in)
	}
	b.Counts = nil
	if in, _ = Between(&a, &b); len(in) != len(Names(2)) {
		t.Errorf("without a reading: %v", in)
	}
	a.Clock, b.Clock = 1e9, 2e9
	if in, _ = Between(&a, &b); in[Clock] != 1.5 {
		t.Errorf("by the kernel's word: %v GHz", in[Clock])
	}
	b.CPUs = a.CPUs
	if in, _ = Between(&a, &b); in[Clock] != 0 {
		t.Errorf("idle: %v GHz", in[Clock])
	}
	h := Hardware{Counters: []string{"cycles"}}
	if names := h.Names(); len(names) != 2 || names[0] != Clock {
		t.Errorf("%v", names)
	}
}
