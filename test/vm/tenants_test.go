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
	c := exec.Command("/bin/ebb", "run", "--quantum", quantum, "--report", path, "--tenants", file)
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
	go func() { _, _ = lines.WriteTo(os.Stderr) }()
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
	if err := c.Process.Signal(unix.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err != nil {
		t.Error(err)
	}
	same(t, controls(t), before)
	var rep struct {
		Actuator string
		Lost     int `json:"lost_records"`
		Tenants  struct {
			List []struct {
				Name   string
				Begins int
				CPUNS  int64 `json:"cpu_ns"`
			}
		}
	}
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
