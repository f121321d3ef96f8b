package e2e

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/energy/profile"
)

// TestCallersInARunningJVM attaches to a Java machine that keeps no frame pointers, and runs a
// program of which it is known which method calls which: so do its stacks say, back to where the
// thread began. Both of the machine's compilers, and its interpreter.
func TestCallersInARunningJVM(t *testing.T) {
	devtest.Long(t)
	needRoot(t)
	classes := t.TempDir()
	if _, err := exec.LookPath("javac"); err != nil {
		t.Skip("javac is not installed")
	}
	if out, err := exec.CommandContext(t.Context(), "javac", "-d", classes,
		"testdata/nest/Nest.java").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for name, option := range map[string]string{"C1": "-XX:TieredStopAtLevel=1",
		"C2": "-XX:-TieredCompilation", "interpreter": "-Xint"} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), "java", option, "-XX:CompileCommand=quiet",
				"-XX:CompileCommand=dontinline,Nest*::*",
				"-XX:-PreserveFramePointer", "-cp", classes, "Nest", "600")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() {
				_ = cmd.Process.Kill()
				_ = cmd.Wait()
			}()
			waitUsed(t, cmd.Process.Pid, 3*time.Second) // until its methods are compiled
			path := filepath.Join(t.TempDir(), "r.json")
			look, rest := attach(t, cmd.Process.Pid, path)
			waitUsed(t, cmd.Process.Pid, 3*time.Second)
			if err := look.Process.Signal(syscall.SIGINT); err != nil {
				t.Fatal(err)
			}
			if said := rest(); look.Wait() != nil {
				t.Fatalf("%v: %s", look.ProcessState, said)
			}
			checkNest(t, attributed(t, path))
		})
	}
}

// checkNest: of the stacks with one of Nest's methods 99 % are whole, and 99 % of those have its
// calls in order. (The exceptions: a sample without room in the buffer has no registers, and a few
// instructions of stubs can only be unwound by decoding them.)
func checkNest(t *testing.T, p *profile.Profile) {
	t.Helper()
	// The callers of code that is not Nest's own.
	outside := map[string][]string{"StubRoutines (2)": {"Nest.m7"}, "vtable chunks": {"Nest.m4"},
		"g1_post_barrier_slow": {"Nest.m6"}}
	order := []string{"Nest.leaf", "Nest.m7", "Nest.m6", "Nest.m5", "next", "Nest.m4", "Nest.m3",
		"Nest.m2", "Nest.m1", "Nest.m0", "Nest.loop", "Nest.main"}
	all, cut, right, deep := 0, 0, 0, 0
	for _, s := range p.Stacks {
		var chain []string
		innermost := ""
		for _, i := range s.Frames {
			name := p.Frames[i].Name
			if strings.HasPrefix(name, "Nest$") {
				name = "next"
			}
			if name == "next" || strings.HasPrefix(name, "Nest.") {
				chain = append(chain, name)
			} else if len(chain) == 0 {
				innermost = name
			}
		}
		if len(chain) == 0 {
			continue
		}
		all += s.Samples
		if s.Cut {
			cut += s.Samples
			continue
		}
		at := slices.Index(order, chain[0])
		end := chain[len(chain)-1]
		good := at >= 0 && at+len(chain) <= len(order) &&
			slices.Equal(order[at:at+len(chain)], chain) &&
			(end == "Nest.main" || end == "Nest.loop")
		if want, known := outside[innermost]; known && !slices.Contains(want, chain[0]) {
			good = false
		}
		if good {
			right += s.Samples
		} else {
			t.Logf("%d samples: %s <- %s", s.Samples, innermost, strings.Join(chain, " <- "))
		}
		if at >= 0 && at < 3 {
			deep += s.Samples
		}
	}
	t.Logf("%d samples, %d of leaf, m7 and m6, %d cut short, %d in the right order", all, deep, cut,
		right)
	if all < 1000 || deep < 300 {
		t.Fatalf("%d samples, %d of the innermost methods", all, deep)
	}
	if float64(cut) > 0.01*float64(all) {
		t.Errorf("%d of %d samples are cut short", cut, all)
	}
	if float64(right) < 0.99*float64(all-cut) {
		t.Errorf("%d of %d samples have the right callers", right, all-cut)
	}
	for _, problem := range p.Problems {
		if strings.Contains(problem, "Java") {
			t.Error(problem)
		}
	}
}
