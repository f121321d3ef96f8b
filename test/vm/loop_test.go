package vm

import (
	"strconv"
	"testing"
)

var (
	memoryBound  = []string{"memory@900", "30000000"}
	computeBound = []string{"compute@0", "30000000"}
)

// at runs a load with the clock kept at a frequency.
func at(t testing.TB, khz int, load []string) usage {
	t.Helper()
	keep(t, khz)
	r := command(t, "/bin/load", load...)
	if r.code != 0 {
		t.Fatal(r)
	}
	return usageOf(t, r.out)
}

func governed(t testing.TB, load []string, flags ...string) (usage, result) {
	t.Helper()
	args := append([]string{"run"}, flags...)
	r := command(t, "/bin/ebb", append(append(args, "--", "/bin/load"), load...)...)
	if r.code != 0 {
		t.Fatalf("%+v", r)
	}
	return usageOf(t, r.out), r
}

func TestSlowdown(t *testing.T) {
	for _, l := range [][]string{memoryBound, computeBound} {
		for _, khz := range states(t) {
			t.Logf("%s %d: %v", l[0], khz, at(t, khz, l))
			if khz < 2500000 && l[0] == "compute@0" {
				break
			}
		}
	}
}

func TestBudget(t *testing.T) {
	for _, l := range [][]string{memoryBound, computeBound} {
		for _, b := range []int{5, 10} {
			u, r := governed(t, l, "--slowdown", strconv.Itoa(b)+"%")
			t.Logf("%s %d %%: %v\n%s", l[0], b, u, r.err)
		}
	}
}

func TestDoctor(t *testing.T) {
	r := command(t, "/bin/ebb", "doctor")
	t.Log(r.out, r.err)
}
