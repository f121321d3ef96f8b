package hostile

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/linux/proc"
)

// killed lets something that ebb cannot catch end it in the middle of a run; the clocks must be
// restored without ebb restore.
func (b *bed) killed(t *testing.T, r *running, when time.Time) {
	t.Helper()
	for end := when.Add(maxBack); time.Now().Before(end) &&
		b.touched(); time.Sleep(5 * time.Millisecond) {
	}
	if b.touched() {
		t.Errorf("the clocks are as ebb set them, %v after its end", maxBack)
	} else {
		t.Logf("clocks back within %v", time.Since(when).Round(time.Millisecond))
	}
	r.stop()
}

// attackKilled: SIGKILL to ebb.
func attackKilled(t *testing.T) {
	b := lay(t)
	r := b.start(t, append(append(b.nobodys(), "--"), attacker("spin", "20")...)...)
	r.governs()
	time.Sleep(time.Duration(devtest.Rand(t).IntN(400)) * time.Millisecond)
	when := time.Now()
	r.signal(syscall.SIGKILL)
	b.killed(t, r, when)
}

// attackFrozen: SIGSTOP to ebb, while its program runs.
func attackFrozen(t *testing.T) {
	b := lay(t)
	r := b.start(t, append(append(b.nobodys(), "--"), attacker("spin", "20")...)...)
	r.governs()
	time.Sleep(300 * time.Millisecond)
	when := time.Now()
	r.signal(syscall.SIGSTOP)
	b.killed(t, r, when)
}

// inGroup is an ebb that is in a cgroup from its first instruction on.
func (b *bed) inGroup(t *testing.T, group, before string, args ...string) *running {
	t.Helper()
	script := fmt.Sprintf("echo $$ >%q && %s exec \"$@\"", filepath.Join(group, "cgroup.procs"),
		before)
	return b.startFrom(t, exec.Command("sh",
		append([]string{"-c", script, "sh", ebbPath()}, args...)...))
}

// attackOOMKiller: the program takes all memory of the cgroup that it shares with ebb, and the
// kernel chooses ebb.
func attackOOMKiller(t *testing.T) {
	b := lay(t)
	group := limited(t, 192<<20)
	r := b.inGroup(t, group, "",
		append(append(b.nobodys(), "--"), attacker("hog", "400", "20")...)...)
	r.governs()
	must(t, os.WriteFile(fmt.Sprintf("/proc/%d/oom_score_adj", r.ebb), []byte("1000"), 0))
	if !r.within(30 * time.Second) {
		t.Fatal("the kernel killed nothing")
	}
	if status, ok := r.cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || !status.Signaled() {
		t.Log("the kernel chose another: ", r.cmd.ProcessState)
	}
	b.killed(t, r, r.endedAt)
}

// attackMemoryLimit: ebb's own cgroup has 64 MiB, and naming takes more.
func attackMemoryLimit(t *testing.T) {
	b := lay(t)
	group := limited(t, 96<<20)
	one := b.crafted("evil.so")
	craft(t, one, append([]section{{name: ".eh_frame", kind: 1, addr: 0x10_0000,
		data: entries(40 << 20)}}, symbolTable(3, "f")...)...)
	args := b.nobodys("--methods", "--report", filepath.Join(b.own, "r.json"))
	r := b.inGroup(t, group, "",
		append(append(args, "--"), attacker("within", one, "2", "none")...)...)
	r.governs()
	if !r.within(25 * time.Second) {
		t.Error("ebb still runs")
	}
	if r.within(0) {
		b.killed(t, r, r.endedAt)
	}
}

// bomb N SECONDS forks as many as it may, each of which ends at once.
func bomb(args []string) {
	n, err := strconv.Atoi(args[0])
	check(err)
	for end := time.Now().Add(seconds(args[1])); time.Now().Before(end); {
		var all []*exec.Cmd
		for range n {
			c := exec.Command(os.Args[0], "spin", "0.001")
			if c.Start() != nil {
				break
			}
			all = append(all, c)
		}
		for _, c := range all {
			_ = c.Wait()
		}
	}
}

// attackForkBomb: processes as fast as they can be made, 500 at a time.
func attackForkBomb(t *testing.T) {
	b := lay(t)
	group := bounded(t, 1500)
	args := b.nobodys("--methods", "--report", filepath.Join(b.own, "r.json"))
	r := b.inGroup(t, group, "", append(append(args, "--"), attacker("bomb", "100", "4")...)...)
	r.finish(25 * time.Second)
}

