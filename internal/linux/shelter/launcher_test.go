package shelter

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/linux/cgroup"
	"github.com/ebb-energy/ebb/internal/linux/proc"
)

// sheltered makes the test binary seek shelter and start a program from there, for so long.
const sheltered = "EBB_TEST_LAUNCH"

// serveAsked serves as a launcher, or starts a program through one, if this process is to.
func serveAsked() {
	if LauncherAsked(os.Args) {
		os.Exit(ServeLauncher(os.Args))
	}
	if patience := os.Getenv(sheltered); patience != "" {
		wait, err := time.ParseDuration(patience)
		err = errors.Join(err, proc.SealInherited())
		if err == nil {
			err = run(wait, os.Args[1:])
		}
		fmt.Println("end:", err)
		os.Exit(0)
	}
}

// run starts argv as nobody from a shelter, and says how it ended or why it has not begun. With a
// line on its input it goes on from the shelter.
func run(wait time.Duration, argv []string) error {
	if err := Enter(); err != nil {
		return err
	}
	if !LauncherNeeded() {
		return errors.New("nothing has moved")
	}
	fmt.Println("sheltered")
	if _, err := fmt.Scanln(new(string)); err != nil {
		return err
	}
	attr := &os.ProcAttr{Files: []*os.File{nil, os.Stdout, os.Stderr},
		Env: []string{"GIVEN=1", "ODD=\xff", "PATH=/usr/bin:/bin"},
		Sys: &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}}
	p, launch, err := StartOutside(argv[0], argv, attr)
	if err != nil {
		return fmt.Errorf("start: %w", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	before, err := launch.Wait(ctx)
	var at *fs.PathError
	switch {
	case errors.As(err, &at):
		return fmt.Errorf("no program: %w", at.Err)
	case err != nil:
		return err
	case before <= 0 || before > time.Minute:
		return fmt.Errorf("it has used %v before", before)
	}
	state, err := p.Wait()
	Leave()
	return errors.Join(err, errors.New(state.String()))
}

// launching is a test binary in a shelter that is about to start a program.
type launching struct {
	t    *testing.T
	home string // the directory of the cgroup that it was started in
	out  string // the file of its output
	cmd  *exec.Cmd
	in   io.Writer
}

// delegated makes a cgroup of nobody's below one of root's.
func delegated(t *testing.T, root string) (home string) {
	t.Helper()
	upper, err := os.MkdirTemp(root, "ebb-test-")
	if err != nil {
		t.Skip("needs to make cgroups: ", err)
	}
	home = filepath.Join(upper, "user")
	t.Cleanup(func() {
		for _, dir := range []string{home, upper} {
			remove(t, dir)
		}
	})
	must(t, os.Chmod(upper, 0o755))
	must(t, os.Mkdir(home, 0o755))
	for _, path := range []string{home, filepath.Join(home, "cgroup.procs")} {
		if err := os.Chown(path, 65534, 65534); err != nil {
			t.Skip("needs root: ", err)
		}
	}
	return home
}

// launch makes the binary begin in such a cgroup, and seek shelter.
func launch(t *testing.T, root string, wait time.Duration, argv ...string) *launching {
	t.Helper()
	return launchIn(t, []string{delegated(t, root)}, wait, argv...)
}

// launchIn does what launch does, in a cgroup of each of several hierarchies.
func launchIn(t *testing.T, homes []string, wait time.Duration, argv ...string) *launching {
	t.Helper()
	l := &launching{t: t, home: homes[0], out: filepath.Join(t.TempDir(), "out")}
	self, err := os.Executable()
	must(t, err)
	enter := ""
	for _, dir := range homes {
		enter += "echo $$ >'" + filepath.Join(dir, "cgroup.procs") + "' && "
	}
	l.cmd = exec.Command("sh", append([]string{"-c", enter + `exec "$0" "$@"`, self}, argv...)...)
	l.cmd.Env = append(os.Environ(), sheltered+"="+wait.String())
	out, err := os.Create(l.out)
	must(t, err)
	defer out.Close()
	l.cmd.Stdout, l.cmd.Stderr = out, out
	l.in, err = l.cmd.StdinPipe()
	must(t, err)
	must(t, l.cmd.Start())
	t.Cleanup(func() { _ = l.cmd.Process.Kill() }) // it has ended in most cases
	for !strings.Contains(l.said(), "sheltered\n") {
		if proc.IsOver(l.cmd.Process.Pid) {
			t.Fatalf("%v: it says %s", l.cmd.Wait(), l.said())
		}
		time.Sleep(5 * time.Millisecond)
	}
	return l
}

func (l *launching) said() string {
	b, err := os.ReadFile(l.out)
	must(l.t, err)
	return string(b)
}

// goes makes it start the program, and returns the program's output and how it ended.
func (l *launching) goes() (wrote, end string) {
	l.t.Helper()
	_, err := fmt.Fprintln(l.in, "go")
	must(l.t, err)
	must(l.t, l.cmd.Wait())
	_, wrote, _ = strings.Cut(l.said(), "sheltered\n")
	wrote, end, _ = strings.Cut(wrote, "end: ")
	return wrote, strings.TrimSpace(end)
}

// set writes an attribute of the cgroup, which may be gone.
func (l *launching) set(file, value string) error {
	return os.WriteFile(filepath.Join(l.home, file), []byte(value), 0)
}

// remove removes a cgroup when those in it have ended.
func remove(t *testing.T, dir string) {
	var err error
	for end := time.Now().Add(devtest.Hung); time.Now().Before(end); {
		if err = syscall.Rmdir(dir); err == nil || errors.Is(err, os.ErrNotExist) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("remove %s: %v", dir, err)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// freezable returns the hierarchies in which a process can be frozen: where each is mounted, and
// how its line in /proc/PID/cgroup goes on after the number.
func freezable(t *testing.T) map[string]freezer {
	all := map[string]freezer{"version 1": {"/sys/fs/cgroup/freezer", ":freezer:",
		"freezer.state", "FROZEN", "THAWED"}}
	if root, err := cgroup.Root(); err == nil {
		all["version 2"] = freezer{root, "0::", "cgroup.freeze", "1", "0"}
	}
	return all
}

type freezer struct{ root, line, file, freeze, thaw string }

const long = time.Minute // a bound that is not reached

// TestBegins: the program runs in the cgroup that its starter has left, with all that it starts at
// once, as its user and with its environment.
func TestBegins(t *testing.T) {
	for name, h := range freezable(t) {
		t.Run(name, func(t *testing.T) {
			l := launch(t, h.root, long, "/bin/sh", "-c", "cat /proc/self/cgroup & "+
				"cat /proc/self/cgroup; wait; id -u; id -G; "+
				"printf '%s' \"$GIVEN$ODD$GOGC\"; exit 7")
			home := "/" + filepath.Base(filepath.Dir(l.home)) + "/user\n"
			wrote, end := l.goes()
			if strings.Count(wrote, h.line+home) != 2 || end != "exit status 7" ||
				!strings.HasSuffix(wrote, "\n65534\n65534\n1\xff") {
				t.Errorf("it ends with %s, and says %s", end, wrote)
			}
		})
	}
}

// TestSeveral: the program is in its starter's first cgroup of each hierarchy, and an error names
// the one that cannot be joined.
func TestSeveral(t *testing.T) {
	var homes, want []string
	for _, h := range freezable(t) {
		home := delegated(t, h.root)
		homes = append(homes, home)
		want = append(want, h.line+"/"+filepath.Base(filepath.Dir(home))+"/user\n")
	}
	wrote, end := launchIn(t, homes, long, "/bin/cat", "/proc/self/cgroup").goes()
	for _, line := range want {
		if !strings.Contains(wrote, line) || end != "exit status 0" {
			t.Errorf("it ends with %s, and says %s, want %s", end, wrote, line)
		}
	}
	l, gone := launchIn(t, homes, long, "/bin/true"), homes[len(homes)-1]
	remove(t, gone)
	if _, end := l.goes(); !strings.Contains(end, gone+": no such file") {
		t.Errorf("without %s it ends with %s", gone, end)
	}
}

// TestDescriptors: the program has its standard streams and no other descriptors, but for that of
// the directory that it lists.
func TestDescriptors(t *testing.T) {
	for name, h := range freezable(t) {
		wrote, _ := launch(t, h.root, long, "/bin/ls", "/proc/self/fd").goes()
		if got := strings.Fields(wrote); !slices.Equal(got, []string{"0", "1", "2", "3"}) {
			t.Errorf("%s: it has %q", name, got)
		}
	}
}

// TestNoProgram: what cannot be executed is refused as the kernel refuses it.
func TestNoProgram(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty")
	must(t, os.WriteFile(empty, nil, 0o755))
	for _, dir := range []string{filepath.Dir(empty), filepath.Dir(filepath.Dir(empty))} {
		must(t, os.Chmod(dir, 0o755))
	}
	for path, want := range map[string]string{
		"/nonexistent/x": "no such file or directory", "/etc/passwd": "permission denied",
		empty: "exec format error",
	} {
		for _, h := range freezable(t) {
			if _, end := launch(t, h.root, long, path).goes(); end != "no program: "+want {
				t.Errorf("%s: %s, want %s", path, end, want)
			}
		}
	}
}

// TestFrozen: a starter in whose program's cgroup nobody runs waits as long as it likes, and the
// program never begins afterwards.
func TestFrozen(t *testing.T) {
	for name, h := range freezable(t) {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "begun")
			must(t, os.Chmod(filepath.Dir(file), 0o777))
			l := launch(t, h.root, 2*time.Second, "/bin/touch", file)
			must(t, l.set(h.file, h.freeze))
			_, end := l.goes()
			if !strings.Contains(end, errWaited.Error()) {
				t.Errorf("it ends with %s", end)
			}
			must(t, l.set(h.file, h.thaw))
			remove(t, l.home) // what is killed has ended then
			if _, err := os.Stat(file); err == nil {
				t.Error("the program has begun")
			}
		})
	}
}

