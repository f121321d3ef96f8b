package e2e

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// A server has two instances. ebb governs the first; both are loaded in turn for a second each, and
// in every second pair the other one first.

const (
	serverPairs = 20
	// serverAccounted are the seconds of load in which the kernel's account of BPF programs is kept
	// as well: it adds to each run of theirs, so the pairs are without it.
	serverAccounted = 5
)

// instance is a server that runs: in which cgroup, and what loads it for about a second and returns
// the number of requests answered and the time they took.
type instance struct {
	dir  string
	load func() (requests, seconds float64)
}

// cpu is the CPU time that the kernel has counted for the instance's cgroup, in ns.
func (i *instance) cpu(b *testing.B) float64 {
	b.Helper()
	text, err := os.ReadFile(filepath.Join(i.dir, "cpu.stat"))
	if err != nil {
		b.Fatal(err)
	}
	var us float64
	if n, err := fmt.Sscanf(string(text), "usage_usec %g", &us); n != 1 {
		b.Fatalf("cpu.stat of %s: %v", i.dir, err)
	}
	return us * 1000
}

// nobody is a user who may nothing: a database refuses to be root.
const nobody = 65534

// server starts an instance of a server on a port of its own.
type server func(b *testing.B) *instance

// launched starts a program in a cgroup of its own, and ends it with the benchmark.
func launched(b *testing.B, argv ...string) (i *instance, out *bufio.Reader) {
	b.Helper()
	i = &instance{dir: devtest.Cgroup(b)}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stderr = os.Stderr
	if strings.Contains(argv[0], "setpriv") {
		cmd.Stderr = nil // the database writes its log there
	}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	entered := devtest.InCgroup(b, i.dir, cmd)
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	entered()
	b.Cleanup(func() {
		_ = stdin.Close()
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	})
	return i, bufio.NewReader(stdout)
}

// installed is a program's path, or the benchmark is skipped.
func installed(b *testing.B, name string) string {
	b.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		b.Skipf("%s is not installed (tools/costs.sh has the packages)", name)
	}
	return path
}

// listens waits until something listens on the port.
func listens(b *testing.B, port string) {
	b.Helper()
	for end := time.Now().Add(hung); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if c, err := net.Dial("tcp", "127.0.0.1:"+port); err == nil {
			_ = c.Close()
			return
		}
	}
	b.Fatalf("nothing listens on port %s", port)
}

// answered runs a client and returns the number that its output has at a pattern.
func answered(b *testing.B, pattern *regexp.Regexp, argv ...string) float64 {
	b.Helper()
	out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput()
	m := pattern.FindSubmatch(out)
	if err != nil || m == nil {
		b.Fatalf("%s: %v\n%s", strings.Join(argv, " "), err, out)
	}
	v, err := strconv.ParseFloat(string(m[1]), 64)
	if err != nil {
		b.Fatal(err)
	}
	return v
}

// onCPU are the words before a command that keep it on a CPU, where the machine has two.
func onCPU(cpu int) []string {
	if _, err := os.Stat("/sys/devices/system/cpu/cpu1"); err != nil {
		return nil
	}
	return []string{"taskset", "-c", strconv.Itoa(cpu)}
}

var wrkRequests = regexp.MustCompile(`(\d+) requests in `)

// wrk loads an HTTP server for a second with so many connections.
func wrk(b *testing.B, port string, connections int, before ...string) func() (float64, float64) {
	argv := slices.Concat(before, []string{installed(b, "wrk"), "-t1", "-d1s",
		"-c" + strconv.Itoa(connections), "http://127.0.0.1:" + port + "/index.html"})
	return func() (requests, seconds float64) {
		b.Helper()
		return answered(b, wrkRequests, argv...), 1
	}
}

// loadedNginx has one worker, on the first CPU, and serves a file of 612 bytes. Its client has the
// other CPU.
func loadedNginx(connections int) server {
	return func(b *testing.B) *instance {
		b.Helper()
		dir, port := b.TempDir(), freePort(b)
		write := func(name, text string) {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				b.Fatal(err)
			}
		}
		write("index.html", strings.Repeat("x", 612))
		write("nginx.conf", fmt.Sprintf("daemon off; user root; worker_processes 1;\n"+
			"pid %[1]s/pid; error_log stderr crit; events { worker_connections 256; }\n"+
			"http { access_log off; keepalive_requests 1000000000;\n"+
			"server { listen 127.0.0.1:%[2]s; root %[1]s; } }\n", dir, port))
		i, _ := launched(b, append(onCPU(0), installed(b, "nginx"), "-c", dir+"/nginx.conf",
			"-p", dir, "-e", "stderr")...)
		listens(b, port)
		i.load = wrk(b, port, connections, onCPU(1)...)
		return i
	}
}

var redisRate = regexp.MustCompile(`GET: ([\d.]+) requests per second`)

// loadedRedis is asked for one value by 50 connections.
func loadedRedis(b *testing.B) *instance {
	b.Helper()
	port := freePort(b)
	i, _ := launched(b, append(onCPU(0), installed(b, "redis-server"), "--port", port,
		"--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--logfile", "/dev/null",
		"--dir", b.TempDir())...)
	listens(b, port)
	ask := func(n float64) float64 {
		return answered(b, redisRate, append(onCPU(1), installed(b, "redis-benchmark"), "-p", port,
			"-t", "get", "-q", "-c", "50", "-n", strconv.Itoa(int(n)))...)
	}
	n := ask(20000) // as many as take about a second
	i.load = func() (requests, seconds float64) { return n, n / ask(n) }
	return i
}

