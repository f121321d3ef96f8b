package e2e

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// leaseUser is the user who may have leases in these tests.
const leaseUser = 54323

// lending is a service that gives leases, in shadow mode.
type lending struct {
	*serving
	ebb string // where everybody may run it
}

func startLending(t *testing.T, files map[string]string) *lending {
	t.Helper()
	return startLendingBy(t, (*exec.Cmd).Start, files)
}

// startLendingBy is startLending with another way to start ebb.
func startLendingBy(t *testing.T, start func(*exec.Cmd) error, files map[string]string) *lending {
	t.Helper()
	needRoot(t)
	// Everybody must reach the socket and the program.
	top, err := os.MkdirTemp("", "ebb-lending")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(top) })
	if err := os.Chmod(top, 0o755); err != nil {
		t.Fatal(err)
	}
	l := &lending{ebb: filepath.Join(top, "ebb")}
	text, err := os.ReadFile(ebbPath(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(l.ebb, text, 0o755); err != nil {
		t.Fatal(err)
	}
	l.serving = startServingBy(t, func(cmd *exec.Cmd) error {
		for i, a := range cmd.Args {
			if a == "--run-dir" {
				cmd.Args[i+1] = filepath.Join(top, "run")
			}
		}
		cmd.Args = append(cmd.Args, "--shadow", "--allow-users", strconv.Itoa(leaseUser),
			"--allow-budgets", "1%..10%")
		return start(cmd)
	}, 0, files)
	l.runDir = filepath.Join(top, "run")
	return l
}

// join is ebb join of a user's.
func (l *lending) join(user uint32, args ...string) *exec.Cmd {
	cmd := commandOf(l.t, l.ebb, append([]string{"join", "--run-dir", l.runDir}, args...)...)
	cmd.Dir = "/"
	cmd.SysProcAttr.Credential = &syscall.Credential{Uid: user, Gid: user}
	return cmd
}

// tenant waits until the service has a tenant whose name begins so, or none.
func (l *lending) tenant(name string, want bool) {
	l.t.Helper()
	until(l.t, fmt.Sprintf("a tenant %s: %v: %s", name, want, l.stderr), func() bool {
		text := l.asked("/v1/tenants")
		return text != "" && want == strings.Contains(text, `"name":"`+name)
	})
}

// reference is the sum of a metric of all tenants, and that of one, s.
func (l *lending) reference(of string) (all, one float64) {
	for line := range strings.Lines(l.asked("/metrics")) {
		if rest, is := strings.CutPrefix(line, "ebb_tenant_reference_seconds_total{tenant="); is {
			name, value, _ := strings.Cut(rest, "} ")
			x, _ := strconv.ParseFloat(strings.TrimSpace(value), 64)
			if all += x; name == strconv.Quote(of) {
				one = x
			}
		}
	}
	return all, one
}

// TestServeLease: a command is a tenant for as long as ebb join runs, with and without tenants in
// files, over a reload, a new beginning and the front process's death.
func TestServeLease(t *testing.T) {
	besideOthers(t)
	l := startLending(t, nil)
	r := finish(t, l.join(leaseUser, "--", "sh", "-c", "echo out; echo err >&2; exit 7"))
	if r.code != 7 || r.stdout != "out\n" || r.stderr != "err\n" {
		t.Errorf("%+v", r)
	}
	r = finish(t, l.join(0, "--slowdown", "50%", "--", "sh", "-c", "kill -9 $$"))
	if r.code != 137 {
		t.Errorf("root's: %+v", r)
	}
	refused(t, finish(t, l.join(leaseUser, "--slowdown", "20%", "--", "true")), 1, "1% to 10%")
	refused(t, finish(t, l.join(leaseUser+1, "--", "true")), 1, "may take no lease")
	refused(t, finish(t, l.join(leaseUser, "--", "/nowhere")), 2, "/nowhere")
	refused(t, finish(t, l.join(leaseUser, "--slowdown", "5", "--", "true")), 2, "%")
	refused(t, finish(t, l.join(leaseUser)), 2, "which command")
	if r := finish(t, l.join(leaseUser+1, "--or-run", "--", "echo", "ran")); r.code != 0 ||
		r.stdout != "ran\n" || !strings.Contains(r.stderr, "without a lease: ") {
		t.Errorf("--or-run: %+v", r)
	}

	const name = "lease.54323.1"
	spinner := l.join(leaseUser, append([]string{"--"}, spin...)...)
	var said bytes.Buffer
	spinner.Stderr = &said
	if err := spinner.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Kill(-spinner.Process.Pid, syscall.SIGKILL) }) // its command
	runs := func(what string) {
		t.Helper()
		_, before := l.reference(name)
		until(t, "its work is counted "+what, func() bool {
			_, now := l.reference(name)
			return now > before
		})
	}
	l.tenant(name, true)
	runs("at first")
	if r := ebb(t, "status", "--run-dir", l.runDir); !strings.Contains(r.stdout, name) {
		t.Errorf("%+v", r)
	}
	front := l.fronts()[0]
	if err := syscall.Kill(front, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	until(t, "another front process", func() bool {
		now := l.fronts()
		return len(now) == 1 && now[0] != front
	})
	runs("after the front process's death")
	dir := devtest.Cgroup(t)
	l.put(t, "a.toml", tenantOf("web", dir, "20%"))
	l.reload() // it begins anew
	l.tenant("web", true)
	runs("beside a tenant of a file")
	l.put(t, "b.toml", "[tenant.more]\nunit = \"ebb-test-none.service\"\n")
	l.reload()
	l.tenant("more", true)
	runs("after a change")
	all, _ := l.reference(name)
	if err := spinner.Process.Kill(); err != nil { // its command runs on
		t.Fatal(err)
	}
	l.tenant(name, false)
	// The lease's time is now in the sum of those that are gone: rounded in another order.
	if now, _ := l.reference(name); now < all-1e-9 {
		t.Errorf("the sum of all fell from %v to %v", all, now)
	}
	_ = wait(t, spinner)

	// The service ends before the command.
	cmd := l.join(leaseUser, "--", "sh", "-c", "echo runs; read x; exit 3")
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	text := l.ends()
	in.Close()
	if code := wait(t, cmd).ExitCode(); code != 3 ||
		!strings.Contains(said.String(), "the command is no tenant any more") {
		t.Errorf("status %d, %s", code, &said)
	}
	if strings.Count(text, "warning") != 1 || strings.Contains(text, "panic") { // the front's death
		t.Error(text)
	}
	refused(t, finish(t, l.join(leaseUser, "--", "echo", "not")), 1, "no ebb serves")
}

