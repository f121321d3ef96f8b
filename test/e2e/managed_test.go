package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestNode: with --perf-basic-prof the functions of a script have their names; without it the
// report says which switch would name them.
func TestNode(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no node")
	}
	dir := t.TempDir()
	script := filepath.Join(dir, "busy.js")
	// A second of CPU time has enough samples on any machine.
	const text = `function heavy(n){let s=0;for(let i=0;i<n;i++){s=(s*31+i)%1000003;}return s;}
let x=0;while(process.cpuUsage().user<1e6)x+=heavy(3e6);console.log(process.pid);`
	if err := os.WriteFile(script, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, flags := range [][]string{{"--perf-basic-prof"}, nil} {
		path := filepath.Join(dir, "r.json")
		argv := append(append([]string{"run", "--quiet", "--shadow", "--methods", "--report", path,
			"--", node}, flags...), script)
		cmd := command(t, argv...)
		cmd.Dir = dir // where V8 writes a log
		r := finish(t, cmd)
		if r.code != 0 {
			t.Fatalf("%+v", r)
		}
		os.Remove("/tmp/perf-" + strings.TrimSpace(r.stdout) + ".map")
		if flags == nil {
			if r = ebb(t, "report", path); !strings.Contains(r.stdout, "node --perf-basic-prof") {
				t.Errorf("no advice in\n%s", r.stdout)
			}
			continue
		}
		// It has almost all of the time.
		if share := unitRows(t, path)["heavy (busy.js:1)"].Share; share < 0.3 {
			t.Errorf("heavy has %.1f %%: %v", 100*share, unitRows(t, path))
		}
	}
}
