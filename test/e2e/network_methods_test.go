package e2e

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/energy/profile"
)

// methodsThatMoved runs a program that prints what each of its methods moved over loopback, and
// returns what it says, what the report has by method, and what it has of threads.
func methodsThatMoved(
	t *testing.T, argv ...string,
) (said, reported map[string]uint64, threads uint64) {
	t.Helper()
	dir := t.TempDir()
	out, conf := filepath.Join(dir, "r.json"), filepath.Join(dir, "ebb.toml")
	if err := os.WriteFile(conf, []byte("[network]\ncard_power = \"1.1W\"\nlink_mbps = 1000\n"),
		0o644); err != nil {
		t.Fatal(err)
	}
	res := ebb(t, append([]string{"run", "--quiet", "--network", "--methods", "--config", conf,
		"--report", out, "--"}, argv...)...)
	if res.code != 0 {
		t.Fatalf("status %d: %s", res.code, res.stderr)
	}
	said, reported = map[string]uint64{}, map[string]uint64{}
	for line := range strings.Lines(res.stdout) {
		var name string
		var n uint64
		if _, err := fmt.Sscan(line, &name, &n); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		said[name] = n
	}
	var r struct {
		Network     struct{ Processes []struct{ profile.Traffic } }
		Attribution *profile.Profile
	}
	readJSON(t, out, &r)
	v, err := profile.NewView(r.Attribution, "method", nil)
	if err != nil || r.Attribution.Check() != nil {
		t.Fatal(err, r.Attribution.Check())
	}
	for _, row := range profile.Movers(r.Attribution.Rows(v, 0)) {
		if row.Network.Sent+row.Network.Received != 0 || row.Network.EnergyNJ != 0 {
			t.Errorf("%s: %+v of a card, all was over loopback", row.Unit, row.Network)
		}
		reported[row.Unit] = row.Network.All()
	}
	for _, p := range r.Network.Processes {
		threads += p.All()
	}
	res = ebb(t, "report", "--by", "network", out)
	for name := range said {
		if !strings.Contains(res.stdout, "\n"+name+" ") {
			t.Errorf("--by network does not list %s:\n%s", name, res.stdout)
		}
	}
	return said, reported, threads
}

// needProgram skips a test on a machine without a program.
func needProgram(t *testing.T, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skip(err)
	}
}

// TestNetworkByMethod: two functions of a program send 3 bytes to 1, a third receives; ebb reports
// each to the byte, although the C library's functions that they call keep no frame pointers, and
// the program itself keeps some or none.
func TestNetworkByMethod(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	needProgram(t, "gcc")
	for _, flag := range []string{"-fno-omit-frame-pointer", "-fomit-frame-pointer"} {
		t.Run(flag, func(t *testing.T) {
			program := filepath.Join(t.TempDir(), "senders")
			if b, err := exec.Command("gcc", "-O2", flag, "-pthread", "-o", program,
				"testdata/senders/senders.c").CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, b)
			}
			said, reported, threads := methodsThatMoved(t, program)
			for name, want := range said {
				if reported[name] != want {
					t.Errorf("%s moved %d bytes, the report has %d", name, want, reported[name])
				}
				threads -= want
			}
			if len(said) != 3 || threads != 0 {
				t.Errorf("the program reported %v; its threads moved %d other bytes", said,
					int64(threads))
			}
		})
	}
}

// TestNetworkByJavaMethod: the same for Java, with streams and channels. Bytes moved before the
// methods were compiled belong to no method, but are not lost.
func TestNetworkByJavaMethod(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	needProgram(t, "javac")
	classes := t.TempDir()
	if b, err := exec.Command("javac", "-d", classes,
		"testdata/senders/Senders.java").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, b)
	}
	said, reported, threads := methodsThatMoved(t, "java", "-XX:+UseSerialGC", "-cp", classes,
		"Senders")
	for name, want := range said {
		if reported[name] > want || float64(reported[name]) < 0.6*float64(want) {
			t.Errorf("%s moved %d bytes, the report has %d", name, want, reported[name])
		}
	}
	much, little := float64(reported["Senders.much"]), float64(reported["Senders.little"])
	if share := much / (much + little); math.Abs(share-0.75) > 0.03 {
		t.Errorf("one method has %.1f %% of what the two sent, not 75 %%", 100*share)
	}
	for _, n := range reported {
		threads -= n
	}
	if len(said) != 3 || threads != 0 {
		t.Errorf(
			"the program reported %v; its threads moved %d bytes that neither a method has nor "+
				"the row for unknown ones", said, int64(threads),
		)
	}
}
