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

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/energy/groups"
	"github.com/ebb-energy/ebb/internal/linux/cgroup"
	"github.com/ebb-energy/ebb/internal/power/wattmeter"
)

// busyGuest runs a loop in a cgroup that libvirt would make, until the test ends.
func busyGuest(t *testing.T, number int) (name string) {
	t.Helper()
	h, err := cgroup.OpenHierarchy("")
	if err != nil {
		t.Skip(err)
	}
	defer h.Close()
	name = fmt.Sprintf("ebb-test-%d-%d", os.Getpid(), number)
	parent := filepath.Join(h.Root, "machine")
	dir := filepath.Join(parent, fmt.Sprintf("qemu-%d-%s.libvirt-qemu", number, name))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() {
		os.Remove(dir)
		os.Remove(parent) // stays where it has more
	})
	cmd := exec.Command("sh", "-c", "echo $$ > "+dir+"/cgroup.procs && while :; do :; done")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	return name
}

// watching are lines beside which the guests' files are read.
type watching struct {
	lines
	g    *guests
	seen map[string][]wattmeter.Share
	bad  error
}

func (w *watching) Write(b []byte) (int, error) {
	for name := range w.seen {
		text, err := os.ReadFile(w.g.fileOf(name))
		if errors.Is(err, os.ErrNotExist) {
			continue // it has not run yet
		}
		s, parsed := wattmeter.ParseShare(text)
		if err = errors.Join(err, parsed); err != nil {
			w.bad = err
			continue
		}
		w.seen[name] = append(w.seen[name], *s)
	}
	return w.lines.Write(b)
}

// TestGuests: two busy virtual machines each have a file, whose amounts are those of the report's
// lines; what they had in each interval adds up to what they had. The files go with the run.
func TestGuests(t *testing.T) {
	possible(t)
	root, turn := meterTree(t)
	s := settings(root)
	s.JSON, s.ShareIdle, s.Guests = true, "equal", t.TempDir()
	one, two := busyGuest(t, 1), busyGuest(t, 2)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out := &watching{lines: lines{left: 8, turn: turn, end: cancel}, g: newGuests(s.Guests),
		seen: map[string][]wattmeter.Share{one: nil, two: nil}}
	if err := Execute(ctx, s, command.Stdio{Out: out, Err: io.Discard}); err != nil {
		t.Fatal(err)
	}
	var last Report
	for line := range strings.Lines(out.String()) {
		last = Report{}
		if err := json.Unmarshal([]byte(line), &last); err != nil {
			t.Fatal(err)
		}
	}
	if out.bad != nil {
		t.Fatal(out.bad)
	}
	for name, shares := range out.seen {
		if len(shares) < 3 {
			t.Fatalf("%s: %d lines", name, len(shares))
		}
		newest, sum := shares[len(shares)-1], shares[0].EnergyNJ
		for i, x := range shares[1:] {
			if i == 0 && x.LastNJ == nil {
				// The meter stood in the first interval: what it then had may be of both.
				sum = x.EnergyNJ
				continue
			}
			if x.LastNJ == nil || x.Sequence != shares[i].Sequence+1 || x.Guest != name {
				t.Fatalf("%s: %+v behind %+v", name, x, shares[i])
			}
			sum += *x.LastNJ
		}
		if sum != newest.EnergyNJ || newest.IdleNJ > newest.EnergyNJ {
			t.Errorf("%s: %d nJ in all lines, %+v", name, sum, newest)
		}
		found := false
		for _, g := range last.Groups {
			if g.Kind == groups.VM && g.Name == name {
				found = true
				if all := g.Energy[0].EnergyNJ + *g.Energy[0].IdleNJ; all != newest.EnergyNJ {
					t.Errorf("%s: %d nJ in the report, %+v", name, all, newest)
				}
			}
		}
		if !found {
			t.Errorf("%s is not in the report", name)
		}
		if _, err := os.Stat(out.g.fileOf(name)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s still has a file: %v", name, err)
		}
	}
}

