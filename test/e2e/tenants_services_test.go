package e2e

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// serverProgram is a service of Debian's and what gives it work.
type serverProgram struct {
	needs  []string // the commands that it takes
	server []string
	load   []string
	ready  func() bool
	signal unix.Signal // what ends it
}

// freePort is one of loopback that nobody listens on.
func freePort(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}

func answers(port string) func() bool {
	return func() bool {
		c, err := net.Dial("tcp", "127.0.0.1:"+port)
		if err == nil {
			c.Close()
		}
		return err == nil
	}
}

func nginx(t *testing.T) serverProgram {
	t.Helper()
	port, dir := freePort(t), t.TempDir()
	file := filepath.Join(dir, "nginx.conf")
	text := fmt.Sprintf(`daemon off; user nobody nogroup; worker_processes 2; pid %[1]s/pid;
error_log /dev/null; events {}
http { access_log off; client_body_temp_path %[1]s/a; proxy_temp_path %[1]s/b;
fastcgi_temp_path %[1]s/c; uwsgi_temp_path %[1]s/d; scgi_temp_path %[1]s/e;
server { listen 127.0.0.1:%[2]s; location / { return 200 "ok"; } } }
`, dir, port)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return serverProgram{needs: []string{"nginx", "ab"}, server: []string{"nginx", "-c", file},
		load:  []string{"ab", "-q", "-n", "20000", "-c", "8", "http://127.0.0.1:" + port + "/"},
		ready: answers(port), signal: unix.SIGTERM}
}

func redis(t *testing.T) serverProgram {
	t.Helper()
	port := freePort(t)
	return serverProgram{needs: []string{"redis-server", "redis-benchmark"},
		server: []string{"redis-server", "--port", port, "--bind", "127.0.0.1", "--save", "",
			"--appendonly", "no", "--dir", t.TempDir()},
		load: []string{"redis-benchmark", "-h", "127.0.0.1", "-p", port, "-q", "-n", "50000",
			"-t", "set,get"},
		ready: answers(port), signal: unix.SIGTERM}
}

// postgres has a database of its own, whose files belong to the user postgres.
func postgres(t *testing.T) serverProgram {
	t.Helper()
	s := serverProgram{needs: []string{"pgbench", "setpriv", "initdb", "postgres"},
		signal: unix.SIGINT}
	if found, _ := filepath.Glob("/usr/lib/postgresql/*/bin"); len(found) > 0 {
		t.Setenv("PATH", found[0]+":"+os.Getenv("PATH"))
	}
	if !s.there() || exec.Command("id", "postgres").Run() != nil {
		s.needs = append(s.needs, "a user postgres with initdb")
		return s
	}
	dir, err := os.MkdirTemp("", "ebb-test-postgres")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	as := []string{"setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"}
	prepare := func(argv ...string) {
		t.Helper()
		if out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v: %s", argv, err, out)
		}
	}
	prepare("chown", "postgres", dir)
	data := filepath.Join(dir, "data")
	prepare(append(as, "initdb", "-D", data, "-A", "trust", "-N")...)
	s.server = append(as, "postgres", "-D", data, "-c", "listen_addresses=", "-c",
		"unix_socket_directories="+dir, "-c", "fsync=off", "-c", "autovacuum=off")
	client := func(argv ...string) []string {
		return append(append([]string{}, as...),
			append(argv, "-h", dir, "-U", "postgres", "postgres")...)
	}
	filled := false
	s.ready = func() bool {
		argv := client("pgbench", "-q", "-i", "-s", "1")
		filled = filled || exec.Command(argv[0], argv[1:]...).Run() == nil
		return filled
	}
	s.load = client("pgbench", "-c", "4", "-T", "2", "-n")
	return s
}

// there reports whether all commands are installed.
func (s *serverProgram) there() bool {
	for _, name := range s.needs {
		if _, err := exec.LookPath(name); err != nil {
			return false
		}
	}
	return true
}

