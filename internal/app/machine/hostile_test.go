package machine

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/linux/cgroup"
)

// TestHostileCgroups: on real cgroups of version 2, whose names are a path beyond 4 KB, escape
// sequences, line feeds, quotes, no UTF-8 and those of ebb's own rows, and beside 1,000 cgroups a
// second that are made, entered and removed, all parts are what the meter counted after each
// window, and every name is text.
func TestHostileCgroups(t *testing.T) {
	possible(t)
	h, err := cgroup.OpenHierarchy(cgroup.Version2)
	if err != nil {
		t.Skip(err)
	}
	h.Close()
	top := filepath.Join(h.Root, fmt.Sprintf("ebb-hostile-%d", os.Getpid()))
	if err := os.Mkdir(top, 0o755); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() {
		out, err := exec.Command("find", top, "-depth", "-type", "d", "-delete").CombinedOutput()
		if err != nil {
			t.Errorf("%v: %s", err, out)
		}
	})
	long := strings.Repeat("x", 240)
	names := []string{"ended", "other", "\x1b[2J\x1b]0;owned\a", "a\nb", `q"}\ 1`, "\xff\xfe",
		"\u202eevil\u202c", "é", "a.service", "job_1", " (deleted)", "-", long}
	for _, name := range names {
		busyIn(t, top, name)
	}
	// The kernel's calls take 4 KB; a shell goes down by steps.
	deep := exec.Command("sh", "-c", `cd "$0" && for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 `+
		`17 18 19 20; do mkdir "$1" && cd -P "$1" || exit 1; done; echo $$ >cgroup.procs; `+
		`while :; do :; done`, top, long)
	running(t, deep)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	churned := make(chan int, 1)
	go func() { churned <- churn(ctx, t, top) }()
	root, turn := meterTree(t)
	s := settings(root)
	s.JSON, s.Hierarchy = true, cgroup.Version2
	s.Textfile = filepath.Join(t.TempDir(), "ebb.prom")
	out := &lines{left: 30, turn: turn, end: cancel}
	begin := time.Now()
	if err := Execute(ctx, s, command.Stdio{Out: out, Err: io.Discard}); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d cgroups made and removed in %v", <-churned, time.Since(begin))
	var last Report
	for line := range strings.Lines(out.String()) {
		last = Report{}
		if err := json.Unmarshal([]byte(line), &last); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		z, sum := last.Zones[0], int64(0)
		for _, g := range last.Groups {
			sum += g.Energy[0].EnergyNJ
		}
		if sum != z.AttributedNJ ||
			sum+z.OthersNJ+z.IdleNJ+z.UnattributedNJ != z.MeasuredNJ {
			t.Errorf("%d nJ of groups: %+v", sum, z)
		}
	}
	text, err := os.ReadFile(s.Textfile)
	if err != nil {
		t.Fatal(err)
	}
	series := 0
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "ebb_group_energy_joules_total{") {
			series++
		}
		if strings.ContainsFunc(strings.TrimSuffix(line, "\n"), unicode.IsControl) {
			t.Errorf("control characters: %q", line)
		}
	}
	if series < len(names)+1 {
		t.Errorf("%d series, and %d names are busy", series, len(names)+1)
	}
	if r := last.Refused; r > 0 {
		t.Errorf("%d stretches found no entry", r)
	}
}

// running starts a command that the test's end kills.
func running(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
	})
}

// busyIn makes a cgroup in which a program works now and then.
func busyIn(t *testing.T, top, name string) {
	t.Helper()
	dir := filepath.Join(top, strings.ReplaceAll(name, "/", "_"))
	err := os.Mkdir(dir, 0o755)
	if name == "a\nb" && err != nil {
		return // cgroups have no line feeds in their names
	}
	if err != nil {
		t.Fatalf("%q: %v", name, err)
	}
	running(t, exec.Command("sh", "-c", `echo $$ >"$0/cgroup.procs"; while :; do i=0; `+
		`while [ $i -lt 2000 ]; do i=$((i+1)); done; sleep 0.02; done`, dir))
}

// churn makes cgroups, has a program work in some, and removes them. It returns their number.
func churn(ctx context.Context, t *testing.T, top string) (n int) {
	for tick := time.Tick(time.Millisecond); ; n++ {
		select {
		case <-ctx.Done():
			return n
		case <-tick:
		}
		dir := filepath.Join(top, fmt.Sprint("churn", n))
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Error(err)
			return n
		}
		if n%10 == 0 { // to start a program takes longer than most cgroups live
			one := exec.Command("sh", "-c", `echo $$ >"$0/cgroup.procs"`, dir)
			_ = one.Run() // the removal says whether it has ended
		}
		for os.Remove(dir) != nil && ctx.Err() == nil {
			time.Sleep(100 * time.Microsecond)
		}
	}
}
