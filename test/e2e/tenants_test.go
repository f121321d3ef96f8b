package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/linux/cgroup"
)

// tenantsFile writes a file of tenants.
func tenantsFile(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tenants.toml")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// following starts ebb and waits until it says that it governs, with what it said then. The
// returned function waits for its end and returns all that it said.
func following(t testing.TB, cmd *exec.Cmd) (first string, end func() string) {
	t.Helper()
	pipe, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	in := bufio.NewReader(pipe)
	var said strings.Builder
	for !strings.Contains(first, "governs ") {
		if first, err = in.ReadString('\n'); err != nil {
			t.Fatalf("ebb ended: %v: %s", cmd.Wait(), &said)
		}
		said.WriteString(first)
	}
	all := make(chan bool)
	go func() {
		_, _ = in.WriteTo(&said)
		close(all)
	}()
	return first, func() string {
		<-all
		if err := cmd.Wait(); err != nil {
			t.Errorf("ebb ended: %v: %s", err, &said)
		}
		return said.String()
	}
}

type tenantsReport struct {
	WallNS      int64  `json:"wall_ns"`
	LostRecords uint64 `json:"lost_records"`
	Machine     struct {
		CPUs int `json:"cpus"`
	} `json:"machine"`
	Threads []struct {
		PID    int    `json:"pid"`
		Tenant string `json:"tenant"`
		RunNS  int64  `json:"run_ns"`
	} `json:"threads"`
	Tenants struct {
		RestCPUNS int64  `json:"rest_cpu_ns"`
		Measured  *int64 `json:"measured_nj"`
		Imposed   *int64 `json:"imposed_nj"`
		Other     *int64 `json:"other_nj"`
		Note      string `json:"imposed_note"`
		List      []struct {
			Name      string  `json:"name"`
			Begins    int     `json:"begins"`
			PresentNS int64   `json:"present_ns"`
			BusyNS    int64   `json:"busy_ns"`
			CPUNS     int64   `json:"cpu_ns"`
			TracedNS  int64   `json:"traced_cpu_ns"`
			Decisions int64   `json:"decisions"`
			Slowdown  float64 `json:"slowdown_predicted"`
			Wished    int64   `json:"wished_freq_hz"`
			Got       int64   `json:"got_freq_hz"`
			HeldNS    int64   `json:"held_ns"`
		} `json:"list"`
	} `json:"tenants"`
}

func readTenants(t *testing.T, path string) (r tenantsReport) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// usage is the kernel's account of a cgroup's CPU time.
func usage(t *testing.T, dir string) int64 {
	t.Helper()
	c, err := cgroup.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	used, ok := c.CPUTime()
	if !ok {
		t.Fatalf("%s has no CPU time", dir)
	}
	return int64(used)
}

// followed waits until ebb follows a cgroup that was made under its eyes: it has the cgroup's
// events open, and the directory no more.
func followed(t *testing.T, pid int, dir string) {
	t.Helper()
	until(t, "ebb follows "+dir, func() bool {
		files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
		events, open := false, false
		for _, f := range files {
			to, _ := os.Readlink(f)
			events = events || to == filepath.Join(dir, "cgroup.events")
			open = open || to == dir
		}
		return events && !open
	})
}

// TestTenants governs three cgroups and a process, each by a budget of its own: one cgroup is
// waited for, its program ends and comes again in a cgroup made anew, a process moves from the
// second cgroup to the third, and the process is killed. Each one's CPU time is the kernel's: to
// 1 % and 20 ms, for what a thread runs between its move and its next stop, and for the shell that
// becomes a program before ebb follows it.
func TestTenants(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	spinning := workload(t, "spin", "300")
	top := devtest.Cgroup(t)
	first, second, third := filepath.Join(top, "first"), devtest.ChildCgroup(t, top, "second"),
		devtest.ChildCgroup(t, top, "third")

	// The process waits for a line, so that it has used nothing before it is followed.
	alone := exec.Command("sh", append([]string{"-c", `read x; exec "$@"`, "sh"}, spin...)...)
	input, err := alone.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := alone.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { kill(alone) })

	path := filepath.Join(t.TempDir(), "r.json")
	recording := filepath.Join(t.TempDir(), "r.ebb")
	cmd := command(t, "run", "--report", path, "--record", recording, "--tenants", tenantsFile(t, fmt.Sprintf(`
[tenant.first]
cgroup = %q
slowdown = "2%%"
[tenant.second]
cgroup = %q
slowdown = "5%%"
[tenant.third]
cgroup = %q
slowdown = "10%%"
[tenant.alone]
pid = %d
[machine]
rest = "background"
`, first, second, third, alone.Process.Pid)))
	said, ended := following(t, cmd)
	for _, w := range []string{"4 tenants of tenants.toml", "waits for first, second, third"} {
		if !strings.Contains(said, w) {
			t.Errorf("%q does not say %q", said, w)
		}
	}
	if _, err := input.Write([]byte("\n")); err != nil {
		t.Fatal(err)
	}
	var want [4]int64
	for range 2 {
		if err := os.Mkdir(first, 0o755); err != nil {
			t.Fatal(err)
		}
		followed(t, cmd.Process.Pid, first)
		p, _ := inCgroup(t, first, spinning...)
		if err := p.Wait(); err != nil {
			t.Error(err)
		}
		want[0] += usage(t, first)
		devtest.RemoveCgroup(t, first)
	}
	moves, _ := inCgroup(t, second, spinning...)
	stays, _ := inCgroup(t, third, spinning...)
	for usage(t, second) < int64(50*time.Millisecond) { // it has run there
		time.Sleep(5 * time.Millisecond)
	}
	devtest.JoinCgroup(t, third, moves.Process.Pid)
	for _, p := range []*exec.Cmd{moves, stays} {
		if err := p.Wait(); err != nil {
			t.Error(err)
		}
	}
	kill(alone)
	want[1], want[2] = usage(t, second), usage(t, third)
	want[3] = int64(alone.ProcessState.UserTime() + alone.ProcessState.SystemTime())
	if err := cmd.Process.Signal(unix.SIGINT); err != nil {
		t.Fatal(err)
	}
	text := ended()

	r := readTenants(t, path)
	if len(r.Tenants.List) != 4 || r.LostRecords != 0 {
		t.Fatalf("%d tenants, %d records lost", len(r.Tenants.List), r.LostRecords)
	}
	sum := r.Tenants.RestCPUNS
	for i, x := range r.Tenants.List {
		// Of one that a time tick accounts, utime and stime are the scheduler's time as well.
		if !near(x.CPUNS, want[i], 0.01, 20*time.Millisecond) {
			t.Errorf("%s ran %v by the report, %v by the kernel", x.Name, time.Duration(x.CPUNS),
				time.Duration(want[i]))
		}
		if x.TracedNS <= 0 || x.BusyNS <= 0 || x.BusyNS > x.PresentNS ||
			x.PresentNS > r.WallNS || x.Decisions == 0 || x.Wished == 0 || x.Got < x.Wished ||
			x.HeldNS > x.BusyNS {
			t.Errorf("%+v", x)
		}
		if begins := map[string]int{"first": 2}[x.Name]; x.Begins != max(begins, 1) {
			t.Errorf("%s came %d times", x.Name, x.Begins)
		}
		sum += x.CPUNS
	}
	if most := int64(r.Machine.CPUs) * r.WallNS; sum > most {
		t.Errorf("all ran %v, and the CPUs had %v", time.Duration(sum), time.Duration(most))
	}
	of := map[string]int64{}
	for _, th := range r.Threads {
		of[th.Tenant] += th.RunNS
	}
	for _, x := range r.Tenants.List {
		if of[x.Name] != x.CPUNS {
			t.Errorf("%s's threads ran %d ns, itself %d", x.Name, of[x.Name], x.CPUNS)
		}
	}
	if alone := r.Tenants.List[3]; alone.Slowdown != 0 || alone.Wished != alone.Got {
		t.Errorf("without a budget: %+v", alone)
	}
	if r.Tenants.Measured == nil && (r.Tenants.Imposed != nil || r.Tenants.Note == "") {
		t.Errorf("imposed, with no meter: %v, %q", r.Tenants.Imposed, r.Tenants.Note)
	}
	for _, line := range strings.Split(text, "\n") {
		if len([]rune(line)) > 80 && !strings.HasPrefix(line, "ebb: ") {
			t.Errorf("longer than 80 columns: %s", line)
		}
	}
	if strings.Contains(text, " J") {
		t.Errorf("joules without a meter: %s", text)
	}
	played := ebb(t, "replay", recording)
	if played.code != 0 || !strings.Contains(played.stdout, " actions agree") {
		t.Errorf("ebb replay: status %d: %s%s", played.code, played.stdout, played.stderr)
	}
	refused(t, ebb(t, "replay", "--model", "dep", recording), 2, "several tenants")
	shown := ebb(t, "report", path)
	if shown.code != 0 || !strings.Contains(shown.stdout, "third") {
		t.Errorf("ebb report: status %d: %s%s", shown.code, shown.stdout, shown.stderr)
	}
}

