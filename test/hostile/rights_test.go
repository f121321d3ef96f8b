package hostile

import (
	"debug/elf"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// jailedMachine ROOT LIB SECONDS is what looks like a Java machine in a root tree of its own.
func jailedMachine(args []string) {
	check(unix.Chroot(args[0]))
	check(os.Chdir("/"))
	check(unix.Setresgid(nobody, nobody, nobody))
	check(unix.Setresuid(nobody, nobody, nobody))
	silent(args[1:])
}

// machineInJail starts one, whose /tmp lay has made, and returns it with the path of its /tmp.
func machineInJail(t *testing.T, b *bed) (target *exec.Cmd, tmp string) {
	t.Helper()
	root := filepath.Join(b.dir, "root")
	tmp = filepath.Join(root, "tmp")
	must(t, os.MkdirAll(tmp, 0o755))
	craft(t, filepath.Join(root, "libjvm.so"))
	argv := attacker("jailedmachine", root, "/libjvm.so", "30")
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	must(t, cmd.Start())
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
	})
	time.Sleep(300 * time.Millisecond)
	return cmd, tmp
}

// typist OUT types into the terminal that it is given, in each way, and writes what came of it.
func typist(args []string) {
	said := ""
	for _, request := range []uintptr{unix.TIOCSTI, unix.TIOCLINUX, 1<<32 | unix.TIOCSTI} {
		c := byte('x')
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, 0, request, uintptr(unsafe.Pointer(&c)))
		said += errno.Error() + "\n"
	}
	check(os.WriteFile(args[0], []byte(said), 0o644))
	burn(200 * time.Millisecond)
}

// attackTyping: the program types into the terminal of the user who calls ebb.
func attackTyping(t *testing.T) {
	b := lay(t)
	out := b.crafted("out")
	r := b.sampled(t, attacker("typist", out))
	r.finish(10 * time.Second)
	if got, err := os.ReadFile(out); err != nil ||
		string(got) != strings.Repeat(unix.EPERM.Error()+"\n", 3) {
		t.Errorf("typing: %v\n%s", err, got)
	}
}

// attackElsewhere: a Java machine's /tmp is a directory of root's, in which nobody may make files.
func attackElsewhere(t *testing.T) {
	b := lay(t)
	target, tmp := machineInJail(t, b)
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	must(t, err)
	defer unix.Close(fd)
	_, err = unix.InotifyAddWatch(fd, tmp, unix.IN_CREATE)
	must(t, err)
	b.attached(t, target).finishIfRunning()
	if n, _ := unix.Read(fd, make([]byte, 4096)); n > 0 {
		t.Error("ebb made a file in a directory of root's")
	}
}

// attackService: in the place of a Java machine's socket is that of a service: one that only root
// may use, and one of the same user's that everybody may.
func attackService(t *testing.T) {
	for _, c := range []struct {
		mode  os.FileMode
		owner int
	}{{0o600, 0}, {0o666, 0}, {0o400, nobody}, {0o666, nobody}} {
		b := lay(t)
		target, tmp := machineInJail(t, b)
		path := filepath.Join(tmp, fmt.Sprintf(".java_pid%d", target.Process.Pid))
		l, err := net.Listen("unix", path)
		must(t, err)
		must(t, os.Chown(path, c.owner, c.owner))
		must(t, os.Chmod(path, c.mode))
		var roots, bytes atomic.Int64
		go func() {
			for {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				if raw, err := conn.(*net.UnixConn).SyscallConn(); err == nil {
					_ = raw.Control(func(fd uintptr) {
						peer, err := unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET,
							unix.SO_PEERCRED)
						if err == nil && peer.Uid == 0 {
							roots.Add(1)
						}
					})
				}
				_ = conn.SetDeadline(time.Now().Add(5 * time.Second))
				n, _ := conn.Read(make([]byte, 100))
				bytes.Add(int64(n))
				conn.Close()
			}
		}()
		b.attached(t, target).finishIfRunning()
		l.Close()
		if roots.Load() > 0 || bytes.Load() > 0 {
			t.Errorf("%+v: %d connections of root's came, and %d bytes", c, roots.Load(),
				bytes.Load())
		}
	}
}

