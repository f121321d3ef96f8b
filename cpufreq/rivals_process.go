package cpufreq

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/ebb-energy/ebb/internal/linux/proc"
)

// processes finds the daemons that run.
func processes(proc string) ([]Rival, error) {
	root, err := os.OpenRoot(proc)
	if err != nil {
		return nil, fmt.Errorf("look for other governors: %w", err)
	}
	defer root.Close()
	dir, err := root.Open(".")
	if err != nil {
		return nil, fmt.Errorf("look for other governors: %w", err)
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil && len(names) == 0 {
		return nil, fmt.Errorf("look for other governors: %w", err)
	}
	pids := make([]int, 0, len(names))
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil && pid > 0 && strconv.Itoa(pid) == name {
			pids = append(pids, pid)
		}
	}
	slices.Sort(pids)
	var found []Rival
	for _, d := range running(root, pids) {
		// one of several processes of a program is enough
		if !slices.ContainsFunc(found, func(r Rival) bool { return r.Name == d.Name }) {
			found = append(found, d)
		}
	}
	return found, nil
}

func running(root *os.Root, pids []int) []Rival {
	var found []Rival
	for _, pid := range pids {
		dir := strconv.Itoa(pid)
		of, ok := ownerOf(root, dir)
		if !ok || of == somebody {
			continue // anybody may give a process any name
		}
		// the name alone is a third of the kernel's work for the whole of stat
		if comm := readStart(root, dir+"/comm"); comm != "" &&
			!mayBe(strings.TrimSuffix(comm, "\n"), of) {
			continue
		}
		stat, err := proc.ParseStat(readStart(root, dir+"/stat"))
		if err != nil || stat.Ended() {
			continue
		}
		for i := range daemons {
			if d := &daemons[i]; d.is(root, dir, stat.Name, of) {
				found = append(found, d.rival(pid))
				break
			}
		}
	}
	return found
}

// owner is the owner of a process, as far as it matters.
type owner int

const (
	somebody owner = iota
	caller         // the user who called sudo: GameMode runs as the user who plays
	self           // root, or ebb's own user
)

// ownerOf returns the owner of a process. Its directory belongs to its effective user, even when
// the process is not dumpable (task_dump_owner in fs/proc/base.c).
func ownerOf(root *os.Root, dir string) (owner, bool) {
	info, err := root.Lstat(dir)
	if err != nil {
		return somebody, false
	}
	s, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !ok:
		return somebody, false
	case s.Uid == 0 || int(s.Uid) == os.Geteuid():
		return self, true
	case os.Geteuid() == 0 && os.Getenv("SUDO_UID") == strconv.FormatUint(uint64(s.Uid), 10):
		return caller, true
	}
	return somebody, true
}

// maxRead bounds what is read of a process's file: a daemon's arguments are at their beginning.
const maxRead = 4096

// readStart reads the beginning of a file; "" when it cannot be read.
func readStart(root *os.Root, name string) string {
	// Opening does not wait, whatever the file is.
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return ""
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxRead))
	if err != nil {
		return ""
	}
	return string(b)
}
