package bpf

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/linux/proc"
)

// testUser is a user that has no processes but a test's.
const testUser = 54321

// startAs starts a shell of a user's, which the test ends with all that it has started.
func startAs(t *testing.T, user uint32, in, script string) int {
	t.Helper()
	cmd := exec.Command("sh", "-c", script)
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Credential: &syscall.Credential{Uid: user, Gid: user}}
	defer devtest.InCgroup(t, in, cmd)()
	cmd.SysProcAttr.Setpgid = true
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
	})
	return cmd.Process.Pid
}

// children are a process's, once there are so many.
func children(t *testing.T, pid, want int) []int {
	t.Helper()
	var all []int
	for deadline := time.Now().Add(devtest.Hung); ; time.Sleep(time.Millisecond) {
		all = nil
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
		for _, f := range strings.Fields(string(text)) {
			n, _ := strconv.Atoi(f)
			all = append(all, n)
		}
		if len(all) == want {
			slices.Sort(all)
			return all
		}
		if time.Now().After(deadline) {
			t.Fatalf("process %d has children %v, want %d", pid, all, want)
		}
	}
}

// executed waits until a process has executed a program.
func executed(t *testing.T, pid int, name string) {
	t.Helper()
	for deadline := time.Now().Add(devtest.Hung); ; time.Sleep(time.Millisecond) {
		comm, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
		if strings.TrimSpace(string(comm)) == name {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("process %d is %s, want %s", pid, comm, name)
		}
	}
}

// ownProgram is a program that has its owner's rights, root's.
func ownProgram(t *testing.T) string {
	t.Helper()
	from, err := exec.LookPath("sleep")
	if err != nil {
		t.Fatal(err)
	}
	return everybodys(t, from, "rootsleep", os.ModeSetuid)
}

// everybodys is a copy of a program that everybody can execute, of a mode besides.
func everybodys(t *testing.T, from, name string, mode os.FileMode) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "ebb-owned")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	text, err := os.ReadFile(from)
	path := filepath.Join(dir, name)
	if err := errors.Join(err, os.WriteFile(path, text, 0o755), os.Chmod(dir, 0o755),
		os.Chmod(path, 0o755|mode)); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestAttachOwned: a user's tree has the user's processes alone, those that are there and those
// that come, and none of another tenant's.
func TestAttachOwned(t *testing.T) {
	group := devtest.Cgroup(t)
	tr := tenantTracer(t, openGroup(t, group))
	defer drain(tr, func(*epochs.Event) {}).finish(t)
	root := ownProgram(t)
	// Two children before, one of them root's; two after, when it hears.
	ears := filepath.Join(t.TempDir(), "ears")
	if err := syscall.Mkfifo(ears, 0o666); err != nil {
		t.Fatal(err)
	}
	hear, err := os.OpenFile(ears, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer hear.Close()
	cmd := exec.Command("sh", "-c", `sleep 1000 & "$0" 1000 & read x; sleep 1001 & "$0" 1001 & `+
		`read x; sleep 1002 & read x`, root)
	cmd.Dir, cmd.Stdin = "/", hear
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true,
		Credential: &syscall.Credential{Uid: testUser, Gid: testUser}}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid := cmd.Process.Pid
	defer func() {
		_ = syscall.Kill(-pid, syscall.SIGKILL)
		_ = cmd.Wait()
	}()
	before := children(t, pid, 2)
	executed(t, before[0], "sleep")
	executed(t, before[1], "rootsleep")

	if err := tr.AttachOwned(pid, 2, testUser+1); !errors.Is(err, ErrTaken) {
		t.Errorf("another user's: %v", err)
	}
	awaitTenant(t, tr, pid, 1, 0)
	if err := tr.AttachOwned(pid, 2, testUser); err != nil {
		t.Fatal(err)
	}
	awaitTenant(t, tr, pid, 1, 2)
	awaitTenant(t, tr, before[0], 1, 2)
	awaitTenant(t, tr, before[1], 1, 0)
	if err := tr.AttachOwned(pid, 3, testUser); !errors.Is(err, ErrTaken) {
		t.Errorf("one that another has: %v", err)
	}
	if err := tr.AttachOwned(before[0], 3, testUser); !errors.Is(err, ErrTaken) {
		t.Errorf("a child of one that another has: %v", err)
	}
	if _, err := hear.WriteString("\n"); err != nil {
		t.Fatal(err)
	}
	after := children(t, pid, 4)[2:]
	executed(t, after[0], "sleep")
	executed(t, after[1], "rootsleep")
	awaitTenant(t, tr, after[0], 1, 2)
	awaitTenant(t, tr, after[1], 1, 0)

	if err := tr.Release(2); err != nil {
		t.Fatal(err)
	}
	if _, err := hear.WriteString("\n"); err != nil {
		t.Fatal(err)
	}
	last := children(t, pid, 5)[4]
	executed(t, last, "sleep")
	awaitTenant(t, tr, last, 1, 0)
	awaitTenant(t, tr, pid, 1, 0)
	if err := tr.AttachOwned(pid, 4, testUser); err != nil {
		t.Errorf("again: %v", err)
	}
	awaitTenant(t, tr, last, 1, 4)

	governed := startAs(t, testUser, group, "sleep 1000; true")
	awaitTenant(t, tr, governed, 1, 1)
	if err := tr.AttachOwned(governed, 5, testUser); !errors.Is(err, ErrTaken) {
		t.Errorf("one that a tenant has by its cgroup: %v", err)
	}
	awaitTenant(t, tr, governed, 1, 1)
}

