package simtest

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/simtest/hardware"
	"github.com/ebb-energy/ebb/units"
)

const (
	testMHz = units.Frequency(1_000_000)
	testGHz = units.Frequency(1_000_000_000)
)

// machine is the hardware of that name.
func machine(name string) hardware.Profile {
	p, err := hardware.ByName(name)
	if err != nil {
		panic(err)
	}
	return p
}

// paper is the machine of the paper's Table 2.
func paper() hardware.Profile { return machine("paper") }

var (
	computeMix = Mix{Name: "compute", CPI: 0.5}
	chaseMix   = Mix{Name: "chase", CPI: 0.6, Memory: 20, L3: 5, Ahead: 6}
	mixedMix   = Mix{Name: "mixed", CPI: 0.6, Memory: 4, L3: 10, Transfers: 1, Fetch: 1,
		Stores: 100, StoreMisses: 1, Parallel: 2, Dependent: 0.3, Spread: 0.3, Pressure: 0.2}
	streamMix = Mix{Name: "stream", CPI: 0.4, Memory: 30, Parallel: 8, Stores: 50}
	burstMix  = Mix{Name: "burst", CPI: 0.4, Stores: 500, StoreMisses: 250}
)

// busyProgram has everything: a heap, a contended lock, barriers, a condition, sleeps, threads that
// come and go.
func busyProgram(threads, rounds int) Workload {
	return Workload{Name: "busy", Threads: threads, Build: func(b *Builder) {
		h := b.Heap(HeapConfig{Nursery: 2 << 20, Survival: 0.1, Spread: 0.5,
			RootInstructions: 20000})
		l := b.Mutex(2000)
		meet := b.Barrier(b.Threads())
		for range b.Threads() {
			b.Thread("app", App, func(t *Thread) {
				for i := range rounds {
					t.Run(&computeMix, 50000+t.Rand().Int64N(100000))
					t.Run(&mixedMix, 20000+t.Rand().Int64N(40000))
					t.Alloc(h, 16<<10+t.Rand().Int64N(32<<10))
					t.Lock(l)
					t.Run(&chaseMix, 500+t.Rand().Int64N(3000))
					t.Unlock(l)
					if i%10 == 0 {
						t.Arrive(meet)
					}
					if i%25 == 7 {
						t.Sleep(time.Duration(t.Rand().Int64N(300_000)))
					}
					if i%40 == 11 {
						t.Join(t.Spawn("child", App, func(t *Thread) { t.Run(&mixedMix, 100000) }))
					}
				}
			})
		}
		b.Thread("compiler", Compiler, func(t *Thread) {
			for {
				t.Run(&mixedMix, 200000)
				t.Sleep(500 * time.Microsecond)
			}
		})
	}}
}

// events runs m to its end; act, if not nil, sees every event and may make requests.
func events(t testing.TB, m *Computer, act func(*Event)) []Event {
	t.Helper()
	var all []Event
	buf := make([]Event, 64)
	for {
		n, err := m.Next(buf)
		for i := range buf[:n] {
			all = append(all, buf[i])
			if act != nil {
				act(&buf[i])
			}
		}
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func newMachine(t testing.TB, p hardware.Profile, w Workload, o Options) *Computer {
	t.Helper()
	m, err := New(p, w, o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// static runs w at f and fails the test when it cannot.
func static(t testing.TB, p hardware.Profile, w Workload, o Options, f units.Frequency) *Truth {
	t.Helper()
	tr, err := Static(p, w, o, f)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// digest is a hash of all that is printed of x.
func digest(x any) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%+v", x)
	return h.Sum64()
}

// alone is a program of threads that each run mix once.
func alone(mix *Mix, threads int, instructions int64) Workload {
	return Workload{Name: mix.Name, Threads: threads, Build: func(b *Builder) {
		for range b.Threads() {
			b.Thread("app", App, func(t *Thread) { t.Run(mix, instructions) })
		}
	}}
}

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x74657374)) }
