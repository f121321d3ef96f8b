package e2e

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// serveIdle is the time for which BenchmarkServeIdle measures each number of tenants.
const serveIdle = 45 * time.Second

// BenchmarkServeIdle measures what a service in shadow mode takes while all its tenants sleep, with
// the watchdog time of ebb's unit: its memory, its front process's included, CPU time and wakes.
func BenchmarkServeIdle(b *testing.B) {
	needRoot(b)
	top := devtest.Cgroup(b)
	dir := b.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil {
		b.Fatal(err)
	}
	made := 0
	for b.Loop() {
		for _, n := range []int{0, 1, 3, 10, 100} {
			for ; made < n; made++ {
				sleepingTenant(b, top, dir, made)
			}
			serveAsleep(b, dir, n)
		}
	}
	b.ReportMetric(0, "ns/op")
}

// sleepingTenant adds a tenant with one process that sleeps.
func sleepingTenant(b *testing.B, top, dir string, i int) {
	b.Helper()
	name := fmt.Sprint("t", i)
	of := devtest.ChildCgroup(b, top, name)
	sleeps := exec.Command("sleep", "10000")
	entered := devtest.InCgroup(b, of, sleeps)
	if err := sleeps.Start(); err != nil {
		b.Fatal(err)
	}
	entered()
	b.Cleanup(func() { kill(sleeps) })
	if err := os.WriteFile(filepath.Join(dir, name+".toml"), []byte(tenantOf(name, of, "5%")),
		0o644); err != nil {
		b.Fatal(err)
	}
}

// serveAsleep measures a service with so many tenants.
func serveAsleep(b *testing.B, dir string, tenants int) {
	b.Helper()
	socket := filepath.Join(b.TempDir(), "notify")
	hears, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err != nil {
		b.Fatal(err)
	}
	defer hears.Close()
	ready, fed := make(chan bool, 1), atomic.Int64{}
	go func() {
		buf := make([]byte, 4096)
		for {
			n, err := hears.Read(buf)
			if err != nil {
				return
			}
			switch said := string(buf[:n]); {
			case strings.HasPrefix(said, "READY=1"):
				ready <- true
			case strings.HasPrefix(said, "WATCHDOG=1"):
				fed.Add(1)
			}
		}
	}()
	cmd := command(b, "serve", "--quiet", "--shadow", "--run-dir", filepath.Join(b.TempDir(),
		"run"), "--tenants-dir", dir)
	cmd.Env = append(os.Environ(), "NOTIFY_SOCKET="+socket, "WATCHDOG_USEC=30000000")
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	select {
	case <-ready:
	case <-time.After(hung):
		b.Fatal("it is not ready")
	}
	pids := append(frontsOf(cmd.Process.Pid), cmd.Process.Pid)
	uses := func() (all use, own, resident int) {
		for _, pid := range pids {
			u := useOfOne(b, pid)
			all.cpu, all.wakes = all.cpu+u.cpu, all.wakes+u.wakes
			own += rollup(b, pid, "Anonymous:")
			resident += rollup(b, pid, "Rss:")
		}
		return all, own, resident
	}
	time.Sleep(5 * time.Second) // what the start needed is given back
	before, _, _ := uses()
	fedBefore := fed.Load()
	time.Sleep(serveIdle)
	after, own, resident := uses()
	load, _ := os.ReadFile("/proc/loadavg")
	b.Logf("%d tenants: %.1f MB of its own, %.1f MB resident, %.3f %% of one CPU, %.2f wakes a "+
		"second, fed %d times; load %.14s", tenants, float64(own)/1e6, float64(resident)/1e6,
		100*(after.cpu-before.cpu).Seconds()/serveIdle.Seconds(),
		float64(after.wakes-before.wakes)/serveIdle.Seconds(), fed.Load()-fedBefore, load)
	if err := cmd.Process.Signal(unix.SIGTERM); err != nil {
		b.Fatal(err)
	}
	_ = cmd.Wait()
}

// rollup is a sum over a process's mappings, in bytes.
func rollup(b *testing.B, pid int, name string) int {
	b.Helper()
	for line := range strings.Lines(read(b, fmt.Sprintf("/proc/%d/smaps_rollup", pid))) {
		if f := strings.Fields(line); f[0] == name {
			kib, _ := strconv.Atoi(f[1])
			return kib << 10
		}
	}
	return 0
}
