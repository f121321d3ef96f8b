package simtest

import (
	"testing"
	"time"

	"github.com/ebb-energy/ebb/units"
)

// lockProgram has threads take a lock again and again, with section inside and outside.
func lockProgram(threads, rounds int, spin int64, inside, outside *Mix, nIn, nOut int64) Workload {
	return Workload{Name: "lock", Threads: threads, Build: func(b *Builder) {
		l := b.Mutex(spin)
		in := 0
		for range b.Threads() {
			b.Thread("app", App, func(t *Thread) {
				for range rounds {
					t.Lock(l)
					if in++; in > 1 {
						panic("two threads have the lock")
					}
					t.Run(inside, nIn)
					in--
					t.Unlock(l)
					t.Run(outside, nOut/2+t.Rand().Int64N(nOut))
				}
			})
		}
	}}
}

func sleepsOf(tr *Truth) (n int64) {
	for _, x := range tr.Threads {
		n += x.FutexSleeps
	}
	return n
}

// TestMutexExcludes: no two threads have a lock at once, whatever the threads, cores and spinning,
// and the critical sections take at least their time one after the other.
func TestMutexExcludes(t *testing.T) {
	for _, cores := range []int{1, 2, 4} {
		for _, threads := range []int{1, 2, 5, 8} {
			for _, spin := range []int64{0, 500, 20000} {
				p := paper().WithCores(cores)
				const rounds, section = 200, 4000
				tr := static(t, p, lockProgram(threads, rounds, spin, &computeMix, &computeMix,
					section, 6000), Options{Seed: 3}, 2*testGHz)
				least := time.Duration(float64(threads*rounds*section) * computeMix.CPI / 2)
				if tr.Wall < least {
					t.Errorf("%d cores, %d threads, spin %d: %v, the sections alone take %v", cores,
						threads, spin, tr.Wall, least)
				}
				if threads == 1 && sleepsOf(tr) > 0 {
					t.Errorf("%d cores, spin %d: a thread that is alone sleeps", cores, spin)
				}
			}
		}
	}
}

// TestContentionChangesWithFrequency: critical sections that wait for memory take a larger share of
// the time on faster cores, so that threads wait more often; and a prediction of each thread's own
// time would not see it.
func TestContentionChangesWithFrequency(t *testing.T) {
	w := lockProgram(4, 2000, 0, &chaseMix, &computeMix, 300, 12000)
	slow, fast := static(t, paper(), w, Options{Seed: 1}, testGHz), static(t, paper(), w,
		Options{Seed: 1}, 4*testGHz)
	if a, b := sleepsOf(slow), sleepsOf(fast); float64(b) < 1.3*float64(a) {
		t.Errorf("%d sleeps at 1 GHz, %d at 4 GHz", a, b)
	}
}

// TestSpinThenPark: a thread that waits for a lock no longer than it would spin never sleeps; one
// that has to wait longer spins first and then sleeps.
func TestSpinThenPark(t *testing.T) {
	short := static(t, paper(), lockProgram(2, 500, 50000, &computeMix, &computeMix, 2000, 4000),
		Options{Seed: 1}, 2*testGHz)
	if n := sleepsOf(short); n > 0 {
		t.Errorf("%d sleeps for a short critical section", n)
	}
	if short.Threads[0].Spun == 0 {
		t.Error("no thread ever spun")
	}
	if short.Instructions <= short.Work {
		t.Errorf("%d instructions, %d of work: spinning retires instructions that are no work",
			short.Instructions, short.Work)
	}
	long := static(t, paper(), lockProgram(2, 500, 1000, &computeMix, &computeMix, 200000, 4000),
		Options{Seed: 1}, 2*testGHz)
	if n := sleepsOf(long); n < 400 {
		t.Errorf("%d sleeps for a long critical section", n)
	}
	// A spin lasts 1000 cycles: half a microsecond at 2 GHz.
	if spun, most := long.Threads[0].Spun+
		long.Threads[1].Spun, time.Duration(1000*520); spun == 0 || spun > most {
		t.Errorf("spun for %v, at most %v were allowed", spun, most)
	}
}

// TestConditionsAndSemaphores: each item of a queue is taken out once, whichever threads wait.
func TestConditionsAndSemaphores(t *testing.T) {
	for _, cores := range []int{1, 2, 4} {
		for _, f := range []units.Frequency{testGHz, 4 * testGHz} {
			taken := make([]int, 600)
			w := Workload{Name: "queue", Threads: 5, Build: func(b *Builder) {
				l, filled, room, done := b.Mutex(0), b.Cond(), b.Semaphore(8), b.Barrier(5)
				var queue []int
				put := 0
				for range 2 {
					b.Thread("producer", App, func(t *Thread) {
						for range 300 {
							t.Run(&computeMix, 500+t.Rand().Int64N(3000))
							t.Down(room)
							t.Lock(l)
							queue = append(queue, put)
							put++
							t.Unlock(l)
							t.Signal(filled)
						}
						t.Arrive(done)
					})
				}
				for range 3 {
					b.Thread("consumer", App, func(t *Thread) {
						for range 200 {
							t.Lock(l)
							for len(queue) == 0 {
								t.Wait(filled, l)
							}
							item := queue[0]
							queue = queue[1:]
							t.Unlock(l)
							t.Up(room)
							taken[item]++
							t.Run(&computeMix, 1000+t.Rand().Int64N(3000))
						}
						t.Arrive(done)
					})
				}
			}}
			tr := static(t, paper().WithCores(cores), w, Options{Seed: uint64(cores)}, f)
			for i, n := range taken {
				if n != 1 {
					t.Fatalf("%d cores, %v: item %d was taken %d times", cores, f, i, n)
				}
			}
			if sleepsOf(tr) == 0 {
				t.Errorf("%d cores, %v: nobody ever waited", cores, f)
			}
		}
	}
}

// TestBarrierMeets: no thread goes on before all have come, round after round.
func TestBarrierMeets(t *testing.T) {
	const rounds, threads = 300, 4
	last := 0
	w := Workload{Name: "barrier", Threads: threads, Build: func(b *Builder) {
		meet := b.Barrier(threads)
		come := make([]int, rounds)
		for range threads {
			b.Thread("app", App, func(t *Thread) {
				for i := range rounds {
					t.Run(&mixedMix, 1000+t.Rand().Int64N(20000))
					come[i]++
					if t.Arrive(meet) {
						last++
					}
					if come[i] != threads {
						panic("a thread went on alone")
					}
				}
			})
		}
	}}
	static(t, paper(), w, Options{Seed: 1}, 3*testGHz)
	if last != rounds {
		t.Errorf("%d threads were the last, in %d rounds", last, rounds)
	}
}

// TestDeadlockIsAnErrorThatNamesThreads: a program whose threads wait for ever is an error that
// names them.
func TestDeadlockIsAnErrorThatNamesThreads(t *testing.T) {
	w := Workload{Name: "deadlock", Threads: 1, Build: func(b *Builder) {
		s := b.Semaphore(0)
		b.Thread("waiter", App, func(t *Thread) { t.Down(s) })
	}}
	if _, err := Static(paper(), w, Options{Seed: 1}, testGHz); err == nil ||
		err.Error() != "simulated program: waiter wait for ever, since 2.725µs" {
		t.Errorf("error %v", err)
	}
}
