package hostile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

func pointerOf(p *byte) unsafe.Pointer { return unsafe.Pointer(p) }

// cgroup2 is where the second version's hierarchy is mounted.
func cgroup2(t *testing.T) string {
	t.Helper()
	needRoot(t)
	for _, dir := range []string{"/sys/fs/cgroup", "/sys/fs/cgroup/unified"} {
		if _, err := os.Stat(dir + "/cgroup.subtree_control"); err == nil {
			return dir
		}
	}
	t.Skip("no cgroup version 2")
	return ""
}

// limited is a cgroup with a bound of memory (of either version).
func limited(t *testing.T, bytes int) string {
	t.Helper()
	needRoot(t)
	name := fmt.Sprintf("ebb-hostile-%d-%d", os.Getpid(), time.Now().UnixNano())
	for _, c := range []struct {
		dir,
		file string
	}{{"/sys/fs/cgroup/memory", "memory.limit_in_bytes"}, {"/sys/fs/cgroup", "memory.max"}} {
		dir := filepath.Join(c.dir, name)
		if os.Mkdir(dir, 0o755) != nil {
			continue
		}
		t.Cleanup(func() { removeGroup(dir) })
		if limit(filepath.Join(dir, c.file), bytes) == nil {
			// Allow no swap: a limit of memory and swap together.
			_ = limit(filepath.Join(dir, "memory.memsw.limit_in_bytes"), bytes)
			return dir
		}
	}
	t.Skip("no cgroup limits memory here")
	return ""
}

// limit sets a bound of a cgroup. The kernel made its file; a directory that only looks like a
// cgroup has none.
func limit(path string, n int) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(strconv.Itoa(n))
	return errors.Join(err, f.Close())
}

// bounded is a cgroup with so many processes at most.
func bounded(t *testing.T, processes int) string {
	t.Helper()
	needRoot(t)
	name := fmt.Sprintf("ebb-hostile-%d-%d", os.Getpid(), time.Now().UnixNano())
	for _, root := range []string{"/sys/fs/cgroup/pids", "/sys/fs/cgroup"} {
		dir := filepath.Join(root, name)
		if os.Mkdir(dir, 0o755) != nil {
			continue
		}
		t.Cleanup(func() { removeGroup(dir) })
		if limit(filepath.Join(dir, "pids.max"), processes) == nil {
			return dir
		}
	}
	t.Skip("no cgroup limits the number of processes here")
	return ""
}

// removeGroup removes a cgroup when those in it have ended.
func removeGroup(dir string) {
	for range 200 {
		if os.Remove(dir) == nil {
			return
		}
		b, _ := os.ReadFile(filepath.Join(dir, "cgroup.procs"))
		var pid int
		for _, line := range splitLines(string(b)) {
			if _, err := fmt.Sscan(line, &pid); err == nil && pid > 1 {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func splitLines(s string) (lines []string) {
	from := 0
	for i := range len(s) {
		if s[i] == '\n' {
			lines = append(lines, s[from:i])
			from = i + 1
		}
	}
	return lines
}