// takes connects as this process and asks for a lease.
func (l *lending) takes() (c net.Conn, answer string) {
	l.t.Helper()
	c, err := net.Dial("unix", l.socket())
	if err != nil {
		l.t.Fatal(err)
	}
	const wish = `{"slowdown":"5%"}`
	fmt.Fprintf(c, "POST /v1/lease HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", len(wish),
		wish)
	_ = c.SetDeadline(time.Now().Add(hung))
	line, err := bufio.NewReader(c).ReadString('\n')
	if err != nil {
		l.t.Fatal(err)
	}
	return c, strings.TrimSpace(line)
}

// TestServeLeaseAttacked: what a lease does not have: a process that a tenant has, what is forked
// after the holder's end, and places for one who asks often and reads nothing.
func TestServeLeaseAttacked(t *testing.T) {
	besideOthers(t)
	needRoot(t)
	dir := devtest.Cgroup(t)
	l := startLending(t, map[string]string{"a.toml": tenantOf("web", dir, "20%") +
		"[machine]\nrest = \"background\"\n"})
	l.tenant("web", true)
	const name = "lease.54323."

	// One that a tenant has by its cgroup stays that tenant's.
	inside := l.join(leaseUser, "--", "true")
	var said bytes.Buffer
	inside.Stderr = &said
	defer devtest.InCgroup(t, dir, inside)()
	if err := inside.Run(); err == nil || !strings.Contains(said.String(), "tenant already") {
		t.Errorf("%v, %s", err, &said)
	}

	// Under a lease there is no second one; the command's own is refused with one sentence.
	r := finish(t, l.join(leaseUser, "--", l.ebb, "join", "--run-dir", l.runDir, "--", "true"))
	refused(t, r, 1, "tenant already")

	// A process that starts after the holder's end is nobody's.
	cmd := l.join(leaseUser, "--", "sh", "-c", "echo $$; read x; while :; do :; done")
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	pid, _ := strconv.Atoi(strings.TrimSpace(line))
	l.tenant(name, true)
	all, _ := l.reference(name)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	l.tenant(name, false)
	_, _ = io.WriteString(in, "\n")
	time.Sleep(300 * time.Millisecond) // it computes
	_ = syscall.Kill(pid, syscall.SIGKILL)
	now, _ := l.reference(name)
	if now-all > 0.15 {
		t.Errorf("it was counted for %.3f s after its holder's end", now-all)
	}

	// One process has one lease, however often it asks, and keeps it without reading.
	var held []net.Conn
	refusals := 0
	for range 20 { // of one process: the first alone has it
		c, answer := l.takes()
		switch {
		case strings.Contains(answer, "200"):
			held = append(held, c)
		case strings.Contains(answer, "409"), strings.Contains(answer, "429"):
			refusals++
			c.Close()
		default:
			t.Errorf("answer %q", answer)
			c.Close()
		}
	}
	if len(held) != 1 || refusals != 19 {
		t.Errorf("%d leases, %d refusals", len(held), refusals)
	}
	l.tenant("lease.0.", true)
	_, _ = held[0].Write(bytes.Repeat([]byte("GET /v1/tenants HTTP/1.1\r\n\r\n"), 100))
	l.tenant("lease.0.", true)
	held[0].Close()
	l.tenant("lease.0.", false)
	said2 := l.ends()
	if strings.Contains(said2, "was lost") || strings.Contains(said2, "panic") {
		t.Error(said2)
	}
}

