package stacks

import (
	"debug/elf"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/epochs/bpf"
	"github.com/ebb-energy/ebb/internal/devtest"
)

// unlucky is the chance with which each check of TestChildrenTakeNoSamples fails where all is well.
// There are thirteen.
const unlucky = 1e-8

// TestChildrenTakeNoSamples: a thread's samples are where its time is, whatever it creates
// meanwhile. Two functions do the same work, one of them between creations, or both in threads that
// live for a period or two. The samples in one of them are then distributed binomially, or less
// widely.
func TestChildrenTakeNoSamples(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("sampling needs root")
	}
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("needs gcc: ", err)
	}
	program := filepath.Join(t.TempDir(), "children")
	if out, err := exec.Command(gcc, "-O1", "-no-pie", "-fno-ipa-icf", "-pthread", "-o", program,
		"testdata/children.c").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	plain, between := 0, 0
	// A process costs much more than a thread.
	for kind, rounds := range map[string]string{"none": "120", "vfork": "30", "fork": "30",
		"spawn": "30", "thread": "120", "workers": "60"} {
		for _, args := range [][]string{{kind, rounds}, {kind, rounds, "pinned"}} {
			t.Run(filepath.Join(args...), func(t *testing.T) {
				if kind == "none" || kind == "vfork" {
					devtest.Long(t)
				}
				in := sampledFunctions(t, program, args)
				checkEqual(t, in["plain"], in["between"])
				plain, between = plain+in["plain"], between+in["between"]
			})
		}
	}
	checkEqual(t, plain, between) // together they show what each of them is too short for
}

// checkEqual checks the samples of two functions that worked equally.
func checkEqual(t *testing.T, plain, between int) {
	t.Helper()
	chance := outside(plain+between, plain)
	t.Logf("%d samples in plain, %d in between, by chance with %.2g", plain, between, chance)
	if chance < unlucky {
		t.Errorf("%d samples in plain, %d in between: they work equally", plain, between)
	}
}

// outside is the chance that of n samples in two equal functions one has at most as few, or at
// least as many, as k.
func outside(n, k int) float64 {
	sum := 0.0
	for i := range min(k, n-k) + 1 {
		all, _ := math.Lgamma(float64(n + 1))
		some, _ := math.Lgamma(float64(i + 1))
		rest, _ := math.Lgamma(float64(n - i + 1))
		sum += math.Exp(all - some - rest - float64(n)*math.Ln2)
	}
	return min(2*sum, 1)
}

func TestOutside(t *testing.T) {
	for _, tc := range []struct {
		n, k int
		want float64
	}{{0, 0, 1}, {1, 0, 1}, {2, 0, 0.5}, {10, 1, 0.021484375}, {10, 9, 0.021484375}} {
		if got := outside(tc.n, tc.k); math.Abs(got-tc.want) > 1e-9 {
			t.Errorf("%d of %d: %v, want %v", tc.k, tc.n, got, tc.want)
		}
	}
}

// sampledFunctions counts the samples of a program's threads by function.
func sampledFunctions(t *testing.T, program string, args []string) map[string]int {
	t.Helper()
	file, err := elf.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	symbols, err := file.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	tracer, err := bpf.Open(bpf.Config{Quantum: 5 * time.Millisecond})
	if err != nil {
		t.Skip(err)
	}
	defer tracer.Close()
	sampler, err := Open(tracer.Followed(), nil, 199)
	if err != nil {
		t.Fatal(err)
	}
	defer sampler.Close()
	if err := sampler.SkipYoung(); err != nil {
		t.Fatal(err)
	}
	if err := sampler.AttachCPUs(); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, args...)
	cmd.Stderr = os.Stderr
	if err := tracer.Launch(func() (int, error) { return 0, cmd.Start() }); err != nil {
		t.Fatal(err)
	}
	var ended atomic.Bool
	failed := make(chan error, 1)
	go func() {
		failed <- cmd.Wait()
		ended.Store(true)
		tracer.Wake()
	}()
	in := map[string]int{}
	take := func(s *Sample) bool {
		if s.Maps == 0 && len(s.Stack) > 0 {
			t.Errorf("process %d has no mappings", s.PID)
		}
		at := s.Registers[16] // rip
		if at == 0 && len(s.User) > 0 {
			at = s.User[0]
		}
		for _, f := range symbols {
			if s.PID == cmd.Process.Pid && at >= f.Value && at < f.Value+f.Size {
				in[f.Name]++
			}
		}
		return true
	}
	events := make([]epochs.Event, 512)
	for last := false; !last; {
		last = ended.Load()
		if !last {
			if _, err := tracer.Next(events); err != nil {
				t.Fatal(err)
			}
		}
		if err := sampler.Drain(take); err != nil {
			t.Fatal(err)
		}
	}
	if err := <-failed; err != nil {
		t.Fatal(err)
	}
	return in
}
