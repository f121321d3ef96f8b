package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestObserversComeAndGo: what is measured of a program changes while it runs by observers that
// start and end. Each says the same of it, and neither the program nor another observer stops for
// one: e-Surgeon's module manager is the process table.
func TestObserversComeAndGo(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	dir := t.TempDir()
	first := command(t, "run", "--shadow", "--quiet", "--threads", "--report", "all.json", "--",
		"sh", "-c", "echo $$ >pid; while [ -e pid ]; do :; done")
	first.Dir = dir
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = first.Process.Kill(), first.Wait() }()
	pid := ""
	for deadline := time.Now().Add(time.Minute); pid == "" && time.Now().Before(deadline); {
		text, _ := os.ReadFile(filepath.Join(dir, "pid")) // not there yet
		pid = strings.TrimSpace(string(text))
		time.Sleep(10 * time.Millisecond)
	}
	ran := func() int64 {
		t.Helper()
		text, err := os.ReadFile("/proc/" + pid + "/schedstat")
		if err != nil {
			t.Fatal(err)
		}
		ns, err := strconv.ParseInt(strings.Fields(string(text))[0], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return ns
	}
	before := ran()
	second := command(t, "energy", "--pid", pid, "--for", "3s", "--json")
	var said strings.Builder
	second.Stdout = &said
	if err := second.Start(); err != nil {
		t.Fatal(err)
	}
	report := filepath.Join(dir, "part.json")
	third := ebb(t, "run", "--shadow", "--quiet", "--methods", "--network", "--pid", pid,
		"--duration", "1s", "--report", report)
	if third.code != 0 {
		t.Fatalf("a third observer: status %d, %s", third.code, third.stderr)
	}
	var part struct {
		Attribution struct {
			Threads []struct {
				RunNS int64 `json:"run_ns"`
			} `json:"threads"`
			Stacks []json.RawMessage `json:"stacks"`
		} `json:"attribution"`
	}
	readJSON(t, report, &part)
	if len(part.Attribution.Threads) != 1 || len(part.Attribution.Stacks) == 0 {
		t.Errorf("the third observer saw %+v", part)
	}
	if err := second.Wait(); err != nil {
		t.Fatal(err)
	}
	upTo := ran() - before
	var u struct {
		WallNS  int64 `json:"wall_ns"`
		Process struct {
			CPUNS int64 `json:"cpu_ns"`
		} `json:"process"`
	}
	if err := json.Unmarshal([]byte(said.String()), &u); err != nil {
		t.Fatal(err)
	}
	// The kernel's own account covers the observer's start and end as well.
	if c := u.Process.CPUNS; c <= 0 || c > upTo+int64(20*time.Millisecond) || c > u.WallNS {
		t.Errorf("the second observer saw %d ns, the kernel counted %d", c, upTo)
	}
	if err := os.Remove(filepath.Join(dir, "pid")); err != nil {
		t.Fatal(err)
	}
	if err := first.Wait(); err != nil {
		t.Errorf("the first observer: %v", err)
	}
	r := readReport(t, filepath.Join(dir, "all.json"))
	if all := time.Duration(r.WallNS); all < time.Duration(u.WallNS) || r.Epochs == 0 {
		t.Errorf("the first observer followed for %v: %s", all, fmt.Sprint(r.Epochs))
	}
}
