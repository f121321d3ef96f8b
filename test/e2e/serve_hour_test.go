package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cilium/ebpf"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// serveHourEnv is the time for which TestServeHour has a service serve, such as 1h.
const serveHourEnv = "SERVE_HOUR"

// sizes are what a service has taken of the machine, its front process included.
type sizes struct {
	anonymous int // bytes of memory of its own
	files     int // descriptors
	mappings  int // of its address space
	maps      int // BPF maps
	entries   int // in those maps that have keys
	cpu       time.Duration
}

// TestServeHour: leases, tenants, cgroups and processes come and go, and memory, descriptors and
// maps stay as they were.
func TestServeHour(t *testing.T) {
	length, err := time.ParseDuration(os.Getenv(serveHourEnv))
	if err != nil {
		t.Skip("takes an hour: make soak")
	}
	nothingLeft(t)
	top := devtest.Cgroup(t)
	web, users := devtest.ChildCgroup(t, top, "web"), devtest.ChildCgroup(t, top, "users")
	owns(t, leaseUser, users)
	l := startLendingBy(t, unbounded, map[string]string{"web.toml": tenantOf("web", web, "5%")})
	var all []sizes
	every := max(length/60, 10*time.Second)
	next := time.Now()
	begun := next
	for round := 0; time.Since(begun) < length; round++ {
		l.arrivals(t, round, web, users)
		if time.Now().After(next) {
			next = next.Add(every)
			all = append(all, l.sizes(t))
			t.Logf("%v, %d rounds: %+v", time.Since(begun).Round(time.Second), round+1,
				all[len(all)-1])
		}
		time.Sleep(5 * time.Second) // a low rate
	}
	if len(all) < 6 {
		t.Fatalf("%d readings are too few", len(all))
	}
	// The first sixth is the time in which pools and caches fill.
	early, late := all[len(all)/6:len(all)/3], all[len(all)*5/6:]
	for what, of := range map[string]func(sizes) int{
		"memory":          func(s sizes) int { return s.anonymous },
		"descriptors":     func(s sizes) int { return s.files },
		"mappings":        func(s sizes) int { return s.mappings },
		"maps":            func(s sizes) int { return s.maps },
		"entries of maps": func(s sizes) int { return s.entries },
	} {
		was, is := greatest(early, of), greatest(late, of)
		t.Logf("%s: %d at most early, %d late", what, was, is)
		if is > was+was/10 {
			t.Errorf("%s grew from %d to %d", what, was, is)
		}
	}
	if said := l.ends(); strings.Contains(said, "panic") || strings.Contains(said, "warning") {
		t.Error(said)
	}
}

// unbounded starts a command that may take longer than one that hangs.
func unbounded(cmd *exec.Cmd) error {
	*cmd = exec.Cmd{Path: cmd.Path, Args: cmd.Args, Env: cmd.Env, Stderr: cmd.Stderr,
		SysProcAttr: cmd.SysProcAttr}
	return cmd.Start()
}

// owns gives cgroups to a user as systemd does.
func owns(t *testing.T, user int, dirs ...string) {
	t.Helper()
	for _, dir := range dirs {
		for _, path := range []string{dir, filepath.Join(dir, "cgroup.procs")} {
			if err := os.Chown(path, user, user); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// arrivals is a round of what a machine has over the day.
func (l *lending) arrivals(t *testing.T, round int, web, users string) {
	t.Helper()
	short := []string{"sh", "-c", "for i in 1 2 3 4 5; do /bin/true; sleep 0.02; done"}
	for range 3 {
		if r := finish(t, l.join(leaseUser, append([]string{"--"}, short...)...)); r.code != 0 {
			t.Fatalf("a lease: %+v", r)
		}
	}
	if r := finish(t, l.join(leaseUser, "--cgroup", users, "--", "true")); r.code != 0 {
		t.Fatalf("a lease of a cgroup: %+v", r)
	}
	inner := devtest.ChildCgroup(t, web, "inner")
	cmd, _ := inCgroup(t, inner, short...)
	_ = cmd.Wait()
	devtest.RemoveCgroup(t, inner)
	switch round % 4 {
	case 0:
		l.put(t, "b.toml", tenantOf("b", filepath.Join(web, fmt.Sprint("b", round)), "7%"))
		l.reload()
	case 2:
		if err := os.Remove(filepath.Join(l.dir, "b.toml")); err != nil {
			t.Fatal(err)
		}
		l.reload()
	case 3:
		if r := ebb(t, "status", "--run-dir", l.runDir); r.code != 0 {
			t.Fatalf("%+v", r)
		}
	}
	l.tenant("lease.", false)
}

// sizes reads what the service and its front process take.
func (l *lending) sizes(t *testing.T) (s sizes) {
	t.Helper()
	for _, pid := range append(l.fronts(), l.cmd.Process.Pid) {
		dir := fmt.Sprintf("/proc/%d/", pid)
		for line := range strings.Lines(read(t, dir+"smaps_rollup")) {
			if f := strings.Fields(line); f[0] == "Anonymous:" {
				kib, _ := strconv.Atoi(f[1])
				s.anonymous += kib << 10
			}
		}
		s.mappings += strings.Count(read(t, dir+"maps"), "\n")
		f := strings.Fields(read(t, dir+"stat"))
		for _, ticks := range f[13:15] {
			n, _ := strconv.Atoi(ticks)
			s.cpu += time.Duration(n) * 10 * time.Millisecond
		}
		open, _ := filepath.Glob(dir + "fdinfo/*")
		s.files += len(open)
		var ids []string
		for _, path := range open {
			info, _ := os.ReadFile(path)
			for line := range strings.Lines(string(info)) {
				if id, is := strings.CutPrefix(line, "map_id:"); is {
					ids = append(ids, strings.TrimSpace(id))
				}
			}
		}
		slices.Sort(ids)
		ids = slices.Compact(ids)
		s.maps += len(ids)
		for _, id := range ids {
			s.entries += entries(t, id)
		}
	}
	return s
}

// entries is the number of keys of a BPF map by its number, 0 of one without.
func entries(t *testing.T, id string) (n int) {
	t.Helper()
	number, err := strconv.ParseUint(id, 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	m, err := ebpf.NewMapFromID(ebpf.MapID(number))
	if err != nil {
		return 0 // gone meanwhile
	}
	defer m.Close()
	if m.Type() != ebpf.Hash && m.Type() != ebpf.LRUHash && m.Type() != ebpf.PerCPUHash {
		return 0
	}
	key, next := make([]byte, m.KeySize()), make([]byte, m.KeySize())
	for at := any(nil); ; at = key {
		if err := m.NextKey(at, next); err != nil {
			return n // no more
		}
		n++
		copy(key, next)
	}
}

// greatest is the greatest of some readings' sizes of one kind.
func greatest(all []sizes, of func(sizes) int) (n int) {
	for _, s := range all {
		n = max(n, of(s))
	}
	return n
}
