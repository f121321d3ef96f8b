package vm

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// tenantGroups makes three cgroups that are tenants, and writes the tenants' file.
func tenantGroups(t *testing.T) (dirs []string, file string) {
	t.Helper()
	names, budgets := []string{"t0", "t1", "t2"}, []string{"2%", "5%", "10%"}
	dirs = cgroups(t, names...)
	var text strings.Builder
	for i, dir := range dirs {
		fmt.Fprintf(&text, "[tenant.%s]\ncgroup = %q\nslowdown = %q\n", names[i], dir, budgets[i])
	}
	file = filepath.Join(t.TempDir(), "tenants.toml")
	if err := os.WriteFile(file, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { endLoads(t) })
	return dirs, file
}

// loadIn starts a load in a cgroup.
func loadIn(t *testing.T, dir string, l load) *exec.Cmd {
	t.Helper()
	return inGroup(t, dir, exec.Command(l.program(), l.args()...))
}

// TestTenantsKilled: ebb is killed at random moments of governing three tenants. Its guardian puts
// a real cpufreq back, and the tenants run on.
func TestTenantsKilled(t *testing.T) {
	rounds, err := strconv.Atoi(os.Getenv("kills"))
	if err != nil {
		rounds = kills
	}
	dirs, file := tenantGroups(t)
	for _, dir := range dirs {
		loadIn(t, dir, mixed.of(10_000*long))
	}
	rnd := devtest.Rand(t)
	for i := range rounds {
		before := controls(t)
		c := governBy(t, time.Duration(rnd.Int64N(int64(700*time.Millisecond))), "-q", "--quantum",
			quantum, "--tenants", file)
		if err := c.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = c.Wait()
		if !eventually(func() bool { _, err := os.Stat("/run/ebb"); return err != nil }) {
			t.Fatalf("round %d: the run directory is still there", i)
		}
		if same(t, controls(t), before); t.Failed() {
			t.Fatalf("round %d", i)
		}
		if n := len(processes(t, "/bin/load")); n != len(dirs) {
			t.Fatalf("round %d: %d loads", i, n)
		}
	}
	t.Logf("killed %d times beside three tenants", rounds)
}

// TestTenantsBudget: three tenants share a processor, with budgets of 2, 5 and 10 %. Each one's CPU
// time for its work, by the kernel's account, is longer than without ebb by its budget and at most
// a point, in the mean of some pairs of runs, and ebb's energy is what the platform has counted
// while there were tenants.
func TestTenantsBudget(t *testing.T) {
	pairs, err := strconv.Atoi(os.Getenv("kills"))
	if err != nil {
		pairs = kills
	}
	settle(t)
	dirs, file := tenantGroups(t)
	text := read(t, file) + "\n[machine]\nrest = \"background\"\n"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	// At a lower clock each saves energy. A load that only computes would hold all at the highest.
	loads := []load{memoryBound.of(medium), mixed.of(medium), memoryBound.of(medium)}
	work := func() (took [3]float64) {
		t.Helper()
		var running []*exec.Cmd
		for i, dir := range dirs {
			took[i] = -usageIn(t, dir).Seconds()
			running = append(running, loadIn(t, dir, loads[i]))
		}
		for i, c := range running {
			if err := c.Wait(); err != nil {
				t.Error(err)
			}
			took[i] += usageIn(t, dirs[i]).Seconds()
		}
		return took
	}
	keep(t, states(t)[0])
	var slower [3]float64
	lowered := false
	for range pairs {
		plain := work()
		const path = "/tmp/tenants.json"
		meterAnew(t)
		c := governTenants(t, file, path)
		governed := work()
		if err := c(); err != nil {
			t.Fatal(err)
		}
		var rep tenantsReport
		if err := json.Unmarshal([]byte(read(t, path)), &rep); err != nil {
			t.Fatal(err)
		}
		for i, of := range rep.Tenants.List {
			x := governed[i]/plain[i] - 1
			slower[i] += x / float64(pairs)
			t.Logf("%s: %.3f s, %.3f without ebb: %.2f %% slower, %.2f by ebb's account", of.Name,
				governed[i], plain[i], 100*x, 100*of.Slowdown)
			lowered = lowered || of.Slowdown > 0.005
		}
		used := metered(t)
		is, want := rep.Tenants.Measured/1e9, used["package-0"]+used["dram-0"]
		// The platform's begins with ebb's second reading, ebb's where the first tenant runs.
		if t.Logf("%.6f J", is); is > want || is < 0.98*want {
			t.Errorf("%.6f J by ebb, %.6f by the platform", is, want)
		}
	}
	if !lowered {
		t.Error("no clock was ever lowered")
	}
	for i, budget := range []float64{0.02, 0.05, 0.10} {
		t.Logf("tenant %d: %.2f %% slower for %.0f %%, in the mean of %d pairs", i, 100*slower[i],
			100*budget, pairs)
		if slower[i] > budget+0.01 {
			t.Errorf("tenant %d is %.2f %% slower", i, 100*slower[i])
		}
	}
}