var pgTransactions = regexp.MustCompile(`actually processed: (\d+)`)

// loadedPostgres has pgbench's own transactions by four connections, and does not wait for the
// disk.
func loadedPostgres(b *testing.B) *instance {
	b.Helper()
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	if len(found) == 0 {
		b.Skip("postgresql is not installed (tools/costs.sh has the packages)")
	}
	bin, port := found[len(found)-1]+"/", freePort(b)
	dir, err := os.MkdirTemp("", "postgres")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chown(dir, nobody, nobody); err != nil {
		b.Fatal(err)
	}
	id := strconv.Itoa(nobody)
	as := []string{"setpriv", "--reuid", id, "--regid", id, "--clear-groups"}
	must := func(argv ...string) {
		if out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput(); err != nil {
			b.Fatalf("%s: %v\n%s", strings.Join(argv, " "), err, out)
		}
	}
	must(slices.Concat(as, []string{bin + "initdb", "-D", dir, "-A", "trust", "-U", "postgres",
		"--no-sync", "--no-locale"})...)
	i, _ := launched(b, slices.Concat(as, []string{bin + "postgres", "-D", dir, "-p", port, "-c",
		"listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", "-c", "fsync=off", "-c",
		"autovacuum=off"})...)
	asked := []string{"-h", "127.0.0.1", "-p", port, "-U", "postgres"}
	until(b, "the database serves", func() bool {
		return exec.Command(bin+"pg_isready", asked...).Run() == nil
	})
	must(slices.Concat([]string{bin + "pgbench"}, asked,
		[]string{"-i", "-q", "-s", "4", "postgres"})...)
	i.load = func() (requests, seconds float64) {
		return answered(b, pgTransactions, slices.Concat([]string{bin + "pgbench"}, asked,
			[]string{"-n", "-T", "1", "-c", "4", "postgres"})...), 1
	}
	return i
}

// loadedTomcat has one servlet, which sorts some numbers. Its methods are compiled before it is
// measured.
func loadedTomcat(b *testing.B) *instance {
	b.Helper()
	const jar = "/usr/share/java/tomcat10-embed-core.jar"
	if _, err := os.Stat(jar); err != nil {
		b.Skip(err)
	}
	classes, sources := b.TempDir(), "../workloads/e-surgeon/"
	if out, err := exec.Command(installed(b, "javac"), "-nowarn", "-d", classes, "-cp", jar,
		sources+"TomcatServer.java", sources+"Page.java").CombinedOutput(); err != nil {
		b.Fatalf("javac: %v\n%s", err, out)
	}
	i, out := launched(b, installed(b, "java"), "-Djava.util.logging.config.file=/dev/null", "-cp",
		classes+":"+jar, "TomcatServer", b.TempDir())
	line, err := out.ReadString('\n')
	port, is := strings.CutPrefix(strings.TrimSpace(line), "port ")
	if err != nil || !is {
		b.Fatalf("Tomcat's port: %q, %v", line, err)
	}
	i.load = wrk(b, port, 4)
	for range 4 {
		i.load()
	}
	return i
}

// paired loads a governed and an ungoverned instance in turn.
func paired(b *testing.B, start server, flags ...string) {
	b.Helper()
	needRoot(b)
	var t tally
	for b.Loop() {
		governed, other := start(b), start(b)
		path := filepath.Join(b.TempDir(), "r.json")
		ebb := exec.Command(ebbPath(b), slices.Concat([]string{"run", "--live", "none", "--report",
			path, "--cgroup", governed.dir}, flags)...)
		_, ended := following(b, ebb)
		want := tracing(flags)
		held := programsOf(b, ebb.Process.Pid, want)
		pid, loaded := ebb.Process.Pid, 0.0
		governed.load()
		other.load()
		for n := range rounds(b, serverPairs) {
			var cpu, rate [2]float64
			for k := range 2 {
				which := (n + k) % 2
				i := []*instance{governed, other}[which]
				own, before, began := useOf(b, pid), i.cpu(b), time.Now()
				requests, seconds := i.load()
				took := time.Since(began).Seconds()
				cpu[which], rate[which] = (i.cpu(b)-before)/requests, requests/seconds
				if which == 0 {
					t.add("own-cpu-%", 100*(useOf(b, pid).cpu-own.cpu).Seconds()/took)
					t.add("requests/s", rate[0])
					loaded += took
				}
			}
			t.add("cpu-ratio", cpu[0]/cpu[1])
			t.add("throughput-ratio", rate[0]/rate[1])
		}
		end := accounted(b)
		for range serverAccounted {
			before, cpu := accountOf(b, held), governed.cpu(b)
			irqs, began := interrupts(b), time.Now()
			governed.load()
			took := time.Since(began).Seconds()
			loaded += took
			t.add("irqs/s", (interrupts(b)-irqs)/took)
			accountOf(b, held).since(before, governed.cpu(b)-cpu, want, &t)
		}
		end()
		release(held)
		if err := ebb.Process.Signal(os.Interrupt); err != nil {
			b.Fatal(err)
		}
		ended()
		said := readWitnessed(b, path)
		said.add(&t)
		t.add("epochs/s", float64(said.Epochs)/loaded)
		t.add("lost-records", float64(said.LostRecords))
	}
	t.report(b)
}
