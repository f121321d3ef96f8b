package jvm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/epochs/usdt"
	"github.com/ebb-energy/ebb/internal/linux/proc"
	"github.com/ebb-energy/ebb/internal/safefile"
	"github.com/ebb-energy/ebb/internal/sandbox"
)

// Bounds of the search for JVMs.
const (
	lastGap     = 64  // calls of Look between two probes of a process; then none follows
	mostAtOnce  = 8   // processes that a call of Look probes
	mostWaiting = 512 // processes that wait for a probe
	mostSaid    = 8   // problems that are kept
	mostLost    = 8   // losses of the sandbox, which starts again by itself, until Look gives up
)

// Follower counts the events of a target's JVMs. One goroutine calls its methods; Window is for
// another one.
type Follower struct {
	programs *programs
	search   *sandbox.Search // nil until a process is probed
	waiting  []waiting
	looks    int
	account  account
	last     reading
	problems []string
	lost     int  // times that the sandbox was lost
	gone     bool // the sandbox was lost too often: no process is probed any more
	whole    bool
	ownID    func(pid int) int // returns ebb's id of a process of the programs; nil: the same
}

// OnlyWhole leaves JVMs uncounted that lack one of the events.
func (f *Follower) OnlyWhole() { f.whole = true }

// OwnIDs sets how ids in BPF programs become ids in /proc: of returns the id that a process has in
// ebb's own PID namespace, 0 for none.
func (f *Follower) OwnIDs(of func(pid int) int) { f.ownID = of }

// waiting is a process that may have a JVM.
type waiting struct{ pid, due, gap int }

// Follow loads the programs, as open does.
func Follow(followed *ebpf.Map, events []string) (*Follower, error) {
	p, err := open(followed, events)
	if err != nil {
		return nil, err
	}
	return &Follower{programs: p}, nil
}

// events returns the names of the events that are counted.
func (f *Follower) events() []string { return f.programs.Events() }

// Launch makes the process that start creates the target, as programs.Launch does.
func (f *Follower) Launch(start func() error) error { return f.programs.Launch(start) }

// Attach counts the events of a library in process pid, or for 0 in all that map it. A file that is
// no JVM with probes is a problem; a refusal by the kernel is an error.
func (f *Follower) Attach(ctx context.Context, file *os.File, pid int) error {
	places, err := sandbox.Events(ctx, file)
	if err == nil {
		if lacks := f.lacks(places); len(lacks) > 0 && len(lacks) < len(f.events()) {
			f.Doubt(fmt.Errorf("a JVM (%s) has no probes %s", file.Name(),
				strings.Join(lacks, ", ")))
			if f.whole {
				return nil
			}
		}
		err = f.programs.Attach(file, places, pid)
	}
	switch {
	case err == nil, errors.Is(err, errNoProcess):
		return nil
	case errors.Is(err, errNoEvents):
		f.Doubt(fmt.Errorf("a JVM (%s) was built without probes", file.Name()))
		return nil
	case theFilesFault(err):
		f.Doubt(err)
		return nil
	}
	return err
}

// lacks returns the events that a JVM does not report.
func (f *Follower) lacks(places []usdt.Event) (names []string) {
	for _, name := range f.events() {
		if !slices.ContainsFunc(places, func(e usdt.Event) bool { return e.Name == name }) {
			names = append(names, name)
		}
	}
	return names
}

// theFilesFault reports whether err is the fault of a file that is no JVM, or that pretends to be
// one, or of too many of them.
func theFilesFault(err error) bool {
	return slices.ContainsFunc([]error{
		errMany, sandbox.ErrFile, sandbox.ErrMany, sandbox.ErrLost, usdt.ErrNotNop,
		safefile.ErrNotRegular, safefile.ErrStalls, unix.ELOOP,
	}, func(fault error) bool { return errors.Is(err, fault) })
}

// Doubt adds a sentence to the problems.
func (f *Follower) Doubt(err error) {
	text := err.Error()
	if len(f.problems) < mostSaid && !slices.Contains(f.problems, text) {
		f.problems = append(f.problems, text)
	}
}

// Problems returns sentences on JVMs that are not counted, each once and mostSaid at most.
func (f *Follower) Problems() []string { return f.problems }

// Look looks for JVMs in the processes that began a program, and in those of pids.
func (f *Follower) Look(ctx context.Context, pids ...int) error {
	started, lost := f.programs.started()
	if lost > 0 {
		f.Doubt(fmt.Errorf("%d processes began too fast to look for their JVMs", lost))
	}
	if f.ownID != nil {
		for i, pid := range started {
			started[i] = f.ownID(pid)
		}
	}
	f.looks++
	for _, pid := range append(pids, started...) {
		f.waiting = slices.DeleteFunc(f.waiting, func(w waiting) bool { return w.pid == pid })
		if len(f.waiting) < mostWaiting {
			f.waiting = append(f.waiting, waiting{pid, f.looks, 1})
		}
	}
	asked := 0
	for i := 0; i < len(f.waiting) && asked < mostAtOnce; i++ {
		w := &f.waiting[i]
		if w.due > f.looks {
			continue
		}
		stat, err := proc.ReadStat(w.pid)
		if err != nil || stat.State == 'Z' {
			w.gap = 0
			continue
		}
		asked++
		found, err := f.ask(ctx, w.pid)
		if err != nil {
			return err
		}
		w.due, w.gap = f.looks+w.gap, 2*w.gap
		if found || w.gap > lastGap {
			w.gap = 0
		}
	}
	f.waiting = slices.DeleteFunc(f.waiting, func(w waiting) bool { return w.gap == 0 })
	return nil
}

// ask looks for JVMs in a process and attaches to them.
func (f *Follower) ask(ctx context.Context, pid int) (found bool, err error) {
	if f.gone {
		return true, nil
	}
	if f.search == nil {
		if f.search, err = sandbox.StartSearch(); err != nil {
			return false, err
		}
	}
	var failed error
	err = f.search.Runtimes(ctx, []int{pid}, func(pid int, file *os.File) {
		found = true
		failed = errors.Join(failed, f.Attach(ctx, file, pid))
		file.Close()
	})
	switch {
	case ctx.Err() != nil:
		return found, ctx.Err()
	case errors.Is(err, sandbox.ErrLost) && f.lost < mostLost:
		f.lost++ // the next call starts the sandbox again
	case err != nil:
		f.gone = errors.Is(err, sandbox.ErrLost)
		f.Doubt(err)
	}
	return found, failed
}

// Detach removes all breakpoints.
func (f *Follower) Detach() error { return f.programs.detach() }

// Close ends the counting.
func (f *Follower) Close() error {
	err := f.programs.Close()
	if f.search != nil {
		err = errors.Join(err, f.search.Close())
	}
	return err
}