// serve starts a server in a cgroup and waits until it serves.
func (s *serverProgram) serve(t *testing.T, dir string) *exec.Cmd {
	t.Helper()
	cmd, _ := inCgroup(t, dir, s.server...)
	t.Cleanup(func() { // with its children
		_ = cmd.Process.Signal(s.signal)
		_ = cmd.Wait()
	})
	until(t, s.server[0]+" serves", s.ready)
	return cmd
}

func (s *serverProgram) work(t *testing.T) {
	t.Helper()
	if out, err := exec.Command(s.load[0], s.load[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %v: %s", s.load, err, out)
	}
}

// TestTenantsServices governs nginx, redis and postgres in a cgroup each, in shadow mode, beside
// programs that give them work. One is restarted, one is moved into another's cgroup, one is
// killed. Each one's CPU time is the kernel's, and the energy is the meter's.
func TestTenantsServices(t *testing.T) {
	devtest.Long(t)
	needRoot(t)
	nothingLeft(t)
	top := devtest.Cgroup(t)
	services := []serverProgram{nginx(t), redis(t), postgres(t)}
	var dirs []string
	var servers []*exec.Cmd
	text := "[machine]\nrest = \"background\"\n"
	for i, s := range services {
		if !s.there() {
			t.Skipf("needs %v", s.needs)
		}
		dirs = append(dirs, devtest.ChildCgroup(t, top, s.needs[0]))
		servers = append(servers, s.serve(t, dirs[i]))
		text += fmt.Sprintf("[tenant.t%d]\ncgroup = %q\nslowdown = %q\n", i, dirs[i],
			[]string{"2%", "5%", "10%"}[i])
	}
	root := meterTree(t)
	const span, watts = 1 << 40, 40
	energy := meterZone(t, root, "intel-rapl:0", "package-0", span)
	start, stop, stopped := time.Now(), make(chan bool), make(chan bool)
	show(t, energy, 0)
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
				show(t, energy, int64(time.Since(start)/time.Microsecond)*watts)
			}
		}
	}()
	path := filepath.Join(t.TempDir(), "r.json")
	cmd := command(t, "run", "--sysfs", root, "--report", path, "--tenants", tenantsFile(t, text))
	_, ended := following(t, cmd)
	var before, want [3]int64
	for i, dir := range dirs {
		before[i] = usage(t, dir)
	}
	for i := range services {
		services[i].work(t)
	}
	// nginx is restarted.
	_ = servers[0].Process.Signal(services[0].signal)
	_ = servers[0].Wait()
	servers[0] = services[0].serve(t, dirs[0])
	services[0].work(t)
	// redis works in the cgroup of nginx, and comes back.
	devtest.JoinCgroup(t, dirs[0], servers[1].Process.Pid)
	services[1].work(t)
	devtest.JoinCgroup(t, dirs[1], servers[1].Process.Pid)
	services[1].work(t)
	kill(servers[1])
	services[2].work(t)
	for i, dir := range dirs {
		_ = servers[i].Process.Signal(services[i].signal)
		_ = servers[i].Wait()
		want[i] = usage(t, dir) - before[i]
	}
	if err := cmd.Process.Signal(unix.SIGINT); err != nil {
		t.Fatal(err)
	}
	ended()
	close(stop)
	<-stopped

	r := readTenants(t, path)
	if len(r.Tenants.List) != 3 || r.LostRecords != 0 {
		t.Fatalf("%d tenants, %d records lost", len(r.Tenants.List), r.LostRecords)
	}
	for i, x := range r.Tenants.List {
		t.Logf("%s: %v by the report, %v by the kernel, %d times, %d decisions",
			services[i].needs[0], time.Duration(x.CPUNS), time.Duration(want[i]), x.Begins,
			x.Decisions)
		if !near(x.CPUNS, want[i], 0.01, 20*time.Millisecond) || x.Decisions == 0 ||
			x.Begins == 0 {
			t.Errorf("%s: %+v, and the kernel has %v", services[i].needs[0], x,
				time.Duration(want[i]))
		}
	}
	if r.Tenants.Measured == nil {
		t.Fatal("the meter was not read")
	}
	if w := float64(*r.Tenants.Measured) / float64(r.WallNS); w < watts*0.98 || w > watts*1.02 {
		t.Errorf("%.2f W by the report, %d by the meter", w, watts)
	}
}