// TestRemoved: the cgroup has gone.
func TestRemoved(t *testing.T) {
	for name, h := range freezable(t) {
		l := launch(t, h.root, long, "/bin/true")
		remove(t, l.home)
		if _, end := l.goes(); !strings.HasPrefix(end, "start /bin/true in the cgroup") ||
			!strings.Contains(end, "no such file") {
			t.Errorf("%s: it ends with %s", name, end)
		}
	}
}

// TestFull: a cgroup that allows no process more takes one that is moved there.
func TestFull(t *testing.T) {
	l := launch(t, "/sys/fs/cgroup/pids", long, "/bin/sh", "-c", "exec /bin/true")
	must(t, l.set("pids.max", "0"))
	if _, end := l.goes(); end != "exit status 0" {
		t.Errorf("it ends with %s", end)
	}
}

// TestHeldUp: whatever is done to the cgroup while a program starts in it, its starter ends, with
// the program's status or a sentence.
func TestHeldUp(t *testing.T) {
	for name, h := range freezable(t) {
		t.Run(name, func(t *testing.T) {
			random := devtest.Rand(t)
			for range devtest.Cases(5, 2) {
				l := launch(t, h.root, time.Second, "/bin/sh", "-c", "exit 7")
				done, stopped := make(chan bool), make(chan bool)
				go func() {
					defer close(stopped)
					for {
						select {
						case <-done:
							_ = l.set(h.file, h.thaw)
							return
						case <-time.After(time.Duration(random.IntN(4000)) * time.Microsecond):
						}
						switch random.IntN(6) {
						case 0, 1:
							_ = l.set(h.file, h.freeze)
						case 2, 3, 4:
							_ = l.set(h.file, h.thaw)
						default:
							_ = l.set("cgroup.kill", "1") // version 1 has none
						}
					}
				}()
				_, end := l.goes()
				close(done)
				<-stopped
				known := false
				for _, e := range []string{"exit status 7", "signal: killed", errEnded.Error(),
					errWaited.Error()} {
					known = known || strings.Contains(end, e)
				}
				if !known {
					t.Errorf("it ends with %s", end)
				}
			}
		})
	}
}

// FuzzBegan: whatever a launcher says, it is an error or a time.
func FuzzBegan(f *testing.F) {
	f.Add((&answer{Step: begins, Value: 1}).encode())
	f.Add(append((&answer{Step: begins}).encode(), (&answer{Step: executes, Errno: 2}).encode()...))
	f.Add((&answer{Step: joins, Errno: 2, Value: -1}).encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		l := &Launch{order: order{Path: text("x"), Homes: texts([]string{"/a"})}}
		before, err := l.began(b)
		if before < 0 || (err == nil) != (len(b) >= answerSize && len(b) < 2*answerSize &&
			b[0] == byte(begins) && b[1]|b[2]|b[3] == 0) {
			t.Errorf("%v, %v", before, err)
		}
	})
}
