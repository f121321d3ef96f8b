package e2e

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// TestNamesOfJavaThreads: threads of a JVM have their whole names, that of main included, whatever
// the collector and however it lays out objects.
func TestNamesOfJavaThreads(t *testing.T) {
	besideOthers(t)
	needRoot(t)
	if _, err := exec.LookPath("javac"); err != nil {
		t.Skip("javac is not installed")
	}
	classes := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "javac", "-encoding", "UTF-8", "--release",
		"17", "-d", classes, "testdata/Named.java").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	machines, err := filepath.Glob("/usr/lib/jvm/*/bin/java")
	if err != nil || len(machines) == 0 {
		t.Skip("no JVM in /usr/lib/jvm: ", err)
	}
	seen := map[string]bool{}
	for _, java := range machines {
		if java, err = filepath.EvalSymlinks(java); err != nil {
			t.Fatal(err)
		}
		if seen[java] {
			continue
		}
		seen[java] = true
		for _, options := range []string{
			"-XX:+UseZGC", "-XX:+UseShenandoahGC", "-XX:-UseCompressedOops",
			"-XX:-UseCompressedOops -XX:-UseCompressedClassPointers",
			"-XX:+UseCompactObjectHeaders", "-Xmx40g",
		}[:devtest.Cases(6, 1)] {
			words := append(strings.Fields(options), "-cp", classes, "Named")
			check := append([]string{"-Xmx300m"}, strings.Fields(options)...)
			if options != "-XX:+UseZGC" && // all have that
				exec.CommandContext(t.Context(), java, append(check, "-version")...).Run() != nil {
				continue // this one has no such option
			}
			path := filepath.Join(t.TempDir(), "r.json")
			run := []string{"run", "--shadow", "--methods", "--rate", "499", "--report", path, "--",
				java, "-Xmx300m"}
			if out, err := command(t, append(run, words...)...).CombinedOutput(); err != nil {
				t.Fatalf("%s %s: %v: %s", java, options, err, out)
			}
			names := map[string]int{}
			for _, x := range attributed(t, path).Threads {
				names[x.Title()]++
			}
			for _, want := range []string{"main", "a-thread-with-a-long-name-1",
				"Straße-中-longer-than-the-kernel's"} {
				if names[want] != 1 {
					t.Errorf("%s %s: no thread is called %q: %v", java, options, want, names)
				}
			}
		}
	}
}
