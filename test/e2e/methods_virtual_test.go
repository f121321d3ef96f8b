package e2e

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/energy/profile"
)

// TestVirtualThreads: two virtual threads that take turns on one carrier, one of which does twice
// the work of the other, have their shares, and together with the carrier's own part its whole.
func TestVirtualThreads(t *testing.T) {
	besideOthers(t)
	needRoot(t)
	machines, err := filepath.Glob("/usr/lib/jvm/*2[1-9]*/bin/javac")
	if err != nil || len(machines) == 0 {
		t.Skip("no JDK with virtual threads (21 or newer) in /usr/lib/jvm: ", err)
	}
	seen := map[string]bool{}
	for _, javac := range machines {
		if javac, err = filepath.EvalSymlinks(javac); err != nil || seen[javac] {
			continue
		}
		seen[javac] = true
		java, classes := strings.TrimSuffix(javac, "c"), t.TempDir()
		run(t, javac, "-d", classes, "testdata/Virtual.java")
		for _, collector := range []string{"-XX:+UseSerialGC", "-XX:+UseG1GC", "-XX:+UseParallelGC",
			"-XX:+UseZGC"}[:devtest.Cases(4, 1)] {
			t.Run(java+" "+collector, func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "r.json")
				if out, err := command(t, "run", "--shadow", "--methods", "--rate", "499",
					"--report", path, "--", java, collector, "-Xmx300m",
					"-Djdk.virtualThreadScheduler.parallelism=1",
					"-Djdk.virtualThreadScheduler.maxPoolSize=1", "-cp", classes, "Virtual",
					"4").CombinedOutput(); err != nil {
					t.Fatalf("%v: %s", err, out)
				}
				judgeVirtual(t, profileOf(t, path), java, collector)
			})
		}
	}
}

// judgeVirtual checks the rows of testdata/Virtual.java.
func judgeVirtual(t *testing.T, p *profile.Profile, java, collector string) {
	if collector == "-XX:+UseZGC" && exec.Command(java, "-XX:+UnlockDiagnosticVMOptions",
		"-XX:-UseCompactObjectHeaders", "-version").Run() != nil {
		t.Skip("before JDK 24 references of ZGC say nothing to others")
	}
	v, err := profile.NewView(p, "thread", nil)
	if err != nil {
		t.Fatal(err)
	}
	of := map[string]float64{}
	rows := p.Rows(v, 0)
	for _, r := range rows {
		name, _, _ := strings.Cut(r.Unit, " (virtual thread ")
		of[name] += float64(r.Energy)
	}
	two, one := of["two thirds of it"], of["one third"]
	if ratio := two / one; one == 0 || ratio < 1.6 || ratio > 2.5 {
		t.Errorf("%v to %v is %v: %v", two, one, two/one, of)
	}
	var carrier, virtual int64
	for i := range p.Stacks {
		s := &p.Stacks[i]
		if strings.HasPrefix(p.Threads[s.Thread].Title(), "ForkJoinPool-1-worker") {
			carrier += s.EnergyNJ[0]
		}
		if s.Virtual > 0 {
			virtual += s.EnergyNJ[0]
		}
	}
	if all := two + one; float64(carrier) < all || all < 0.85*float64(carrier) {
		t.Errorf("the carriers used %d, virtual threads with a name %v of it", carrier, all)
	}
	if len(p.VirtualNJ) == 0 || p.VirtualNJ[0] != virtual {
		t.Errorf("virtual threads used %v, their stacks say %d", p.VirtualNJ, virtual)
	}
}