// TestAttachGroup: a cgroup that is another tenant's stays that one's, and is nobody's when it is
// given up.
func TestAttachGroup(t *testing.T) {
	top := devtest.Cgroup(t)
	followed, free := devtest.ChildCgroup(t, top, "tenant"), devtest.ChildCgroup(t, top, "free")
	tr := tenantTracer(t, openGroup(t, followed))
	defer drain(tr, func(*epochs.Event) {}).finish(t)
	a, b := openGroup(t, followed), openGroup(t, free)
	first, second := startAs(t, testUser, followed, "sleep 1000; true"),
		startAs(t, 0, free, "while :; do sleep 0.01; done") // it leaves as it runs
	awaitTenant(t, tr, first, 1, 1)
	if err := tr.AttachGroup(a.ID, 2); !errors.Is(err, ErrFollowed) {
		t.Errorf("another tenant's: %v", err)
	}
	awaitTenant(t, tr, first, 1, 1)
	for range 2 {
		if err := tr.AttachGroup(b.ID, 2); err != nil {
			t.Fatal(err)
		}
		awaitTenant(t, tr, second, 1, 2)
		if err := tr.ReleaseGroup(b.ID); err != nil {
			t.Fatal(err)
		}
		awaitTenant(t, tr, second, 1, 0)
	}
	awaitTenant(t, tr, first, 1, 1)
}

// becomer is a program that becoming starts.
func becomer(t *testing.T) string {
	return everybodys(t, compile(t, "testdata/become.c"), "become", 0)
}

// becoming starts a program of a user's that becomes root at its input's first line, as how says.
// The function that is returned has it do so.
func becoming(t *testing.T, program, in, how string) (pid int, become func()) {
	t.Helper()
	cmd := exec.Command(program, how)
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Credential:  &syscall.Credential{Uid: testUser, Gid: testUser},
		AmbientCaps: []uintptr{unix.CAP_SETUID}}
	defer devtest.InCgroup(t, in, cmd)()
	stdin, _ := cmd.StdinPipe()
	stdout, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd.Process.Pid, func() {
		t.Helper()
		_, _ = stdin.Write([]byte("x\n"))
		if line, err := bufio.NewReader(stdout).ReadString('\n'); line != "root\n" {
			t.Fatal(line, err)
		}
	}
}

// onlyStay is a thread's only stay with a tenant, once it is over and the reader knows of it.
func onlyStay(t *testing.T, tr *Tracer, pid int) (of Thread) {
	t.Helper()
	await(t, "the end of a stay", func() bool {
		tr.Wake() // nothing else may ring
		all := mustThreads(t, tr, pid)
		if len(all) == 1 {
			of = all[0]
		}
		return of.Ended != 0
	})
	return of
}

// TestExpel: a process of a user's tree that gets root's rights by a system call leaves the tree
// with the next walk, whatever it is for, and also where it keeps its CPU.
func TestExpel(t *testing.T) {
	top := devtest.Cgroup(t)
	group, out := devtest.ChildCgroup(t, top, "tenant"), devtest.ChildCgroup(t, top, "out")
	tr := tenantTracer(t, openGroup(t, group))
	defer drain(tr, func(*epochs.Event) {}).finish(t)
	program := becomer(t)
	for what, walk := range map[string]func() error{"its own walk": tr.Expel, "a move": tr.Walk,
		"another tree": func() error {
			pid := startAs(t, testUser, group, "sleep 1000; true")
			if err := tr.AttachOwned(pid, 4, testUser); !errors.Is(err, ErrTaken) {
				return fmt.Errorf("a tenant's process: %w", err)
			}
			return nil
		}} {
		rounds := map[bool]int{true: 4, false: 1}[what == "its own walk"]
		for range rounds {
			pid, become := becoming(t, program, out, "spin")
			if err := tr.AttachOwned(pid, 2, testUser); err != nil {
				t.Fatal(err)
			}
			awaitTenant(t, tr, pid, 1, 2)
			if err := unix.Setpriority(unix.PRIO_PROCESS, pid, -20); err != nil {
				t.Fatal(err)
			}
			become() // it leaves its CPU to few others from now on
			if err := walk(); err != nil {
				t.Fatal(err)
			}
			used, ok := proc.Used(pid)
			if !ok {
				t.Fatal("the kernel does not say what it has used")
			}
			awaitTenant(t, tr, pid, 1, 0)
			// The walk for another tree makes no CPU switch where it finds none.
			if ran := onlyStay(t, tr, pid).KernelRun; ran > used && what != "another tree" {
				t.Errorf("of %v until the end of %s, %v were the tenant's", used, what, ran)
			}
			_ = syscall.Kill(pid, syscall.SIGKILL)
			if err := tr.Release(2); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestExpelledThread: where one thread alone gets root's rights, it goes another way than its
// process's first one, which stays in the tree. A move of the process is looked after then.
func TestExpelledThread(t *testing.T) {
	top := devtest.Cgroup(t)
	dir, out := devtest.ChildCgroup(t, top, "tenant"), devtest.ChildCgroup(t, top, "out")
	tr := tenantTracer(t, openGroup(t, dir))
	defer drain(tr, func(*epochs.Event) {}).finish(t)
	pid, become := becoming(t, becomer(t), out, "thread")
	if err := tr.AttachOwned(pid, 2, testUser); err != nil {
		t.Fatal(err)
	}
	awaitTenant(t, tr, pid, 2, 2)
	become()
	if err := tr.Expel(); err != nil {
		t.Fatal(err)
	}
	for _, to := range []struct {
		dir  string
		want int
	}{{dir, 1}, {out, 0}} {
		devtest.JoinCgroup(t, to.dir, pid)
		await(t, "the thread at "+to.dir, func() bool {
			caughtUp(t, tr)
			return besideFirst(t, tr, pid, 1) == to.want && besideFirst(t, tr, pid, 2) == 0
		})
	}
}