// tenantsReport is what the tests read of a report of several tenants.
type tenantsReport struct {
	Actuator string
	Lost     int `json:"lost_records"`
	Tenants  struct {
		Measured float64 `json:"measured_nj"`
		List     []struct {
			Name     string
			Begins   int
			CPUNS    int64   `json:"cpu_ns"`
			Slowdown float64 `json:"slowdown_predicted"`
		}
	}
}

// governTenants has ebb govern the tenants of a file; end ends it.
func governTenants(t *testing.T, file, report string, flags ...string) (end func() error) {
	t.Helper()
	c := exec.Command("/bin/ebb", append([]string{"run", "--quantum", quantum, "--report", report,
		"--tenants", file}, flags...)...)
	said, err := c.StderrPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(said)
	for line := ""; !strings.Contains(line, "governs "); {
		if line, err = lines.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	heard := make(chan struct{})
	go func() { _, _ = lines.WriteTo(os.Stderr); close(heard) }()
	return func() error {
		err := c.Process.Signal(unix.SIGTERM)
		<-heard
		return errors.Join(err, c.Wait())
	}
}

// usageIn is the kernel's account of a cgroup's CPU time.
func usageIn(t *testing.T, dir string) time.Duration {
	t.Helper()
	var us int64
	if _, err := fmt.Sscanf(read(t, filepath.Join(dir, "cpu.stat")), "usage_usec %d",
		&us); err != nil {
		t.Fatal(err)
	}
	return time.Duration(us) * time.Microsecond
}

// TestTenantsChange: of three tenants one's cgroup is removed and made anew with another program,
// as where a unit is restarted; none can be renamed; and many processes begin in the second and end
// in the third. Nothing is lost, each one's CPU time is the kernel's, and the clocks come back.
func TestTenantsChange(t *testing.T) {
	const path, passing = "/tmp/tenants.json", 500
	dirs, file := tenantGroups(t)
	before := controls(t)
	end := governTenants(t, file, path)
	var used [3]time.Duration
	for range 2 {
		l := loadIn(t, dirs[0], mixed.of(medium))
		if err := l.Wait(); err != nil {
			t.Error(err)
		}
		used[0] += usageIn(t, dirs[0])
		if err := errors.Join(unix.Rmdir(dirs[0]), os.Mkdir(dirs[0], 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Rename(dirs[1], dirs[1]+"-renamed"); !errors.Is(err, unix.EPERM) {
		t.Errorf("a cgroup of version 2 was renamed: %v", err)
	}
	for range passing {
		l := loadIn(t, dirs[1], computeBound.of(short/100))
		write(t, filepath.Join(dirs[2], "cgroup.procs"), strconv.Itoa(l.Process.Pid))
		_ = l.Wait() // it may have ended before it was moved
	}
	used[1], used[2] = usageIn(t, dirs[1]), usageIn(t, dirs[2])
	if err := end(); err != nil {
		t.Error(err)
	}
	same(t, controls(t), before)
	var rep tenantsReport
	if err := json.Unmarshal([]byte(read(t, path)), &rep); err != nil {
		t.Fatal(err)
	}
	if rep.Actuator != "setspeed" || rep.Lost != 0 || len(rep.Tenants.List) != 3 {
		t.Fatalf("%+v", rep)
	}
	for i, of := range rep.Tenants.List {
		cpu := time.Duration(of.CPUNS)
		t.Logf("%s: began %d times, %v, by the kernel %v", of.Name, of.Begins, cpu, used[i])
		if (cpu - used[i]).Abs() > used[i]/50+50*time.Millisecond {
			t.Errorf("%s: %v of CPU time, %v by the kernel", of.Name, cpu, used[i])
		}
	}
	if rep.Tenants.List[0].Begins != 2 {
		t.Errorf("the first tenant began %d times", rep.Tenants.List[0].Begins)
	}
}
