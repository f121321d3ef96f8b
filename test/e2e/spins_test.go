package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// unevenSource is a program in which one of two threads has nearly all of the work, and the other
// waits for it.
const unevenSource = `#include <omp.h>
int main(void)
{
	volatile double sink = 0;

	for (int round = 0; round < 60; round++) {
#pragma omp parallel num_threads(2)
		{
			double x = 1;
			long n = omp_get_thread_num() ? 1000 : 4000000;

			for (long i = 0; i < n; i++)
				x = x * 1.0000001 + 1e-9;
			if (x < 0)
				sink = x;
		}
	}
	return sink < 0;
}
`

// TestSpinningWaits: threads of libgomp that wait by spinning are named so, and the report says
// which setting has them sleep. With that setting it says nothing of the kind.
func TestSpinningWaits(t *testing.T) {
	needRoot(t)
	if runtime.NumCPU() < 2 {
		t.Skip("one CPU: libgomp soon lets threads sleep that it has no CPUs for")
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "uneven")
	write(t, program+".c", unevenSource)
	run(t, "gcc", "-O2", "-fopenmp", program+".c", "-o", program)
	for policy, spins := range map[string]bool{"active": true, "passive": false} {
		file := filepath.Join(dir, policy+".json")
		cmd := command(t, "run", "--shadow", "--methods", "--rate", "997", "--report", file, "--",
			program)
		cmd.Env = append(os.Environ(), "OMP_WAIT_POLICY="+policy)
		r := finish(t, cmd)
		if r.code != 0 {
			t.Fatalf("%+v", r)
		}
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var report struct {
			Verdict     struct{ Better []string }
			Attribution struct{ Frames []struct{ Name string } }
		}
		if err := json.Unmarshal(b, &report); err != nil {
			t.Fatal(err)
		}
		named := slices.ContainsFunc(report.Attribution.Frames,
			func(f struct{ Name string }) bool { return f.Name == "[spins in libgomp]" })
		better := strings.Join(report.Verdict.Better, "\n")
		said := strings.Contains(better, "OMP_WAIT_POLICY=passive: ") &&
			strings.Contains(better, "threads that wait by spinning in libgomp")
		if said != spins || spins && !named {
			t.Errorf("%s: named %v, better %q", policy, named, better)
		}
	}
}
