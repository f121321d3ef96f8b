package simtest

import "testing"

// TestStepsDoNotAllocate: once a program is under way, steps with records allocate nothing,
// whatever happens in them.
func TestStepsDoNotAllocate(t *testing.T) {
	m := newMachine(t, paper(), lockProgram(4, 1<<30, 1000, &mixedMix, &mixedMix, 2000, 6000),
		Options{Seed: 1, Counters: []string{"crit_dram", "cycles"}})
	defer m.Close()
	run := func(n int) {
		for range n {
			if err := m.step(); err != nil {
				t.Fatal(err)
			}
			m.out.discard()
		}
	}
	run(20000)
	if n := testing.AllocsPerRun(10, func() { run(5000) }); n > 1 {
		t.Errorf("%.1f allocations in 5000 steps", n)
	}
}
