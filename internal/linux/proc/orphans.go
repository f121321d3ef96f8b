package proc

import (
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Bounds of the search for orphans that have ended, since others decide how often processes end. A
// search takes longer where other programs have the CPUs.
const (
	orphansPause   = 100 * time.Millisecond // least time between two searches
	orphansPart    = 20                     // a pause is so many times as long as the last search
	orphansLongest = 2 * time.Second        // longest pause
)

// ReapOrphans takes the status of ended orphans from now on, if this process is the first of its
// PID namespace: the kernel makes it the parent of those whose own has ended, and they would keep
// their numbers until its end. It leaves alone what this process itself has started, which Go knows
// by a pidfd; so it does nothing where the kernel refuses these.
func ReapOrphans() {
	if os.Getpid() != 1 || !startsByPidfd() {
		return
	}
	ends := make(chan os.Signal, 1)
	signal.Notify(ends, unix.SIGCHLD)
	go func() {
		for range ends {
			begun := time.Now()
			reapOrphans()
			time.Sleep(min(max(orphansPause, orphansPart*time.Since(begun)), orphansLongest))
		}
	}()
}

// startsByPidfd reports whether Go holds a pidfd of each process that it starts, until it has taken
// its status (checkPidfd in Go's package os).
func startsByPidfd() bool {
	fd, err := unix.PidfdOpen(os.Getpid(), 0)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	return unix.Waitid(unix.P_PIDFD, fd, nil, unix.WEXITED, nil) == unix.ECHILD &&
		unix.PidfdSendSignal(fd, 0, nil, 0) == nil
}

// reapOrphans takes the status of the children that have ended and that no pidfd is of. Orphans are
// the children of the process's first thread.
func reapOrphans() {
	list, err := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/children", os.Getpid()))
	if err != nil {
		return
	}
	var over []int
	for field := range strings.FieldsSeq(string(list)) {
		pid, err := strconv.Atoi(field)
		if err != nil {
			continue
		}
		if s, err := ReadStat(pid); err == nil && s.State == 'Z' {
			over = append(over, pid)
		}
	}
	if len(over) == 0 {
		return
	}
	// After the states: what this process started is held until its status has been taken.
	held := held()
	for _, pid := range over {
		if !held[pid] {
			_, _ = unix.Wait4(pid, nil, unix.WNOHANG, nil) // nobody wants its status
		}
	}
}

// held returns the processes of which this one has a pidfd.
func held() map[int]bool {
	all := map[int]bool{}
	links, _ := filepath.Glob("/proc/self/fd/*") // without /proc there are no children either
	for _, link := range links {
		to, err := os.Readlink(link)
		if err != nil || !strings.Contains(to, "pidfd") {
			continue
		}
		// it may be closed by now
		info, _ := os.ReadFile("/proc/self/fdinfo/" + filepath.Base(link))
		for line := range strings.Lines(string(info)) {
			if text, ok := strings.CutPrefix(line, "Pid:"); ok {
				if pid, err := strconv.Atoi(strings.TrimSpace(text)); err == nil {
					all[pid] = true
				}
			}
		}
	}
	return all
}