// TestTenantsEnd: by --duration with nobody there, and with the last process; a tenant that is a
// cgroup keeps the run.
func TestTenantsEnd(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	devtest.Cgroup(t) // or there is no hierarchy for a unit
	file := tenantsFile(t, "[tenant.a]\nunit = \"ebb-test-none.service\"\n")
	res := ebb(t, "run", "--duration", "300ms", "--tenants", file)
	if res.code != 0 || !strings.Contains(res.stderr, "waits for a") ||
		!strings.Contains(res.stderr, "it never came") {
		t.Errorf("status %d: %s", res.code, res.stderr)
	}
	a, _ := inCgroup(t, "", "sleep", "1000")
	b, _ := inCgroup(t, "", "sleep", "1000")
	cmd := command(t, "run", "--tenants", tenantsFile(t, fmt.Sprintf(
		"[tenant.a]\npid = %d\n[tenant.b]\npid = %d\nobjective = \"system-energy\"\n",
		a.Process.Pid, b.Process.Pid)))
	_, ended := following(t, cmd)
	kill(a)
	if !alive(cmd.Process.Pid) {
		t.Error("ebb ended with the first process")
	}
	kill(b)
	ended()
}

// TestTenantsRest: with rest = "highest", programs that are no tenant's have the highest clock.
func TestTenantsRest(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	dir := devtest.Cgroup(t)
	path := filepath.Join(t.TempDir(), "r.json")
	inCgroup(t, dir, spin...)
	for range runtime.NumCPU() {
		inCgroup(t, "", spin...)
	}
	for _, rest := range []string{"highest", "system-energy"} {
		res := ebb(t, "run", "--duration", "2s", "--report", path, "--tenants",
			tenantsFile(t, fmt.Sprintf("[tenant.a]\ncgroup = %q\nslowdown = \"50%%\"\n[machine]\n"+
				"rest = %q\n", dir, rest)))
		r := readTenants(t, path)
		if res.code != 0 || r.Tenants.RestCPUNS < int64(200*time.Millisecond) {
			t.Errorf("%s: status %d, the rest ran %v: %s", rest, res.code,
				time.Duration(r.Tenants.RestCPUNS), res.stderr)
		}
		a := r.Tenants.List[0]
		if rest == "highest" && a.Slowdown > 0.01 {
			t.Errorf("beside others that want the highest clock, a is slower: %+v", a)
		}
	}
}

