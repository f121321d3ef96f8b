package stacks

import (
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// BenchmarkCarried reports what it adds to the sampler's time in the kernel, in ns a sample, to
// read whom a thread carries: by a number, by a reference, and where the thread is none of those
// that carry. The program reads memory at random, as its caches' state decides. The ways take
// turns in one run; the figures are medians of the differences from no carriers within a round,
// with the half of all rounds around them. Use -benchtime=1x.
func BenchmarkCarried(b *testing.B) {
	const rounds, each = 25, 250 * time.Millisecond
	program := filepath.Join(b.TempDir(), "wander")
	if out, err := exec.Command("gcc", "-O2", "-o", program,
		"testdata/wander.c").CombinedOutput(); err != nil {
		b.Skipf("needs gcc: %v: %s", err, out)
	}
	s, pid, put := spinning(b, 997, program)
	put(left, 0)
	use(b, pid, time.Second) // the program has begun
	block := blockOf(b, pid)
	ways := map[string][]Carrier{"none": nil,
		"number":    {{Block: block, At: block, Own: 1}},
		"reference": {{Block: block, At: block, Field: 16, Own: 1}},
		"another":   {{Block: block + 64, At: block, Own: 1}}}
	names := []string{"none", "number", "reference", "another"}
	random, took := devtest.Rand(b), map[string][]float64{}
	for range rounds {
		random.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		for _, name := range names {
			s.Carry(pid, ways[name])
			took[name] = append(took[name], looks(b, s, pid, each))
		}
	}
	b.ReportMetric(0, "ns/op")
	for _, name := range []string{"none", "number", "reference", "another"} {
		more := make([]float64, rounds)
		for i := range more {
			more[i] = took[name][i] - took["none"][i]
		}
		slices.Sort(more)
		b.Logf("%-9s %.0f ns a sample; beside none %+.0f ns (%+.0f to %+.0f)", name,
			middle(took[name]), middle(more), more[rounds/4], more[rounds-1-rounds/4])
		if name != "none" {
			b.ReportMetric(middle(more), name+"-ns")
		}
	}
}

// looks returns the time in the sampler of a sample, in ns, while a process uses so much CPU time.
func looks(b *testing.B, s *Sampler, pid int, each time.Duration) float64 {
	b.Helper()
	counts := func() (taken, spent uint64) {
		if err := s.objects.Taken.Get(&taken); err != nil {
			b.Fatal(err)
		}
		if err := s.objects.Spent.Get(&spent); err != nil {
			b.Fatal(err)
		}
		return taken, spent
	}
	use(b, pid, 5*time.Millisecond) // a sample that had begun is complete
	taken, spent := counts()
	for range 10 {
		use(b, pid, each/10)
		if err := s.Drain(func(*Sample) bool { return true }); err != nil {
			b.Fatal(err)
		}
	}
	taken2, spent2 := counts()
	return float64(spent2-spent) / float64(taken2-taken)
}
