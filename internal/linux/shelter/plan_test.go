package shelter

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tree makes a hierarchy of files that stands for one of cgroups: a directory for each path, with
// the attributes that a kernel makes, all of them root's.
func tree(t *testing.T, paths ...string) string {
	t.Helper()
	root := t.TempDir()
	if err := os.Chmod(root, 0o755); err != nil {
		t.Fatal(err)
	}
	all := map[string]bool{root: true}
	for _, p := range paths {
		for dir := filepath.Join(root, p); dir != root; dir = filepath.Dir(dir) {
			all[dir] = true
		}
	}
	for dir := range all {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{procs, "tasks", "cgroup.freeze", "cpu.max"} {
			if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, notifier), nil, 0o222); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(filepath.Join(dir, notifier), 0o222); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// line returns a line of mountinfo.
func line(root, point, kind, options string) string {
	return fmt.Sprintf("30 22 0:27 %s %s rw,relatime - %s %s rw,%s\n", root, point, kind, kind,
		options)
}

// delegate lets others write what is at a path: a group here, as tests cannot always change owners.
func delegate(t *testing.T, path string) {
	t.Helper()
	info, err := os.Stat(path)
	if err == nil {
		err = os.Chmod(path, info.Mode().Perm()|0o020)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestPlan: in trees of version 1, 2 and both, the process moves to the last cgroup that nobody
// else can write, whatever it is that they can write, and stays where nobody can.
func TestPlan(t *testing.T) {
	const scope = "/user.slice/user-1.slice/user@1.service/app.scope"
	for name, c := range map[string]struct {
		own       string
		delegated []string // below the root
		refuge    string   // "-": it stays
	}{
		"a unit of the system": {"/system.slice/a.service", nil, "-"},
		"a session's scope":    {"/user.slice/user-1.slice/session-2.scope", nil, "-"},
		"the first cgroup":     {"/", nil, "-"},
		"a user's scope": {scope, []string{"user.slice/user-1.slice/user@1.service",
			scope}, "/user.slice/user-1.slice"},
		"an attribute alone":  {scope, []string{scope + "/cgroup.freeze"}, filepath.Dir(scope)},
		"a limit alone":       {scope, []string{scope + "/cpu.max"}, filepath.Dir(scope)},
		"the processes alone": {scope, []string{scope + "/" + procs}, filepath.Dir(scope)},
		"an ancestor's limit": {scope, []string{"user.slice/cpu.max"}, "/"},
		"only an ancestor":    {scope, []string{"user.slice"}, "/"},
		"a neighbour":         {"/a", []string{"b"}, "-"},
	} {
		t.Run(name, func(t *testing.T) {
			root := tree(t, scope, "/system.slice/a.service", "/a", "/b",
				"/user.slice/user-1.slice/session-2.scope")
			for _, d := range c.delegated {
				delegate(t, filepath.Join(root, d))
			}
			for version, texts := range map[string][2]string{
				"v1": {"5:freezer:" + c.own + "\n1:name=systemd:/x\n3:perf_event:/x\n",
					line("/", root, "cgroup", "freezer")},
				"v2": {"0::" + c.own + "\n", line("/", root, "cgroup2", "nsdelegate")},
				"hybrid": {"4:cpu,cpuacct:/\n0::" + c.own + "\n",
					line("/other", "/elsewhere", "cgroup2", "") + line("/", root, "cgroup2", "")},
			} {
				moves, err := plan(texts[0], texts[1])
				switch {
				case err != nil:
					t.Errorf("%s: %v", version, err)
				case c.refuge == "-" && len(moves) != 0:
					t.Errorf("%s: it moves: %+v", version, moves)
				case c.refuge != "-" && (len(moves) != 1 ||
					moves[0].refuge != filepath.Join(root, c.refuge) ||
					moves[0].home != filepath.Join(root, c.own)):
					t.Errorf("%s: %+v, want to %s", version, moves, c.refuge)
				}
			}
		})
	}
}

// TestPlanRefuses: where it cannot be seen who can write, or even the first cgroup is open, there
// is an error, and not a guess.
func TestPlanRefuses(t *testing.T) {
	root := tree(t, "/a")
	open := tree(t, "/a")
	delegate(t, filepath.Join(open, procs))
	for name, c := range map[string]struct {
		cgroups, mountinfo string
		want               error
	}{
		"not mounted":          {"0::/a\n", "", errHidden},
		"a part is mounted":    {"0::/a\n", line("/a", root, "cgroup2", ""), errHidden},
		"outside what is seen": {"0::/../a\n", line("/", root, "cgroup2", ""), errHidden},
		"another version":      {"5:freezer:/a\n", line("/", root, "cgroup2", ""), errHidden},
		"the first is open":    {"0::/a\n", line("/", open, "cgroup2", ""), errOpen},
		"no such cgroup":       {"0::/b\n", line("/", root, "cgroup2", ""), os.ErrNotExist},
	} {
		if moves, err := plan(c.cgroups, c.mountinfo); !errors.Is(err, c.want) {
			t.Errorf("%s: %+v, %v, want %v", name, moves, err, c.want)
		}
	}
	for name, c := range map[string][2]string{
		"not mounted, the first": {"0::/\n5:freezer:/\n", ""},
		"holds nothing back":     {"7:devices:/a\n9:name=systemd:/a\n", ""},
		"nothing":                {"", ""},
		"no line":                {"x\n0\n:\n5:freezer:a\n", "x - y\n"},
	} {
		if moves, err := plan(c[0], c[1]); err != nil || len(moves) != 0 {
			t.Errorf("%s: %+v, %v", name, moves, err)
		}
	}
}

// TestMade: a cgroup that only has the name of Enter's is not taken for it.
func TestMade(t *testing.T) {
	root := tree(t, "/system.slice/"+name, "/user.slice/user@1.service/"+name, "/"+name+"/x")
	delegate(t, filepath.Join(root, "user.slice/user@1.service"))
	for own, want := range map[string]bool{
		"/system.slice/" + name:              true,
		"/" + name:                           true,
		"/user.slice/user@1.service/" + name: false,
		"/user.slice/user@1.service":         false,
		"/" + name + "/x":                    false,
		"/user.slice/user@2.service/" + name: false, // it is not there
	} {
		dir, top := made("0::"+own+"\n", line("/", root, "cgroup2", ""))
		if (dir == filepath.Join(root, own) && top == root) != want || (dir == "") == want {
			t.Errorf("%s: %q below %q, want %v", own, dir, top, want)
		}
	}
}

// TestContainer: a PID namespace or a cgroup namespace of its own is a container.
func TestContainer(t *testing.T) {
	for name, c := range map[string]struct {
		pid, cgroup uint64
		want        string
	}{
		"the machine's":        {firstPIDs, firstCgroups, ""},
		"both":                 {4026532000, 4026532001, "PID"},
		"a PID namespace":      {4026532000, firstCgroups, "PID"},
		"a cgroup namespace":   {firstPIDs, 4026532001, "cgroup"},
		"no cgroup namespaces": {firstPIDs, 0, ""},
	} {
		got, err := container(func(kind string) (uint64, error) {
			switch {
			case kind == "pid":
				return c.pid, nil
			case c.cgroup == 0:
				return 0, os.ErrNotExist
			}
			return c.cgroup, nil
		})
		if err != nil || (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if _, err := container(func(string) (uint64, error) {
		return 0, os.ErrPermission
	}); !errors.Is(err, os.ErrPermission) {
		t.Errorf("a namespace that cannot be read: %v", err)
	}
}

// FuzzPlan: no text of the kernel's files makes it fail, or move to a place outside a mount.
func FuzzPlan(f *testing.F) {
	f.Add("0::/a/b\n5:cpu,cpuacct:/\n", line("/", "/sys/fs/cgroup", "cgroup2", "nsdelegate"))
	f.Add("4:memory:/../x\n", line("/a", "/sys\\040fs", "cgroup", "memory"))
	f.Fuzz(func(t *testing.T, cgroups, mountinfo string) {
		for _, h := range hierarchies(cgroups) {
			if m, ok := h.mounted(nil); ok || !strings.HasPrefix(h.own, "/") {
				t.Errorf("%+v is mounted at %+v", h, m)
			}
		}
		// Only a mount that is named in the text can be one that it finds.
		dir, root := made(cgroups, mountinfo)
		if (dir == "") != (root == "") {
			t.Errorf("%q below %q", dir, root)
		}
	})
}