// TestTenantsGuarded: with several tenants ebb sets the clock of a machine of files, and it is back
// after SIGTERM, which ends the run with status 0, and after SIGKILL.
func TestTenantsGuarded(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	top := devtest.Cgroup(t)
	var text strings.Builder
	for i, budget := range []string{"2%", "20%", "50%"} {
		dir := devtest.ChildCgroup(t, top, fmt.Sprint("t", i))
		inCgroup(t, dir, spin...)
		fmt.Fprintf(&text, "[tenant.t%d]\ncgroup = %q\nslowdown = %q\n", i, dir, budget)
	}
	file := tenantsFile(t, text.String())
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		g := takeHoldOf(t, "--tenants", file)
		until(t, "the clock is set", func() bool {
			return g.controls()["scaling_governor"] == "userspace"
		})
		asked := time.Now()
		if err := g.cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		g.back(asked, backWithin)
		code := wait(t, g.cmd).ExitCode()
		until(t, "the run directory is gone", g.gone)
		if sig == syscall.SIGKILL {
			continue
		}
		r := readTenants(t, g.report)
		if said := read(t, g.stderr); code != 0 || !strings.Contains(said, "frequency set by") {
			t.Errorf("status %d: %s", code, said)
		}
		for _, x := range r.Tenants.List {
			if x.Decisions == 0 || x.Got < x.Wished {
				t.Errorf("%+v", x)
			}
		}
	}
}

// TestTenantsKilled: whatever kills ebb while tenants come and go, the next run governs the same.
func TestTenantsKilled(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	dir := devtest.Cgroup(t)
	p, _ := inCgroup(t, dir, spin...)
	file := tenantsFile(t, fmt.Sprintf("[tenant.a]\ncgroup = %q\n[tenant.b]\npid = %d\n", dir,
		p.Process.Pid))
	for i := range 3 {
		cmd := command(t, "run", "--tenants", file)
		var said strings.Builder
		cmd.Stderr = &said
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(100*(1+i)) * time.Millisecond) // at any moment
		_ = cmd.Process.Signal(syscall.SIGKILL)
		_ = cmd.Wait()
	}
	if res := ebb(t, "run", "--duration", "300ms", "--tenants", file); res.code != 0 ||
		strings.Contains(res.stderr, "warning") {
		t.Errorf("status %d: %s", res.code, res.stderr)
	}
}
