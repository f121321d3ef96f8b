package machine

import (
	"context"
	"encoding/json"
	"errors"
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
	"github.com/ebb-energy/ebb/internal/devtest"
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
		var out []byte
		err := errors.New("not removed")
		for end := time.Now().Add(devtest.Hung); err != nil && time.Now().Before(end); {
			// A killed shell's children are still there for a moment.
			out, err = exec.Command("find", top, "-depth", "-type", "d", "-delete").CombinedOutput()
		}
		if err != nil {
			t.Errorf("%v: %s", err, out)
		}
	})
	long := strings.Repeat("x", 240)
	names := []string{"ended", "other", "\x1b[2J\x1b]0;owned\a", "a\nb", `q"}\ 1`, "\xff\xfe",
		"\u202eevil\u202c", "é", "a.service", "job_1", " (deleted)", "-", long}
	busy := 1
	for _, name := range names {
		if busyIn(t, top, name) {
			busy++
		}
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
	if series < busy {
		t.Errorf("%d series, and %d names are busy", series, busy)
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

// busyIn makes a cgroup in which a program works now and then. It is false where the kernel refuses
// the name: no cgroup has a line feed in it.
func busyIn(t *testing.T, top, name string) bool {
	t.Helper()
	dir := filepath.Join(top, name)
	err := os.Mkdir(dir, 0o755)
	if strings.Contains(name, "\n") && err != nil {
		return false
	}
	if err != nil {
		t.Fatalf("%q: %v", name, err)
	}
	running(t, exec.Command("sh", "-c", `echo $$ >"$0/cgroup.procs"; while :; do i=0; `+
		`while [ $i -lt 2000 ]; do i=$((i+1)); done; sleep 0.02; done`, dir))
	return true
}

// churn moves a program that works through cgroups that it makes, and removes each behind it. It
// returns their number.
func churn(ctx context.Context, t *testing.T, top string) (n int) {
	works := exec.CommandContext(ctx, "sh", "-c", "while :; do :; done")
	if err := works.Start(); err != nil {
		t.Error(err)
		return 0
	}
	last := ""
	defer func() {
		_ = works.Wait() // the context's end killed it
		_ = os.Remove(last)
	}()
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
		if os.WriteFile(filepath.Join(dir, "cgroup.procs"),
			fmt.Appendln(nil, works.Process.Pid), 0o644) == nil && last != "" {
			_ = os.Remove(last) // else the test's end does it
		}
		last = dir
	}
}