// TestGuestsFiles: whatever a guest is called, its file lies in a directory of its own below the
// one that was named, and a guest that is gone, or an interval of which nothing is known, says so.
func TestGuestsFiles(t *testing.T) {
	dir := t.TempDir()
	g := newGuests(dir)
	names := []string{"web", "web.1", "..", ".", "a/b", "../../etc", "a_2fb", "ä\n", "-x"}
	var here []groups.Use
	r := &Report{Power: "meter", Zones: []Zone{{Name: "package-0", Counted: true}}}
	for _, n := range append(names, strings.Repeat("x", mostName+1), "") {
		here = append(here, groups.Use{Group: groups.Name{Kind: groups.VM, Name: n}})
		r.Groups = append(r.Groups, Group{Kind: groups.VM, Name: n,
			Energy: []joule{{Zone: "package-0", EnergyNJ: 5}}})
	}
	here = append(here, groups.Use{Group: groups.Name{Kind: groups.Unit, Name: "unit"}})
	r.Groups = append(r.Groups, Group{Kind: groups.Unit, Name: "unit", Energy: []joule{{}}})
	for _, known := range []bool{true, true, false} {
		if problems := g.write(r, here, 1e9, known); len(problems) > 0 {
			t.Fatal(problems)
		}
		seen := map[string]bool{}
		for _, n := range names {
			text, err := os.ReadFile(g.fileOf(n))
			if err != nil {
				t.Fatal(err)
			}
			s, err := wattmeter.ParseShare(text)
			if err != nil || s.Guest != n && n != "ä\n" || s.EnergyNJ != 5 {
				t.Errorf("%q: %+v, %v", n, s, err)
			} else if has := s.LastNJ != nil; has != (known && s.Sequence > 1) {
				t.Errorf("%q, known %v: %+v", n, known, s)
			}
			seen[g.fileOf(n)] = true
		}
		if len(seen) != len(names) {
			t.Errorf("%d files for %d guests", len(seen), len(names))
		}
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != len(names) {
		t.Errorf("%v, %v", list, err)
	}
	here[0].Several = true
	for i := range 2 {
		if problems := g.write(r, here[:2], 1e9, true); len(problems) != 1-i {
			t.Errorf("two guests are called web: %v", problems)
		}
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 1 || list[0].Name() != "web.1" {
		t.Errorf("two guests are called web: %v, %v", list, err)
	}
	here[0].Several = false
	if problems := g.write(r, here[:1], 1e9, true); len(problems) > 0 {
		t.Fatal(problems)
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 1 || list[0].Name() != "web" {
		t.Errorf("of guests that are gone: %v, %v", list, err)
	}
	if err := g.end(); err != nil {
		t.Error(err)
	}
}

// TestGuestsDirectory: nobody else may be able to change what a guest reads.
func TestGuestsDirectory(t *testing.T) {
	dir := t.TempDir()
	open := filepath.Join(dir, "open")
	if err := errors.Join(os.Mkdir(open, 0o700), os.Chmod(open, 0o777),
		os.Symlink(dir, filepath.Join(dir, "link")),
		os.WriteFile(filepath.Join(dir, "file"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	for name, ok := range map[string]bool{"": true, "open": false, "link": false, "file": false,
		"none": false} {
		if err := checkGuests(filepath.Join(dir, name)); (err == nil) != ok {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// TestGuestsProblems: a guest whose file cannot be written keeps no other from its own, ends
// nothing, and is named once; what ebb did not write stays; and once it can, it is written.
func TestGuestsProblems(t *testing.T) {
	dir := t.TempDir()
	g := newGuests(dir)
	r := &Report{Power: "meter", Zones: []Zone{{Name: "package-0", Counted: true}}}
	var here []groups.Use
	for _, n := range []string{"fifo", "directory", "open", "web"} {
		here = append(here, groups.Use{Group: groups.Name{Kind: groups.VM, Name: n}})
		r.Groups = append(r.Groups, Group{Kind: groups.VM, Name: n,
			Energy: []joule{{Zone: "package-0", EnergyNJ: 5}}})
	}
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "fifo"), 0o755),
		unix.Mkfifo(g.fileOf("fifo"), 0o644),
		os.MkdirAll(g.fileOf("directory"), 0o755),
		os.Mkdir(filepath.Join(dir, "open"), 0o755),
		os.Chmod(filepath.Join(dir, "open"), 0o777)); err != nil {
		t.Fatal(err)
	}
	problems := g.write(r, here, 1e9, true)
	for i, want := range []string{`guest "fifo" has no new share`, `guest "directory"`,
		errOthersDirectory.Error()} {
		if len(problems) != 3 || !strings.Contains(problems[i].Error(), want) {
			t.Fatalf("%q, want %q", problems, want)
		}
	}
	if _, err := os.Stat(g.fileOf("web")); err != nil {
		t.Errorf("the guest beside them: %v", err)
	}
	if again := g.write(r, here, 1e9, true); len(again) > 0 {
		t.Errorf("it says again: %v", again)
	}
	if err := os.Chmod(filepath.Join(dir, "open"), 0o755); err != nil {
		t.Fatal(err)
	}
	if again := g.write(r, here, 1e9, true); len(again) > 0 {
		t.Error(again)
	}
	if _, err := os.Stat(g.fileOf("open")); err != nil {
		t.Errorf("once only root can write its directory: %v", err)
	}
	if err := g.end(); err != nil {
		t.Error(err)
	}
	for n, stays := range map[string]bool{"fifo": true, "directory": true, "open": false,
		"web": false} {
		if _, err := os.Lstat(g.fileOf(n)); (err == nil) != stays {
			t.Errorf("%s at the end: %v", n, err)
		}
	}
}

// TestNoticesWrap: a long first line and a doubt are broken where text is, and lose nothing.
func TestNoticesWrap(t *testing.T) {
	var b strings.Builder
	text := "ebb: follows the cgroups of version 1, by memory at " +
		"/sys/fs/cgroup/memory; Ctrl-C ends it; metrics at http://127.0.0.1:9101/metrics"
	paragraph(&b, text)
	for line := range strings.Lines(b.String()) {
		if len(line) > 81 {
			t.Errorf("too long: %q", line)
		}
	}
	if got := strings.Join(strings.Fields(b.String()), " "); got != text {
		t.Errorf("%q", got)
	}
}
