package shelter

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/linux/cgroup"
)

// movingEnv makes the test binary a process that seeks shelter, and prints where it and what it
// starts are.
const movingEnv = "EBB_TEST_SHELTER"

func TestMain(m *testing.M) {
	serveAsked()
	if os.Getenv(movingEnv) != "" {
		if err := seek(); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// seek prints this process's cgroups in the shelter, those of a process that it starts, and its own
// when it has gone home.
func seek() error {
	for range 2 { // a second time nothing moves
		if err := Enter(); err != nil {
			return err
		}
	}
	if err := show("/proc/self/cgroup"); err != nil {
		return err
	}
	fmt.Print("started\n")
	cmd := exec.Command("cat", "/proc/self/cgroup")
	cmd.Stdout = os.Stdout
	if err := cmd.Run(); err != nil {
		return err
	}
	fmt.Print("home\n")
	for _, dir := range homes() {
		if err := join(dir); err != nil {
			return err
		}
	}
	if err := show("/proc/self/cgroup"); err != nil {
		return err
	}
	err := Enter()
	Leave()
	return err
}

func show(path string) error {
	text, err := os.ReadFile(path)
	fmt.Print(string(text))
	return err
}

// seeks runs such a process that begins in a cgroup, and returns the three lists.
func seeks(t *testing.T, procs string) [3][]string {
	t.Helper()
	cmd := exec.Command("sh", "-c", `echo $$ >"$0" && exec /proc/self/fd/3`, procs)
	self, err := os.Open("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	defer self.Close()
	cmd.ExtraFiles = []*os.File{self}
	cmd.Env = append(os.Environ(), movingEnv+"=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	in, rest, _ := strings.Cut(string(out), "started\n")
	started, home, ok := strings.Cut(rest, "home\n")
	if !ok {
		t.Fatalf("it says %s", out)
	}
	return [3][]string{strings.Fields(in), strings.Fields(started), strings.Fields(home)}
}

// of returns the cgroup in a list, by the beginning of its line.
func of(lines []string, begin string) string {
	i := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, begin) })
	if i < 0 {
		return ""
	}
	return lines[i][strings.Index(lines[i], ":/")+1:]
}

// give lets another user write a cgroup as systemd delegates one.
func give(t *testing.T, dir string) {
	t.Helper()
	for _, path := range []string{dir, filepath.Join(dir, procs)} {
		if err := os.Chown(path, 65534, 65534); err != nil {
			t.Skip("needs root: ", err)
		}
	}
}

// TestEnter2: out of a user's cgroup of version 2 below one of root's, the process goes into that
// one, or beside the user's if that one has cgroups only. The processes that it starts are there
// too. From there it can go home.
func TestEnter2(t *testing.T) {
	t.Run("into it", func(t *testing.T) { enter2(t, false) })
	t.Run("beside the user's", func(t *testing.T) { enter2(t, true) })
}

func enter2(t *testing.T, only bool) {
	controller := ""
	if only { // taken back at the end, when the cgroups below are gone
		controller = givenOn(t)
	}
	upper := devtest.Cgroup(t)
	users := devtest.ChildCgroup(t, upper, "user@1.service")
	scope := devtest.ChildCgroup(t, users, "app.scope")
	give(t, users)
	give(t, scope)
	want := "/" + filepath.Base(upper)
	if only {
		// With a controller that the first cgroup gives on, the kernel refuses processes.
		if err := os.WriteFile(filepath.Join(upper, subtree), []byte("+"+controller),
			0); err != nil {
			t.Fatal(err)
		}
		want += "/" + name
	}
	got := seeks(t, filepath.Join(scope, procs))
	home := "/" + filepath.Base(upper) + "/user@1.service/app.scope"
	if in, next, back := of(got[0], "0::"), of(got[1], "0::"), of(got[2], "0::"); in != want ||
		next != want || back != home {
		t.Errorf("it is in %s, starts one in %s, want %s; home is %s, want %s", in, next, want,
			back, home)
	}
	if _, err := os.Stat(filepath.Join(upper, name)); err == nil {
		t.Errorf("%s is left", name)
	}
}

// subtree lists the controllers that a cgroup gives on.
const subtree = "cgroup.subtree_control"

// givenOn returns a controller that the first cgroup gives on to those below it. Where it gives on
// none, it does so for the test.
func givenOn(t *testing.T) string {
	t.Helper()
	dir, err := cgroup.Root()
	if err != nil {
		t.Skip(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, subtree))
	if err != nil {
		t.Fatal(err)
	}
	if given := strings.Fields(string(text)); len(given) > 0 {
		return given[0]
	}
	text, err = os.ReadFile(filepath.Join(dir, "cgroup.controllers"))
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Fields(string(text))
	if len(all) == 0 {
		t.Skip("the first cgroup has no controller")
	}
	give := func(sign string) error {
		return os.WriteFile(filepath.Join(dir, subtree), []byte(sign+all[0]), 0)
	}
	if err := give("+"); err != nil {
		t.Skipf("the first cgroup does not give on %s: %v", all[0], err)
	}
	t.Cleanup(func() {
		if err := give("-"); err != nil {
			t.Error(err)
		}
	})
	return all[0]
}

// TestEnter1: the same with a freezer of version 1, where a process begins in its thread's cgroup.
func TestEnter1(t *testing.T) {
	const root = "/sys/fs/cgroup/freezer"
	upper, err := os.MkdirTemp(root, "ebb-test-")
	if err != nil {
		t.Skip("no freezer of version 1: ", err)
	}
	users := filepath.Join(upper, "user")
	t.Cleanup(func() {
		for _, dir := range []string{users, upper} {
			if err := syscall.Rmdir(dir); err != nil {
				t.Error(err)
			}
		}
	})
	if err := os.Chmod(upper, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(users, 0o755); err != nil {
		t.Fatal(err)
	}
	give(t, users)
	want := "/" + filepath.Base(upper)
	got := seeks(t, filepath.Join(users, procs))
	if in, next, back := of(got[0], ":freezer:"), of(got[1], ":freezer:"),
		of(got[2], ":freezer:"); in != want || next != want || back != want+"/user" {
		t.Errorf("it is in %s; starts one in %s; home is %s", in, next, back)
	}
}

// TestNothingMoves: where only root can write, a process stays where it is, so what the system does
// with its cgroup reaches it.
func TestNothingMoves(t *testing.T) {
	dir := devtest.ChildCgroup(t, devtest.Cgroup(t), "a.service")
	got := seeks(t, filepath.Join(dir, procs))
	for _, lines := range got {
		if in := of(lines, "0::"); !strings.HasSuffix(in, "/a.service") {
			t.Errorf("it is in %s", in)
		}
	}
}
