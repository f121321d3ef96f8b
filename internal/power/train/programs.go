package train

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"time"
)

// programCommand is the argument that makes ebb's binary run a training program: its name and its
// seconds follow.
const programCommand = "train-program"

// load is the program with steps of load.
const load = "load"

// programNames returns the names of the programs, the steps of load first.
func programNames() []string {
	names := []string{load}
	for name := range kernels {
		names = append(names, name)
	}
	slices.Sort(names[1:])
	return names
}

// Asked reports whether args ask for a training program.
func Asked(args []string) bool { return len(args) == 4 && args[1] == programCommand }

// RunProgram runs the training program that args name, and returns the exit status.
func RunProgram(args []string) int {
	if err := run(args[2], args[3]); err != nil {
		fmt.Fprintf(os.Stderr, "ebb: %v\n", err)
		return 2
	}
	return 0
}

// kernels maps the programs' names to what each of their workers does until the deadline.
var kernels = map[string]func(deadline time.Time, worker int){
	"integers": integers, "floats": floats, "stream": stream, "chase": chase,
	"switches": switches, "timers": timers, "faults": faults, "calls": calls,
	"compress": compress, "sort": sorting,
}

// mostTime bounds a program that nobody ends.
const mostTime = time.Hour

func run(name, text string) error {
	s, err := strconv.ParseFloat(text, 64)
	if err != nil || !(s > 0) || s > mostTime.Seconds() {
		return fmt.Errorf("%q is no time of a training program", text)
	}
	all := time.Duration(s * float64(time.Second))
	kernel := kernels[name]
	if kernel == nil && name != load {
		return fmt.Errorf("there is no training program %q", name)
	}
	begin := time.Now()
	if name == load {
		steps := loadSteps(runtime.NumCPU())
		for i, step := range steps {
			step.run(begin.Add(all * time.Duration(i+1) / time.Duration(len(steps))))
		}
		return nil
	}
	counts := threads(runtime.NumCPU())
	for i, n := range counts {
		deadline := begin.Add(all * time.Duration(i+1) / time.Duration(len(counts)))
		together(n, func(worker int) { kernel(deadline, worker) })
	}
	return nil
}

// threads returns the numbers of workers that a program has, one after the other.
func threads(cpus int) []int {
	counts := []int{1, (cpus + 1) / 2, cpus}
	return slices.Compact(counts)
}

// together runs workers, each on a thread of its own.
func together(n int, work func(worker int)) {
	var all sync.WaitGroup
	for w := range n {
		all.Go(func() {
			runtime.LockOSThread()
			work(w)
		})
	}
	all.Wait()
}