// execs N SECONDS executes itself again and again.
func execs(args []string) {
	n, err := strconv.Atoi(args[0])
	check(err)
	if n == 0 {
		return
	}
	burn(time.Millisecond)
	check(unix.Exec(filepath.Join(filepath.Dir(os.Args[0]), attackerName),
		[]string{os.Args[0], "execs", strconv.Itoa(n - 1)}, nil))
}

// attackExecs: one process has 1500 programs one after the other.
func attackExecs(t *testing.T) {
	b := lay(t)
	b.sampled(t, attacker("execs", "1500"), "--rate", "1000").finish(40 * time.Second)
}

// crowd N ends with so many threads, each with a name of its own.
func crowd(args []string) {
	n, err := strconv.Atoi(args[0])
	check(err)
	var all sync.WaitGroup
	for i := range n {
		all.Add(1)
		go func() {
			defer all.Done()
			runtime.LockOSThread() // and never unlocked: the thread ends
			p, _ := unix.BytePtrFromString(fmt.Sprintf("t%x", i))
			_ = unix.Prctl(unix.PR_SET_NAME, uintptr(unsafe.Pointer(p)), 0, 0, 0)
			burn(500 * time.Microsecond)
		}()
		if i%200 == 199 {
			all.Wait()
		}
	}
	all.Wait()
}

// attackThreads: 20,000 threads, each with a name of its own.
func attackThreads(t *testing.T) {
	b := lay(t)
	b.sampled(t, attacker("crowd", "20000"), "--rate", "2000").finish(45 * time.Second)
}

// shrink FILE SECONDS truncates the file that it executes and makes it whole again, all the time.
func shrink(args []string) {
	code := mapAt(args[0], 0, loaded, unix.PROT_READ|unix.PROT_EXEC, unix.MAP_PRIVATE)
	whole, err := os.ReadFile(args[0])
	check(err)
	_ = code
	own := anonymous(0, 4096)
	base, words := fakeStack()
	returns(words, func() uint64 { return uint64(code) + codeAt + 64 })
	r := numbers()
	go func() {
		for {
			_ = os.Truncate(args[0], int64(r.IntN(len(whole))))
			_ = os.WriteFile(args[0], whole, 0)
		}
	}()
	for end := time.Now().Add(seconds(args[1])); time.Now().Before(end); {
		call(own, base, 0, perLook/10)
	}
}

// attackShrinking: the file is cut while it is read.
func attackShrinking(t *testing.T) {
	b := lay(t)
	path := b.crafted("evil.so")
	craft(t, path, append([]section{{name: ".eh_frame", kind: 1, addr: 0x10_0000,
		data: entries(1 << 20)}}, symbolTable(3, "f")...)...)
	b.sampled(t, attacker("shrink", path, "3"), "--rate", "1000").finish(20 * time.Second)
}

// replaceFile FILE OTHER SECONDS executes a file and puts another in its place.
func replaceFile(args []string) {
	code := mapAt(args[0], 0, loaded, unix.PROT_READ|unix.PROT_EXEC, unix.MAP_PRIVATE)
	check(os.Rename(args[1], args[0]))
	base, _ := fakeStack()
	for end := time.Now().Add(seconds(args[2])); time.Now().Before(end); {
		call(code+codeAt, base, 0, perLook)
	}
}

// attackReplaced: in place of the file is another one with other names: what was executed is not
// called by them.
func attackReplaced(t *testing.T) {
	b := lay(t)
	path, other := b.crafted("evil.so"), b.crafted("other.so")
	craft(t, path, symbolTable(2, "what_was_executed")...)
	craft(t, other, symbolTable(2, "what_was_not")...)
	r := b.sampled(t, attacker("replace", path, other, "2"))
	r.finish(15 * time.Second)
	report, err := os.ReadFile(filepath.Join(b.own, "r.json"))
	must(t, err)
	if bytes.Contains(report, []byte("what_was_not")) {
		t.Error(
			"the report has the names of a file that replaced the executed one",
		)
	}
}

// relatives are the processes of ebb's that are below a process, as nobody sees them.
func relatives(pid int) (out []int) {
	names, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range names {
		child, _ := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		s, err := proc.ReadStat(child)
		if err == nil && s.Parent == pid && child != os.Getpid() {
			out = append(append(out, child), relatives(child)...)
		}
	}
	return out
}