// TestRunBesideService: a command of ebb run is a tenant of a service that governs; what a lease
// does not have is refused.
func TestRunBesideService(t *testing.T) {
	besideOthers(t)
	needRoot(t)
	dir := devtest.Cgroup(t)
	inCgroup(t, dir, spin...)
	s := startServing(t, 0, map[string]string{"a.toml": tenantOf("web", dir, "20%")})
	s.sets(true)
	with := func(args ...string) *exec.Cmd {
		return command(t, append([]string{"run", "--sysfs", s.tree, "--run-dir", s.runDir},
			args...)...)
	}
	r := finish(t, with("--slowdown", "7%", "--", "sh", "-c", "echo out; exit 5"))
	if r.code != 5 || r.stdout != "out\n" || !strings.Contains(r.stderr,
		fmt.Sprintf("a tenant of ebb serve (pid %d), at most 7%% slower", s.cmd.Process.Pid)) {
		t.Errorf("%+v", r)
	}
	r = finish(t, with("-q", "--user", "nobody", "--", "id", "-u"))
	if r.code != 0 || r.stdout != "65534\n" || r.stderr != "" {
		t.Errorf("as another user: %+v", r)
	}
	pid := fmt.Sprintf("pid %d", s.cmd.Process.Pid)
	for _, args := range [][]string{{"--record", "/nowhere/r.ebb"}, {"--frequency", "2GHz"},
		{"--report", "/nowhere/r.json"}} {
		refused(t, finish(t, with(append(args, "--", "echo", "not")...)), 2, pid, args[0])
	}
	refused(t, finish(t, with("--pid", fmt.Sprint(os.Getppid()))), 2, pid, "--pid")
	refused(t, finish(t, with("--alone", "--", "echo", "not")), 1, pid, "--alone")
	s.ends()
}

// TestServeLeaseInAContainer: a command in a container's namespaces, with a root of its own and no
// cgroups, takes a lease over the directory of the socket, which is mounted there.
func TestServeLeaseInAContainer(t *testing.T) {
	besideOthers(t)
	l := startLending(t, nil)
	root := t.TempDir()
	for _, dir := range []string{"usr", "proc", "run/ebb"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"bin", "lib", "lib64"} {
		if err := os.Symlink("usr/"+name, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.Command("cp", l.ebb, root).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := os.Chmod(root, 0o755); err != nil {
		t.Fatal(err)
	}
	const script = `cd "$1" && mount --rbind /usr usr && mount --bind "$2" run/ebb &&
		mount -t proc proc proc && exec chroot --userspec="$3:$3" . /ebb join --slowdown 5% -- \
		sh -c 'while :; do :; done'`
	user := strconv.Itoa(leaseUser)
	cmd := unshared(t, []string{"--mount", "--pid", "--fork", "--kill-child", "--net", "--ipc",
		"--uts", "--cgroup"}, "sh", "-c", script, "sh", root, l.runDir, user)
	cmd.Stderr = t.Output()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	name := "lease." + user + ".1"
	l.tenant(name, true)
	_, before := l.reference(name)
	until(t, "its work is counted", func() bool {
		_, now := l.reference(name)
		return now > before
	})
	if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	wait(t, cmd)
	l.tenant(name, false)
}
