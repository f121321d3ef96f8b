package serve

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/app/config"
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
show theirs.service %s "%s %s"
`, unit, dropIn, named, link, unit, top, unit, others, open))
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
	if said := warned.String(); strings.Count(said, "\n") != 2 || !strings.Contains(said, others) ||
		!strings.Contains(said, open) || !strings.Contains(said, "theirs.service") {
		t.Error(said)
	}
	put("u/web.service.d/ebb.conf", "[X-Ebb]\n\nSlowdown=5\n")
	if _, err := loadAll(tenants, warn); err == nil || !strings.Contains(err.Error(),
		"unit web.service: "+dropIn+": line 3: Slowdown") {
		t.Error(err)
	}
}
