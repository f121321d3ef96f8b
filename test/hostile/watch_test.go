package hostile

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/linux/proc"
	"golang.org/x/sys/unix"
)

// Bounds that hold whatever the target does.
const (
	maxMemory   = 256 << 20        // bytes, of all of ebb's processes
	killMemory  = 1 << 30          // at which a test ends an ebb that failed
	maxCPU      = 15 * time.Second // of all of ebb's processes
	maxRealtime = 0.25             // of a run's time, at a real-time priority
	tick        = 10 * time.Millisecond
	lookEvery   = 20 * time.Millisecond
)

// Bounds that an idle machine is judged by.
var (
	maxBack = devtest.Bound(time.Second)
	maxEnd  = devtest.Bound(5 * time.Second) // from the second TERM, or the target's end, to ebb's
)

// process is what is seen of one of ebb's processes.
type process struct {
	memory  int64
	file    int64 // pages of files, which processes share
	threads map[int]thread
	ahead   bool // one of its threads had a real-time priority when it was read before
}

type thread struct {
	cpu, realtime time.Duration
}

// watch looks at ebb's processes, at its target and at the clocks while ebb runs.
type watch struct {
	bed    *bed
	ebb    int
	file   os.FileInfo
	seen   map[int]*process
	target int // the command that ebb launched
	done   chan struct{}
	gone   chan struct{}

	mu          sync.Mutex // of what is below, while run runs
	memory      int64      // most at a time
	total, real time.Duration
	targetEnded time.Time
	dirty       time.Time // when a clock was last seen changed
	ever        bool      // a clock was changed
	tooMuch     bool
	names       map[int]string // ebb's processes and their users
}

func (w *watch) run() {
	defer close(w.gone)
	for {
		w.look()
		select {
		case <-w.done:
			return
		case <-time.After(lookEvery):
		}
	}
}

func (w *watch) look() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.bed != nil && w.bed.touched() {
		w.dirty, w.ever = time.Now(), true
	}
	if w.targetEnded.IsZero() && w.target != 0 && !alive(w.target) {
		w.targetEnded = time.Now()
	}
	var memory, file int64
	for _, pid := range ebbs(w.file) {
		p := w.seen[pid]
		if p == nil {
			p = &process{threads: map[int]thread{}}
			w.seen[pid] = p
			w.names[pid] = owner(pid)
		}
		p.read(pid)
		memory += p.memory
		file = max(file, p.file)
	}
	w.memory = max(w.memory, memory+file)
	w.total, w.real = 0, 0
	for _, p := range w.seen {
		for _, th := range p.threads {
			w.total += th.cpu
			w.real += th.realtime
		}
	}
	if w.target == 0 {
		w.target = w.launched()
	}
	if w.memory > killMemory && !w.tooMuch {
		w.tooMuch = true
		for _, pid := range ebbs(w.file) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// lastDirty is when a clock was last seen changed; endOfTarget when the command had ended, 0 if it
// has not.
func (w *watch) lastDirty() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.dirty
}

func (w *watch) endOfTarget() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.targetEnded
}

// launched is the command that ebb started: its child that is not ebb itself.
func (w *watch) launched() int {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", w.ebb))
	for _, list := range lists {
		b, _ := os.ReadFile(list)
		for field := range strings.FieldsSeq(string(b)) {
			pid, _ := strconv.Atoi(field)
			if info, err := os.Stat(fmt.Sprintf("/proc/%d/exe", pid)); err == nil &&
				!os.SameFile(info, w.file) {
				return pid
			}
		}
	}
	return 0
}

// ebbs are the processes that execute a file.
func ebbs(file os.FileInfo) (pids []int) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if info, err := os.Stat("/proc/" + name + "/exe"); err == nil && os.SameFile(info, file) {
			pids = append(pids, pid)
		}
	}
	return pids
}

func (p *process) read(pid int) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return
	}
	p.memory = kib(b, "RssAnon:") + kib(b, "RssShmem:")
	p.file = kib(b, "RssFile:")
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/[0-9]*", pid))
	ahead := false
	for _, dir := range threads {
		tid, _ := strconv.Atoi(filepath.Base(dir))
		cpu, realtime, ok := usage(dir)
		if !ok {
			continue
		}
		th := p.threads[tid]
		// All threads go ahead together. Their use by then was nearly all at ordinary priority:
		// ebb loads its programs in the kernel before.
		if realtime && p.ahead && cpu > th.cpu {
			th.realtime += cpu - th.cpu
		}
		ahead = ahead || realtime
		th.cpu = max(cpu, th.cpu)
		p.threads[tid] = th
	}
	p.ahead = ahead
}

// usage is a thread's CPU time, and whether it has a real-time priority (sched(7)).
func usage(dir string) (cpu time.Duration, realtime, ok bool) {
	b, err := os.ReadFile(dir + "/stat")
	if err != nil {
		return 0, false, false
	}
	s, err := proc.ParseStat(string(b))
	return s.CPU, s.Policy == unix.SCHED_FIFO || s.Policy == unix.SCHED_RR, err == nil
}

// kib is a number of bytes that a status file has in KiB.
func kib(status []byte, key string) int64 {
	_, rest, ok := bytes.Cut(status, []byte(key))
	if !ok {
		return 0
	}
	fields := bytes.Fields(rest[:min(len(rest), 64)])
	n, _ := strconv.ParseInt(string(fields[0]), 10, 64)
	return n << 10
}

func owner(pid int) string {
	info, err := os.Stat(fmt.Sprintf("/proc/%d", pid))
	if err != nil {
		return "?"
	}
	return fmt.Sprint(info.Sys().(*syscall.Stat_t).Uid)
}

// alive reports whether a process exists and is no zombie.
func alive(pid int) bool {
	s, err := proc.ReadStat(pid)
	return err == nil && !s.Ended()
}
