package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// systemd takes the unit files as they are, with nothing to warn of: it ignores a directive that it
// does not know.
func TestUnitFiles(t *testing.T) {
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Skip("no systemd-analyze")
	}
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	verify := func(path string) string {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		out, err := exec.CommandContext(ctx, "systemd-analyze", "verify", "--man=no",
			path).CombinedOutput()
		if err != nil {
			t.Errorf("systemd-analyze verify %s: %v", filepath.Base(path), err)
		}
		return string(out)
	}
	files, err := filepath.Glob("../../tools/dist/*.service")
	if err != nil || len(files) != 4 {
		t.Fatal("the unit files are not where they were", files, err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		// It looks whether the program is there, and a template is checked as one of its instances.
		unit := strings.ReplaceAll(string(b), "/usr/local/bin/ebb", ebbPath(t))
		name := strings.Replace(filepath.Base(file), "@", "@test", 1)
		write("test.service", "[Service]\nExecStart=/bin/true\n") // that an instance governs
		if out := verify(write(name, unit)); out != "" {
			t.Errorf("%s: %s", name, out)
		}
		// The test can fail: systemd reports a misspelt directive.
		if out := verify(write("bad-"+name,
			strings.Replace(unit, "[Service]\n", "[Service]\nExecStrt=/bin/true\n",
				1))); !strings.Contains(out, "ExecStrt") {
			t.Errorf("%s with a misspelt directive: %q", name, out)
		}
	}
}

// TestRestorePath: systemd takes the path unit, and it looks for what the service wants to be
// there.
func TestRestorePath(t *testing.T) {
	path := read(t, "../../tools/dist/ebb-restore.path")
	service := read(t, "../../tools/dist/ebb-restore.service")
	for text, want := range map[string]string{path: "\nPathExists=/run/ebb/snapshot.json\n",
		service: "\nConditionPathExists=/run/ebb/snapshot.json\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Skip("no systemd-analyze")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"ebb-restore.path": path,
		"ebb-restore.service": strings.ReplaceAll(service, "/usr/local/bin/ebb", ebbPath(t))} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if out, err := exec.CommandContext(ctx, "systemd-analyze", "verify", "--man=no",
		filepath.Join(dir, "ebb-restore.path")).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v: %s", err, out)
	}
}

// exposures are the most that systemd-analyze security may say of each unit, in tenths, from 0 for
// closed to 100 for open. Before they were closed the unit for restoring had 84. What ebb@.service
// starts is the user's program, which shares its unit's restrictions, so that unit has none. Of
// ebb.service's 2 are for SETUID and SETGID, by which the process that reads what strangers send is
// nobody, and not root. Another 2 of that unit's and of ebb-unit@.service's are for openat2(2):
// TestUnitsAllowOpenat2.
var exposures = map[string]int{"ebb.service": 20, "ebb-restore.service": 10,
	"ebb-unit@.service": 29}

var exposure = regexp.MustCompile(`Overall exposure level for \S+: (\d+)\.(\d)`)

// TestUnitsAreClosed holds the units to how closed they are. Without a service manager
// systemd-analyze reads the files alone.
func TestUnitsAreClosed(t *testing.T) {
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Skip("no systemd-analyze")
	}
	for name, most := range exposures {
		text := read(t, filepath.Join("../../tools/dist", name))
		path := filepath.Join(t.TempDir(), strings.Replace(name, "@", "@test", 1))
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		out, err := exec.CommandContext(ctx, "systemd-analyze", "security", "--offline=true",
			"--no-pager", path).CombinedOutput()
		cancel()
		m := exposure.FindSubmatch(out)
		if m == nil {
			t.Fatalf("%s: %v: %s", name, err, out)
		}
		whole, _ := strconv.Atoi(string(m[1])) // digits
		tenths, _ := strconv.Atoi(string(m[2]))
		if got := 10*whole + tenths; got > most {
			t.Errorf("%s: exposure %d.%d, not above %d.%d", name, whole, tenths, most/10, most%10)
		}
	}
}

// TestUnitsAllowOpenat2: systemd's filter for RestrictSUIDSGID refuses openat2(2), since it cannot
// look at what a pointer leads to. A service read no file of tenants with it.
func TestUnitsAllowOpenat2(t *testing.T) {
	for _, name := range []string{"ebb.service", "ebb-unit@.service", "ebb@.service"} {
		if text := read(t, filepath.Join("../../tools/dist", name)); regexp.MustCompile(
			`(?m)^RestrictSUIDSGID=`).MatchString(text) {
			t.Errorf("%s refuses openat2", name)
		}
	}
}

// TestUnitsNeedNoPackage: what the units start is ebb or the shell, which every system has. The
// program kill is Debian's procps's, which a small root lacks.
func TestUnitsNeedNoPackage(t *testing.T) {
	units, err := filepath.Glob("../../tools/dist/*.service")
	if err != nil || len(units) == 0 {
		t.Fatal(units, err)
	}
	starts := regexp.MustCompile(`(?m)^Exec\w+=[-+!:@]*(\S+)`)
	for _, name := range units {
		for _, m := range starts.FindAllStringSubmatch(read(t, name), -1) {
			if m[1] != "/usr/local/bin/ebb" && m[1] != "/bin/sh" {
				t.Errorf("%s starts %s", name, m[1])
			}
		}
	}
}
