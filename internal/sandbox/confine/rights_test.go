//go:build !race

package confine

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// withoutRights is the argument that starts the test binary as a process without rights, which
// tries what it can do.
const withoutRights = "__without_rights"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && strings.HasPrefix(os.Args[1], "__") {
		if os.Args[1] != withoutRights || len(os.Args) != 2 {
			os.Exit(2) // never the tests: they would start further ones
		}
		if err := tryAll(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// found holds what a process without rights reports of itself.
type found struct {
	Status string            // /proc/self/status
	Done   map[string]string // what it tried, and the error
	Limits [4]uint64         // limits of memory, files, CPU seconds and the user's threads
	Sum    uint64            // result of work that takes memory, threads and timers
	Clone3 unix.Errno        // error of the call by which newer C libraries make threads
}

// tryAll gives up all rights, tries what the child must not be able to do and says what came of it.
func tryAll() error {
	status, err := os.Open("/proc/self/status") // read later
	if err != nil {
		return err
	}
	parent := os.Getppid()
	if err := GiveUpRights(unix.SYS_SHUTDOWN, unix.SYS_UNSHARE); err != nil {
		return err
	}
	LimitCPU()
	f := found{Done: map[string]string{}}
	try := func(what string, err error) {
		f.Done[what] = fmt.Sprint(err)
		if errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) {
			f.Done[what] = "refused"
		}
	}
	text := make([]byte, 16<<10)
	n, err := status.Read(text)
	if err != nil {
		return err
	}
	f.Status = string(text[:n])
	_, err = os.Open("/etc/passwd")
	try("open a file", err)
	_, err = os.Create("/tmp/ebb-without-rights")
	try("make a file", err)
	try("remove a file", os.Remove("/tmp/ebb-without-rights"))
	try("connect", unix.Connect(int(status.Fd()),
		&unix.SockaddrUnix{Name: "/run/dbus/system_bus_socket"}))
	try("end a socket that others have as well", unix.Shutdown(int(status.Fd()), unix.SHUT_RDWR))
	try("have namespaces of its own", unix.Unshare(unix.CLONE_NEWUSER|unix.CLONE_FILES))
	_, err = unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
	try("make a socket", err)
	_, _, errno := unix.RawSyscall(makesProcess, 0, 0, 0)
	try("make a process", errno)
	_, _, errno = unix.RawSyscall6(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
	try("clone a process", errno)
	_, _, f.Clone3 = unix.RawSyscall(unix.SYS_CLONE3, 0, 0, 0)
	try("execute", unix.Exec("/bin/true", []string{"true"}, nil))
	try("trace the parent", unix.PtraceAttach(parent))
	try("kill the parent", unix.Kill(parent, 0))
	try("kill itself", unix.Kill(unix.Getpid(), 0))
	try("signal a thread of the parent", unix.Tgkill(parent, parent, 0))
	try("limit the parent", unix.Prlimit(parent, unix.RLIMIT_CORE, &unix.Rlimit{}, nil))
	_, err = unix.FcntlInt(status.Fd(), unix.F_SETOWN, parent)
	try("have the kernel signal the parent", err)
	try("be traced", unix.Prctl(unix.PR_SET_DUMPABLE, 1, 0, 0, 0))
	try("outlive the governor", unix.Prctl(unix.PR_SET_PDEATHSIG, 0, 0, 0, 0))
	try("be root", unix.Setuid(0))
	try("change what is mounted", unix.Mount("none", "/tmp", "tmpfs", 0, ""))
	_, err = unix.ProcessVMReadv(parent, []unix.Iovec{}, nil, 0)
	try("read the parent's memory", err)
	_, _, errno = unix.RawSyscall(unix.SYS_BPF, 0, 0, 0)
	try("load a program into the kernel", errno)
	_, _, errno = unix.RawSyscall(unix.SYS_GETPID|0x40000000, 0, 0, 0)
	try("use another set of calls", errno)
	for i, what := range []int{unix.RLIMIT_DATA, unix.RLIMIT_NOFILE, unix.RLIMIT_CPU,
		unix.RLIMIT_NPROC} {
		var l unix.Rlimit
		if err := unix.Getrlimit(what, &l); err != nil {
			return err
		}
		f.Limits[i] = l.Cur
	}
	f.Sum = work()
	return json.NewEncoder(os.Stdout).Encode(f)
}

// work makes Go's runtime do what it does: collect garbage, make threads, preempt them, wait for
// timers.
func work() (sum uint64) {
	runtime.GOMAXPROCS(4)
	var mu sync.Mutex
	var wait sync.WaitGroup
	for range 16 {
		wait.Go(func() {
			runtime.LockOSThread()
			n := uint64(0)
			var kept [][]byte
			for i := range 200 {
				kept = append(kept, make([]byte, 4096))
				for k := range 100_000 {
					n += uint64(k & i)
				}
			}
			time.Sleep(time.Millisecond)
			runtime.GC()
			mu.Lock()
			sum += n + uint64(len(kept))
			mu.Unlock()
		})
	}
	wait.Wait()
	return sum
}

// TestRights: what the child is left with, as root and as another user.
func TestRights(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "/proc/self/exe", withoutRights)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var f found
	if err := json.Unmarshal(out, &f); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"CapInh": "0000000000000000", "CapPrm": "0000000000000000", "CapEff": "0000000000000000",
		"CapAmb":     "0000000000000000",
		"NoNewPrivs": "1", "Seccomp": "2",
	}
	if os.Getuid() == 0 {
		const nobody = "65534 65534 65534 65534"
		want["Uid"], want["Gid"], want["Groups"] = nobody, nobody, ""
	}
	for line := range strings.Lines(f.Status) {
		key, value, _ := strings.Cut(line, ":")
		if w, ok := want[key]; ok {
			if got := strings.Join(strings.Fields(value), " "); got != w {
				t.Errorf("%s is %q, not %q", key, got, w)
			}
			delete(want, key)
		}
	}
	if len(want) > 0 {
		t.Errorf("not said: %v", want)
	}
	for what, result := range f.Done {
		if result != "refused" {
			t.Errorf("%s: %s", what, result)
		}
	}
	if len(f.Done) != 23 {
		t.Errorf("%d things tried", len(f.Done))
	}
	if f.Clone3 != unix.ENOSYS { // or a program with a C library makes no thread
		t.Errorf("clone3: %v", f.Clone3)
	}
	if l := f.Limits; l[0] != maxData || l[1] != maxFiles || l[2] < maxCPU || l[2] > 3*maxCPU ||
		os.Getuid() == 0 && l[3] != maxTasks {
		t.Errorf("limits %v", l)
	}
	if want := work(); f.Sum != want {
		t.Errorf("it computed %d, not %d", f.Sum, want)
	}
}