// attackClosed: symbols and a perf map are a link and a second name of files in a directory that
// nobody may not look into.
func attackClosed(t *testing.T) {
	var opened func() bool
	inJail(t, func(_ *bed, root, at string) {
		closed := filepath.Join(root, "closed")
		must(t, os.Mkdir(closed, 0o700))
		secret := filepath.Join(closed, "secret")
		craft(t, secret, append([]section{{name: ".note.gnu.build-id", kind: elf.SHT_NOTE,
			data: buildID()}}, symbolTable(3, "secret_name")...)...)
		must(t, os.Lchown(secret, 0, 0))
		must(t, os.Chmod(secret, 0o644))
		must(t, os.Symlink("/closed/secret", at))
		opened = watchOpened(t, secret)
	})
	if opened() {
		t.Error("ebb opened symbols where the program's user may not look")
	}
	b := lay(t)
	target, tmp := machineInJail(t, b)
	secret := b.secret(t, "secret", "0 ffffffffffffffff secret\n")
	must(t, os.Chmod(secret, 0o644))
	must(t, os.Link(secret, filepath.Join(tmp, fmt.Sprintf("perf-%d.map", target.Process.Pid))))
	opened = watchOpened(t, secret)
	b.attached(t, target).finishIfRunning()
	if opened() {
		t.Error("ebb read a perf map that is a second name of another file")
	}
}

// keyName is the description of root's key.
const keyName = "ebb-hostile"

// keys OUT reads root's key, by the session keyring that it has inherited.
func keys(args []string) {
	said := "nothing"
	if id, err := unix.KeyctlSearch(unix.KEY_SPEC_SESSION_KEYRING, "user", keyName, 0); err == nil {
		b := make([]byte, 64)
		n, err := unix.KeyctlBuffer(unix.KEYCTL_READ, id, b, 0)
		said = fmt.Sprintf("%q, %v", b[:max(0, n)], err)
	}
	check(os.WriteFile(args[0], []byte(said), 0o644))
}

// withKey COMMAND... executes a command with a session keyring that has a key of root's.
func withKey(args []string) {
	runtime.LockOSThread()
	_, err := unix.KeyctlInt(unix.KEYCTL_JOIN_SESSION_KEYRING, 0, 0, 0, 0)
	check(err)
	_, err = unix.AddKey("user", keyName, []byte("secret"), unix.KEY_SPEC_SESSION_KEYRING)
	check(err)
	check(unix.Exec(args[0], args, os.Environ()))
}

// attackKeys: the program reads the keys of the session of root, who has called ebb.
func attackKeys(t *testing.T) {
	if _, err := unix.KeyctlGetKeyringID(unix.KEY_SPEC_SESSION_KEYRING, false); err != nil {
		t.Skip("no keys: ", err)
	}
	b := lay(t)
	out := b.crafted("out")
	begin := append(attacker("withkey", ebbPath()), append(b.nobodys(), "--")...)
	argv := append(begin, attacker("keys", out)...)
	b.startFrom(t, exec.Command(argv[0], argv[1:]...)).finish(10 * time.Second)
	if got, err := os.ReadFile(out); err != nil || string(got) != "nothing" {
		t.Errorf("it finds %s, %v", got, err)
	}
}

// starver SECONDS makes each process of ebb's that is nobody's as slow and as poor as its own user
// may.
func starver(args []string) {
	parent := os.Getppid()
	one := &unix.CPUSet{}
	one.Set(devtest.CPU())
	least, done := &unix.Rlimit{Cur: 1, Max: 1}, 0
	// At first it may see no process of ebb's.
	hung := time.Now().Add(devtest.Hung)
	for end := time.Now().Add(seconds(args[0])); time.Now().Before(end) ||
		done == 0 && time.Now().Before(hung); burn(time.Millisecond) {
		for _, pid := range relatives(parent) {
			tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/[0-9]*", pid))
			for _, task := range tasks {
				tid, _ := strconv.Atoi(filepath.Base(task))
				_ = unix.SchedSetAttr(tid, &unix.SchedAttr{Size: unix.SizeofSchedAttr,
					Policy: unix.SCHED_IDLE}, 0)
				_ = unix.SchedSetaffinity(tid, one)
			}
			for _, what := range []int{unix.RLIMIT_NOFILE, unix.RLIMIT_CPU, unix.RLIMIT_DATA,
				unix.RLIMIT_AS, unix.RLIMIT_NPROC} {
				if unix.Prlimit(pid, what, least, nil) == nil {
					done++
				}
			}
		}
	}
	if done == 0 {
		check(errors.New("it could limit none of ebb's processes"))
	}
}

// attackStarver: the program limits all of ebb's processes that it may: the run goes on and costs
// only names.
func attackStarver(t *testing.T) {
	b := lay(t)
	r := b.sampled(t, attacker("starver", "2"))
	r.finish(20 * time.Second)
	if r.within(0) && r.cmd.ProcessState.ExitCode() != 0 {
		t.Errorf("status %v: %s", r.cmd.ProcessState, r.stderr())
	}
	if _, err := os.Stat(filepath.Join(b.own, "r.json")); err != nil {
		t.Error("no report")
	}
}
