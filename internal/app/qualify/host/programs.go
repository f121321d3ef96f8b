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

// Command is the argument that makes ebb's binary run such a program: its name, its work and the
// number of its threads follow, and the directory of a cgroup that it is to join, if any.
const Command = "qualify-program"

// Kinds of work.
const (
	// Compute counts down: two instructions for a unit of work, none of which waits.
	Compute = "compute"
	// Memory follows links that no cache holds and no prefetcher guesses: a line for each unit.
	Memory = "memory"
	// Threads contend for a lock and meet at a barrier: a unit is a thread's turn.
	Threads = "threads"
	// Stream reads memory from the begin to the end: a unit is a MiB.
	Stream = "stream"
	// Idle sleeps, and works a little after each sleep: a unit is a sleep.
	Idle = "idle"
	// Foreign works and sleeps in turns: a unit is a turn. It stands for another program.
	Foreign = "foreign"
)

// Asked reports whether args ask for such a program.
func Asked(args []string) bool {
	return (len(args) == 5 || len(args) == 6) && args[1] == Command
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

// argv is the command of a program; executable is ebb's own.
func argv(executable, name string, work uint64, threads int) []string {
	return []string{executable, Command, name, strconv.FormatUint(work, 10),
		strconv.Itoa(threads)}
}

// kernels are the programs: each thread does the work, as number worker of so many.
var kernels = map[string]func(work uint64, t *team, worker int){
	Compute: compute, Memory: chase, Threads: kernelTurns, Stream: stream, Idle: rest,
	Foreign: foreign,
}

// names are those of the programs' threads. Behind the @ is the share of the time, in permille,
// that a thread waits for memory at a high clock.
var names = map[string]string{Compute: "compute@0", Memory: "memory@900", Threads: "threads@300",
	Stream: "stream@900", Idle: "idle@0", Foreign: "foreign@0"}

// mostThreads bounds what a wrong argument could start.
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

// called gives the calling thread a name, which reports show.
func called(name string) {
	b, err := unix.BytePtrFromString(name)
	if err == nil {
		_ = unix.Prctl(unix.PR_SET_NAME, uintptr(unsafePointer(b)), 0, 0, 0) // only for people
	}
}
