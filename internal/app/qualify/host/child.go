package host

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ebb-energy/ebb/internal/app/qualify"
)

// start runs a command to its end, and returns its time.
func (h *host) start(ctx context.Context, argv ...string) (time.Duration, error) {
	var said words
	begin := time.Now()
	p, err := begun(ctx, &said, argv...)
	if err == nil {
		err = p.wait()
	}
	if err != nil {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		return 0, fmt.Errorf("%s: %w%s", shown(argv), err, said.last())
	}
	return time.Since(begin), nil
}

// shown returns a command for people, without paths.
func shown(argv []string) string {
	if len(argv) > 2 && argv[1] == programCommand {
		return "program " + argv[2]
	}
	if len(argv) > 1 && argv[1] == classes {
		return "the program of a JVM"
	}
	if len(argv) > 1 {
		return "ebb " + argv[1]
	}
	return "ebb"
}

// ebb returns the command line of ebb's own run of a program, with the flags that all of them have.
func (h *host) ebb(flags []string, program []string) []string {
	argv := append([]string{h.Self, "run"}, h.flags()...)
	return append(append(append(argv, flags...), "--"), program...)
}

// flags returns the flags of each of ebb's own runs.
func (h *host) flags() []string {
	flags := []string{"--sysfs", h.Sysfs, "--run-dir", h.RunDir, "--quiet", "--user", "root"}
	if h.Takeover {
		flags = append(flags, "--takeover")
	}
	if h.Config != "" {
		flags = append(flags, "--config", h.Config)
	}
	return flags
}

// program returns the command line of one of ebb's small programs, for a run of the plan's time at
// the highest clock.
func (h *host) program(ctx context.Context, name string) ([]string, error) {
	work, err := h.calibrated(ctx, name)
	if err != nil {
		return nil, err
	}
	return h.argv(name, work), nil
}

// argv returns the command line of a program for the given work.
func (h *host) argv(name string, work uint64) []string {
	if name == qualify.JVM {
		return runJVM(h.Java, h.dir, work, h.threads(name))
	}
	return argv(h.Self, name, work, h.threads(name))
}

// threads returns the number of a program's threads.
func (h *host) threads(name string) int {
	if name == threadsWork || name == qualify.JVM {
		return min(max(len(h.cpus.CPUs()), 2), 4)
	}
	return 1
}

// first has, by program, an amount of work that takes some milliseconds on any processor.
var first = map[string]uint64{computeWork: 20_000_000, memoryWork: 200_000,
	threadsWork: 32, streamWork: 16, qualify.JVM: 4000}

// calibrated returns the work that a program does in the plan's time, at the machine's current
// clock. Any clock serves: a run from which a clock is judged is only compared with runs of the
// same work.
func (h *host) calibrated(ctx context.Context, name string) (uint64, error) {
	if w := h.work[name]; w > 0 {
		return w, nil
	}
	if name == idleWork {
		return rests(h.Plan.Rest()), nil
	}
	each := h.Plan.Each()
	for work := first[name]; work < 1<<50; {
		// The time of the start cancels out.
		little, err := h.start(ctx, h.argv(name, work/4)...)
		if err != nil {
			return 0, err
		}
		much, err := h.start(ctx, h.argv(name, work)...)
		if err != nil {
			return 0, err
		}
		took := max(much-little, time.Microsecond) * 4 / 3
		if took < each/8 {
			work *= uint64(min(max(each/4/took, 2), 1024))
			continue
		}
		h.work[name] = max(1, uint64(float64(work)*float64(each)/float64(took)))
		return h.work[name], nil
	}
	return 0, errors.New("the work of program " + name + " takes no time")
}
