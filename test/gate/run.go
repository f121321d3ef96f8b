package main

import (
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// leaving is the time that processes of a package's tests have to end by themselves after the
// tests.
const leaving = 2 * time.Second

// stayed begins the line about a process that outlived its tests.
const stayed = "gate: ended what the tests left: "

// run runs a command and returns its exit status. It ends every process that the command started,
// in whichever session or process group, also where the command panics or is killed by its limit of
// time. Orphans become children of this process (PR_SET_CHILD_SUBREAPER), which kills its children
// alone, so that no process id can mean another one.
func run(argv []string) int {
	runtime.LockOSThread() // the command's death signal is tied to the thread that starts it
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		fmt.Fprintln(os.Stderr, "gate: become the parent of orphans:", err)
		return 1
	}
	heard := make(chan os.Signal, 8)
	signal.Notify(heard, unix.SIGINT, unix.SIGTERM, unix.SIGQUIT, unix.SIGHUP)
	p, err := os.StartProcess(argv[0], argv, &os.ProcAttr{
		Files: []*os.File{os.Stdin, os.Stdout, os.Stderr},
		Sys:   &syscall.SysProcAttr{Pdeathsig: unix.SIGKILL},
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, "gate:", err)
		return 1
	}
	go func() {
		for s := range heard {
			_ = unix.Kill(p.Pid, s.(syscall.Signal)) // its id stays its own until it is waited for
		}
	}()
	status := 1
	for {
		var ws unix.WaitStatus
		pid, err := unix.Wait4(-1, &ws, 0, nil)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "gate: wait for", argv[0]+":", err)
			break
		}
		if pid == p.Pid {
			status = ws.ExitStatus()
			if ws.Signaled() {
				status = 128 + int(ws.Signal())
			}
			break
		}
	}
	if !gone(leaving, nil) {
		named := map[int]bool{}
		gone(5*leaving, func(pid int) {
			if !named[pid] {
				named[pid] = true
				fmt.Fprintln(os.Stderr, stayed+commandLine(pid))
			}
			_ = unix.Kill(pid, unix.SIGKILL) // a zombie takes it, too
		})
	}
	return status
}

// gone waits until this process has no child, and reports whether that came within a time. It calls
// each, where that is not nil, for each child that is there meanwhile.
func gone(within time.Duration, each func(pid int)) bool {
	for end := time.Now().Add(within); ; time.Sleep(10 * time.Millisecond) {
		for {
			pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil)
			if err == unix.ECHILD {
				return true
			}
			if pid <= 0 {
				break
			}
		}
		if time.Now().After(end) {
			return false
		}
		if each == nil {
			continue
		}
		for _, pid := range children() {
			each(pid)
		}
	}
}

// children returns the children of this process, of all its threads.
func children() (pids []int) {
	threads, _ := os.ReadDir("/proc/self/task") // without it no child is found, and gone says so
	for _, t := range threads {
		list, _ := os.ReadFile("/proc/self/task/" + t.Name() + "/children")
		for _, word := range strings.Fields(string(list)) {
			var pid int
			if _, err := fmt.Sscan(word, &pid); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// commandLine returns a process's id and, where it can be read, its command.
func commandLine(pid int) string {
	line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	text := strings.TrimSpace(strings.ReplaceAll(string(line), "\x00", " "))
	return strings.TrimSpace(fmt.Sprintf("process %d %.150q", pid, text))
}
