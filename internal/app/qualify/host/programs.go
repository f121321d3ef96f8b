package host

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/linux/cgroup"
)

// programCommand is the argument with which ebb's binary runs such a program. The program's name,
// its work and the number of its threads follow, and the directory of a cgroup to join, if any.
const programCommand = "qualify-program"

// Kinds of work.
const (
	// computeWork counts down. A unit of work is two instructions, neither of which waits.
	computeWork = "compute"
	// memoryWork follows links that no cache holds and no prefetcher guesses. A unit is a line.
	memoryWork = "memory"
	// threadsWork contend for a lock and meet at a barrier. A unit is a thread's turn.
	threadsWork = "threads"
	// streamWork reads memory from the begin to the end. A unit is a MiB.
	streamWork = "stream"
	// idleWork sleeps, and works a little after each sleep. A unit is a sleep.
	idleWork = "idle"
	// foreignWork works and sleeps in turns, and stands for another program. A unit is a turn.
	foreignWork = "foreign"
)

// Asked reports whether args ask for such a program.
func Asked(args []string) bool {
	return (len(args) == 5 || len(args) == 6) && args[1] == programCommand
}

// RunProgram runs the program that args name, and returns the exit status.
func RunProgram(args []string) int {
	err := error(nil)
	if len(args) > 5 {
		err = cgroup.Join(args[5])
	}
	if err == nil {
		err = run(args[2], args[3], args[4])
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "ebb: %v\n", err)
		return 2
	}
	return 0
}

// argv returns the command of a program; executable is ebb's own.
func argv(executable, name string, work uint64, threads int) []string {
	return []string{executable, programCommand, name, strconv.FormatUint(work, 10),
		strconv.Itoa(threads)}
}

// kernels are the programs' functions. Each thread of a team does the work, as the team's number
// worker.
var kernels = map[string]func(work uint64, t *team, worker int){
	computeWork: compute, memoryWork: chase, threadsWork: kernelTurns, streamWork: stream,
	idleWork: rest, foreignWork: foreign,
}

// names are the names of the programs' threads. The number behind @ is the share of the time, in
// permille, for which a thread waits for memory at a high clock.
var names = map[string]string{computeWork: "compute@0", memoryWork: "memory@900",
	threadsWork: "threads@300", streamWork: "stream@900", idleWork: "idle@0",
	foreignWork: "foreign@0"}

// mostThreads bounds the threads that a wrong argument could start.
const mostThreads = 4096

func run(name, text, count string) error {
	work, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return fmt.Errorf("%q is no amount of work", text)
	}
	n, err := strconv.Atoi(count)
	if err != nil || n < 1 || n > mostThreads {
		return fmt.Errorf("%q is no number of threads", count)
	}
	kernel := kernels[name]
	if kernel == nil {
		return fmt.Errorf("there is no program %q", name)
	}
	runtime.GOMAXPROCS(n + 1)
	t := &team{size: n}
	t.met.L = &t.lock
	var all sync.WaitGroup
	for w := range n {
		all.Go(func() {
			runtime.LockOSThread()
			called(names[name])
			kernel(work, t, w)
		})
	}
	all.Wait()
	return nil
}

// called gives the calling thread a name for reports.
func called(name string) {
	b, err := unix.BytePtrFromString(name)
	if err == nil {
		_ = unix.Prctl(unix.PR_SET_NAME, uintptr(unsafePointer(b)), 0, 0, 0) // only for people
	}
}
