package e2e

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/energy/profile"
)

// TestInlinedMethods: methods that the compiler inlined into another have their own energy, and a
// thread has its whole name.
func TestInlinedMethods(t *testing.T) {
	besideOthers(t)
	needRoot(t)
	if _, err := exec.LookPath("javac"); err != nil {
		t.Skip("javac is not installed")
	}
	classes := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "javac", "-d", classes,
		"../../internal/stacks/unwind/testdata/Inlined.java").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	path := filepath.Join(t.TempDir(), "r.json")
	if out, err := command(t, "run", "--shadow", "--methods", "--report", path, "--", "java",
		"-cp", classes, "Inlined", "150").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	p := attributed(t, path)
	if !slices.ContainsFunc(p.Threads, func(x profile.Thread) bool {
		return x.Comm == "a-thread-with-a" && x.Name == "a-thread-with-a-long-name"
	}) {
		t.Errorf("no thread has the name that the program gave it: %v", p.Threads)
	}
	all, own := 0, 0
	for _, s := range p.Stacks {
		runs := false
		for _, i := range s.Frames {
			runs = runs || p.Frames[i].Name == "Inlined.run"
		}
		if !runs {
			continue
		}
		all += s.Samples
		if name := p.Frames[s.Frames[0]].Name; name != "Inlined.run" &&
			strings.HasPrefix(name, "Inlined") {
			own += s.Samples
		}
	}
	if all < 20 || own < all*7/10 {
		t.Errorf("%d of %d samples are of methods that Inlined.run calls", own, all)
	}
}
