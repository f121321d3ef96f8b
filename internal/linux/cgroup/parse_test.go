package cgroup

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestTopOf(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "0::/\n": "", "0::/a.slice\n": "a.slice", "0::/a b/c/d\n": "a b",
		"5:cpu:/x\n0::/y/z\n": "y", "5:cpu:/x\n": "", "0::/../a\n": "",
		"0::/a (deleted)\n": "a (deleted)",
	} {
		if got := topOf(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestMountOf(t *testing.T) {
	const v1 = "30 25 0:26 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu\n"
	for name, c := range map[string]struct{ text, want string }{
		"none": {v1, ""},
		"unified": {
			"29 23 0:25 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n",
			"/sys/fs/cgroup",
		},
		"hybrid": {v1 +
			"31 25 0:27 / /sys/fs/cgroup/unified rw - cgroup2 cgroup rw\n",
			"/sys/fs/cgroup/unified"},
		"no optional fields": {"29 23 0:25 / /cg rw - cgroup2 none rw", "/cg"},
		"the whole first": {
			"1 2 0:3 /a /part rw - cgroup2 x rw\n4 2 0:3 / /whole rw - cgroup2 x rw\n",
			"/whole",
		},
		"a part, if all": {"1 2 0:3 /../a /part rw - cgroup2 x rw\n", "/part"},
		"white space": {`1 2 0:3 / /my\040dir\011\134 rw - cgroup2 x rw` + "\n",
			"/my dir\t\\"},
		"another type":         {"1 2 0:3 / /cgroup2 rw - ext4 cgroup2 rw\n", ""},
		"cut":                  {"1 2 0:3 / /x - cgroup2", ""},
		"nothing":              {"", ""},
		"type that begins so":  {"1 2 0:3 / /x rw - cgroup2fs x rw\n", ""},
		"a malformed escape":   {`1 2 0:3 / /x\9zz rw - cgroup2 x rw` + "\n", `/x\9zz`},
		"an escape at the end": {`1 2 0:3 / /x\04 rw - cgroup2 x rw` + "\n", `/x\04`},
	} {
		if got := mountOf(c.text); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func FuzzMountOf(f *testing.F) {
	f.Add(`1 2 0:3 / /my\040dir rw - cgroup2 x rw`)
	f.Add("1 2 0:3 /a /b rw,x shared:1 master:2 - cgroup2 none rw\n\n- - -")
	f.Fuzz(func(t *testing.T, text string) {
		if got := mountOf(text); got != "" && !strings.Contains(text, " - cgroup2 ") {
			t.Errorf("%q is found in %q", got, text)
		}
	})
}

func TestPopulated(t *testing.T) {
	for text, want := range map[string]bool{"populated 1\nfrozen 0\n": true,
		"populated 0\nfrozen 0\n": false, "frozen 1\npopulated 1": true} {
		if got, err := populated(text); err != nil || got != want {
			t.Errorf("%q: %t, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "populated 2", "frozen 0\n", "populated"} {
		if _, err := populated(text); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
}

func TestParseState(t *testing.T) {
	got, err := parseState(
		"LoadState=loaded\nActiveState=active\nControlGroup=/system.slice/a=b.service\n" +
			"Slice=system.slice\n",
	)
	if want := (state{"loaded", "active", "/system.slice/a=b.service",
		"system.slice"}); err != nil || got != want {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
	if _, err := parseState("Running in chroot, ignoring request.\n"); err == nil {
		t.Error("no error for an output without a state")
	}
}

func TestUnitName(t *testing.T) {
	for name, want := range map[string]string{
		"nginx": "nginx.service", "nginx.service": "nginx.service",
		"user@1000":           "user@1000.service",
		"user.slice":          "user.slice",
		`dev-disk\x2did.swap`: `dev-disk\x2did.swap`, "session-3.scope": "session-3.scope", "a.b": "a.b.service",
	} {
		if got, err := unitName(name); err != nil || got != want {
			t.Errorf("%q: %q, %v, want %q", name, got, err, want)
		}
	}
	for _, name := range []string{"", "a/b", "../x", "-x", "*", "a b", "a\nb", "..", ".",
		strings.Repeat("a", 256), "\x00"} {
		if got, err := unitName(name); !errors.Is(err, ErrNoUnit) {
			t.Errorf("%q: %q, %v, want ErrNoUnit", name, got, err)
		}
	}
}

func TestFind(t *testing.T) {
	root := t.TempDir()
	for _, dir := range []string{
		"system.slice/a.service", "system.slice/_memory.service",
		"user.slice/user-1.slice/user@1.service/app.slice/b.service",
		"user.slice/user-2.slice/user@2.service/app.slice/b.service", "system.slice/xa.service",
	} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "c.service"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]string{
		"a.service": {"system.slice/a.service"}, "memory.service": {"system.slice/_memory.service"},
		"c.service":      nil,
		"user@1.service": {"user.slice/user-1.slice/user@1.service"},
		"b.service": {"user.slice/user-1.slice/user@1.service/app.slice/b.service",
			"user.slice/user-2.slice/user@2.service/app.slice/b.service"},
	} {
		got := find(root, name)
		for i := range got {
			got[i], _ = filepath.Rel(root, got[i])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