// killer SIGNAL SECONDS sends a signal to everything of ebb's that it may, all the time.
func killer(args []string) {
	n, err := strconv.Atoi(args[0])
	check(err)
	parent := os.Getppid()
	end := time.Now().Add(seconds(args[1]))
	for ; time.Now().Before(end); burn(10 * time.Millisecond) {
		for _, pid := range append(relatives(parent), parent) {
			_ = syscall.Kill(pid, syscall.Signal(n))
		}
	}
}

// attackKiller: the program kills, and stops, all of ebb's processes that it may: the run goes on
// and costs only names.
func attackKiller(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGKILL, syscall.SIGSTOP, syscall.SIGTERM} {
		b := lay(t)
		r := b.sampled(t, attacker("killer", strconv.Itoa(int(sig)), "2.5"))
		r.finish(20 * time.Second)
		if r.within(0) && r.cmd.ProcessState.ExitCode() != 0 {
			t.Errorf("%v: status %v: %s", sig, r.cmd.ProcessState, r.stderr())
		}
		if _, err := os.Stat(filepath.Join(b.own, "r.json")); err != nil {
			t.Errorf("%v: no report", sig)
		}
	}
}

// tracer OUT tries to take over each of ebb's processes: by ptrace, by its memory, by a descriptor
// of it.
func tracer(args []string) {
	runtime.LockOSThread()
	parent := os.Getppid()
	var took strings.Builder
	end := time.Now().Add(2 * time.Second)
	for ; time.Now().Before(end); burn(10 * time.Millisecond) {
		for _, pid := range append(relatives(parent), parent) {
			if err := unix.PtraceSeize(pid); err == nil {
				fmt.Fprintln(&took, "ptrace", pid)
			}
			for _, file := range []string{"mem", "environ", "maps"} {
				if f, err := os.Open(fmt.Sprintf("/proc/%d/%s", pid, file)); err == nil {
					fmt.Fprintln(&took, file, pid)
					f.Close()
				}
			}
			if fd, err := unix.PidfdOpen(pid, 0); err == nil {
				if got, _, e := unix.Syscall(unix.SYS_PIDFD_GETFD, uintptr(fd), 3, 0); e == 0 {
					fmt.Fprintln(&took, "descriptor", pid)
					unix.Close(int(got))
				}
				unix.Close(fd)
			}
			var b [8]byte
			local := unix.Iovec{Base: &b[0], Len: 8}
			if _, err := unix.ProcessVMReadv(pid, []unix.Iovec{local},
				[]unix.RemoteIovec{{Base: 0x400000, Len: 8}}, 0); err == nil ||
				errors.Is(err, unix.EFAULT) {
				fmt.Fprintln(&took, "memory", pid)
			}
		}
	}
	check(os.WriteFile(args[0], []byte(took.String()), 0o644))
}

// attackTracer: no process of ebb's, of whatever user, can be traced or read by the program.
func attackTracer(t *testing.T) {
	b := lay(t)
	list := b.crafted("list")
	r := b.sampled(t, attacker("tracer", list))
	r.finish(15 * time.Second)
	got, err := os.ReadFile(list)
	must(t, err)
	if len(got) > 0 {
		t.Errorf("the program took hold of ebb's processes %v:\n%.400s", r.names, got)
	}
}

// attackRival: a process of nobody's that is called as a daemon which sets frequencies.
func attackRival(t *testing.T) {
	b := lay(t)
	cmd := hostileAs(t, b, filepath.Join(scratch, attackerName), attackerName, "spin", "15")
	_ = cmd
	path := b.file(t, "tuned", nil)
	must(t, os.Remove(path))
	must(t, install("/bin/sleep", path))
	hostileAs(t, b, path, "tuned", "15")
	script := b.file(t, "auto-cpufreq", []byte("sleep 15\n"))
	hostileAs(t, b, "/bin/sh", "sh", script)
	time.Sleep(200 * time.Millisecond)
	r := b.start(t, append(append([]string{"run", "--procfs", "/proc/."}, b.machine()...), "--",
		"true")...)
	r.finish(10 * time.Second)
	if code := r.cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("a process of nobody's keeps ebb from running: status %d: %s", code, r.stderr())
	}
}
