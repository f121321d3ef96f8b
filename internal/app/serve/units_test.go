package serve

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/app/config"
	"github.com/ebb-energy/ebb/internal/command"
)

// TestUnitsBudgets: units whose files have a section of ebb's are tenants beside those of the
// directory, and a mistake is a sentence with file and line. A file that is not root's does not
// count.
func TestUnitsBudgets(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root, to give a file to another user")
	}
	top := t.TempDir()
	tenants := filepath.Join(top, "tenants.d")
	put := func(name, text string) string {
		t.Helper()
		path := filepath.Join(top, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	put("tenants.d/a.toml", "[tenant.mine]\nunit = \"named\"\nslowdown = \"1%\"\n")
	unit := put("u/web.service", "[Service]\nExecStart=x\n")
	dropIn := put("u/web.service.d/ebb.conf", "[X-Ebb]\nSlowdown=5%\n")
	named := put("u/named.service", "[X-Ebb]\nSlowdown=9%\n")
	others := put("u/others.conf", "[X-Ebb]\nSlowdown=9%\n")
	open := put("u/open.conf", "[X-Ebb]\nSlowdown=9%\n")
	if err := os.Chown(others, testUser, 0); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(open, 0o666); err != nil {
		t.Fatal(err)
	}
	more := "" // seven files that are not root's, with those two
	for i := range 5 {
		path := put(fmt.Sprintf("u/more%d.conf", i), "")
		if err := os.Chown(path, testUser, 0); err != nil {
			t.Fatal(err)
		}
		more += " " + path
	}
	link := filepath.Join(top, "u/link.service")
	if err := os.Symlink(dropIn, link); err != nil {
		t.Fatal(err)
	}
	bin := put("bin/systemctl", fmt.Sprintf(`#!/bin/sh
show() { echo LoadState=loaded; echo Id=$1; echo FragmentPath=$2; echo DropInPaths=$3; echo; }
show web.service %s %s
show named.service %s
show link.service %s
show plain.service %s "%s/gone.conf /dev/null"
show theirs.service %s "%s %s%s"
`, unit, dropIn, named, link, unit, top, unit, others, open, more))
	if err := os.Chmod(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", filepath.Dir(bin)+":"+os.Getenv("PATH"))
	var warned strings.Builder
	warn := func(format string, args ...any) { fmt.Fprintf(&warned, format+"\n", args...) }
	set, err := loadAll(tenants, warn)
	if err != nil {
		t.Fatal(err)
	}
	want := []config.Tenant{{Name: "mine", Unit: "named", Slowdown: 0.01, Budget: true},
		{Name: "web.service", Unit: "web.service", Slowdown: 0.05, Budget: true},
		{Name: "link.service", Unit: "link.service", Slowdown: 0.05, Budget: true}}
	if fmt.Sprint(set.Tenants) != fmt.Sprint(want) {
		t.Errorf("%+v, want %+v", set.Tenants, want)
	}
	if said := warned.String(); strings.Count(said, "\n") != 1 || !strings.Contains(said, others) ||
		!strings.Contains(said, open) || !strings.Contains(said, "theirs.service") ||
		!strings.HasSuffix(said, "; 2 more\n") {
		t.Error(said)
	}
	put("u/web.service.d/ebb.conf", "[X-Ebb]\n\nSlowdown=5\n")
	if _, err := loadAll(tenants, warn); err == nil || !strings.Contains(err.Error(),
		"unit web.service: "+dropIn+": line 3: Slowdown") ||
		command.StatusOf(err) != command.Usage {
		t.Error(err)
	}
	// An answer of systemd is no mistake of the files: ebb may be started again.
	put("bin/systemctl", "#!/bin/sh\necho LoadState=loaded; echo Id=x; echo DropInPaths='\"'\n")
	if _, err := loadAll(tenants, warn); err == nil || command.StatusOf(err) == command.Usage {
		t.Error(err)
	}
}

// TestOpenUnit: files of which a part of the path is not root's, or that cannot be read, do not
// count, and nothing of them keeps the others from counting.
func TestOpenUnit(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root, to give a file to another user")
	}
	top := t.TempDir()
	in := func(name string) string { return filepath.Join(top, name) }
	for _, dir := range []string{"root", "alice", "alice/hers", "open", "shared"} {
		if err := os.Mkdir(in(dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"root/a", "alice/hers/a", "open/a", "shared/a"} {
		if err := os.WriteFile(in(name), []byte("[X-Ebb]\nSlowdown=9%\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{"root/link": "../root/./a",
		"root/far": in("root/link"), "root/loop": "loop", "root/hers": in("alice/hers/a"),
		"root/masked": "/dev/null", "root/gone": "nothing", "alice/back": in("root/a"),
		"root/back": in("alice/back")} {
		if err := os.Symlink(target, in(name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Chown(in("alice"), testUser, 0), os.Lchown(in("alice/back"), testUser,
		0), os.Chmod(in("open"), 0o777), os.Chmod(in("shared"), 0o777|os.ModeSticky)); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"root/a": "open", "root/link": "open",
		"root/far": "open", "shared/a": "open", "root/masked": "nothing", "root/gone": "nothing",
		"root/none": "nothing", "root/loop": "too many", "root/hers": "another user's",
		"root/back": "another user's", "alice/hers/a": "another user's",
		"open/a": "may be written by others"} {
		f, err := openUnit(in(name))
		if f != nil {
			f.Close()
		}
		switch {
		case want == "open" && (f == nil || err != nil),
			want == "nothing" && (f != nil || err != nil):
			t.Errorf("%s: %v, %v; want %s", name, f, err, want)
		case want != "open" && want != "nothing" && (f != nil || err == nil ||
			!strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, %v; want %q", name, f, err, want)
		}
	}
}
