package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/ebb-energy/ebb/governor/live"
	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/app/run/methods"
	"github.com/ebb-energy/ebb/internal/app/run/part"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/linux/cgroup"
	"github.com/ebb-energy/ebb/internal/sandbox"
	"github.com/ebb-energy/ebb/internal/stacks"
)

// target is the program that is governed.
type target interface {
	part.Program
	// start starts the target or takes it over, under the tracer, and names it in the report. It
	// gives up a delayed start when the context ends.
	start(ctx context.Context, h *live.Host, argv []string, r *report.Report) error
	// workload returns its name in an epoch table.
	workload() string
	// cgroupID returns the kernel's number of its cgroup, 0 for a target that is none.
	cgroupID() uint64
	close() error
}

// openTarget finds the target that was named.
func (s *Settings) openTarget(argv []string) (target, error) {
	switch {
	case len(argv) > 0:
		if _, err := live.LookUp(argv[0]); err != nil {
			if os.Getenv("SUDO_UID") != "" && errors.Is(err, exec.ErrNotFound) {
				err = fmt.Errorf("%w; under sudo, PATH is %q: give its whole path", err,
					os.Getenv("PATH"))
			}
			return nil, command.UsageError(err)
		}
		return &launched{name: filepath.Base(argv[0])}, nil
	case s.Target.PID != 0:
		if err := absent(s.Target.PID); err != nil { // before any clock is set
			return nil, part.Explain(fmt.Errorf("attach to process %d: %w", s.Target.PID, err))
		}
		return &process{pid: s.Target.PID}, nil
	}
	return s.openGroup()
}

// launched is a command that ebb starts.
type launched struct {
	name string
	pid  int
}

func (l *launched) start(ctx context.Context, h *live.Host, argv []string, _ *report.Report,
) error {
	err := h.Launch(ctx, argv)
	l.pid = h.PID()
	return err
}

func (l *launched) Sample(*stacks.Sampler) error { return nil }
func (l *launched) Runtimes(_ context.Context, argv []string) ([]live.JVM, error) {
	return live.JVMs(argv[0])
}
func (l *launched) ProcessesPass() bool { return false }
func (l *launched) workload() string    { return l.name }
func (l *launched) cgroupID() uint64    { return 0 }
func (l *launched) close() error        { return nil }

func (l *launched) String() string { return fmt.Sprintf("process %d", l.pid) }

// process is a process that runs already, with its descendants.
type process struct{ pid int }

func (p *process) start(_ context.Context, h *live.Host, _ []string, r *report.Report) error {
	r.Command = commandOf(p.pid)
	return h.Attach(p.pid)
}

func (p *process) Sample(s *stacks.Sampler) error { return methods.SampleAround(s, p.pid) }
func (p *process) Runtimes(ctx context.Context, _ []string) ([]live.JVM, error) {
	return mapped(ctx, []int{p.pid}, p)
}
func (p *process) ProcessesPass() bool { return false }
func (p *process) workload() string    { return fmt.Sprintf("pid %d", p.pid) }
func (p *process) cgroupID() uint64    { return 0 }
func (p *process) close() error        { return nil }
func (p *process) String() string      { return fmt.Sprintf("process %d", p.pid) }

// commandTime bounds the wait for a running process's command line. It lies in the process's
// memory, and a page that never arrives can block the read.
const commandTime = time.Second

// commandOf returns the command line of a running process, or its id if that cannot be read.
func commandOf(pid int) string {
	ctx, cancel := context.WithTimeout(context.Background(), commandTime)
	defer cancel()
	line, err := sandbox.CommandLine(ctx, pid)
	if err != nil || line == "" {
		return fmt.Sprintf("pid %d", pid)
	}
	return line
}

// group is a cgroup with all its processes, also those that come later.
type group struct {
	cgroup *cgroup.Cgroup
	unit   string // name of the unit that the cgroup is of; empty where none was named
}

// openGroup finds the cgroup that is the target. It is an error if it is empty.
func (s *Settings) openGroup() (target, error) {
	flag, name, open := "--cgroup", s.Target.Cgroup, cgroup.Open
	if s.Target.Unit != "" {
		flag, name, open = "--unit", s.Target.Unit, cgroup.Unit
	}
	c, err := open(name)
	switch {
	case errors.Is(err, cgroup.ErrNoHierarchy), errors.Is(err, fs.ErrPermission):
		return nil, fmt.Errorf("%s %s: %w", flag, name, err)
	case err != nil:
		return nil, command.Usagef("%s %s: %w", flag, name, err)
	}
	pids, err := c.Processes()
	switch {
	case err != nil:
		err = fmt.Errorf("%s %s: %w", flag, name, err)
	case len(pids) == 0:
		err = command.Usagef("%s %s: %w", flag, name, cgroup.ErrNotRunning)
	case slices.Contains(pids, os.Getpid()):
		err = command.Usagef("%s %s: ebb itself runs in it and cannot govern itself: "+
			"start it from elsewhere, as by sudo systemd-run --scope ebb", flag, name)
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return &group{cgroup: c, unit: s.Target.Unit}, nil
}

func (g *group) start(_ context.Context, h *live.Host, _ []string, r *report.Report) error {
	if err := h.AttachCgroup(g.cgroup.Wait, g.cgroup.CPUTime); err != nil {
		return err
	}
	r.Command, r.Cgroup = g.String(), g.cgroup.Name
	return nil
}

func (g *group) Sample(s *stacks.Sampler) error { return s.AttachCgroup(g.cgroup.FD()) }

func (g *group) Runtimes(ctx context.Context, _ []string) ([]live.JVM, error) {
	pids, err := g.cgroup.Processes()
	if err != nil {
		return nil, err
	}
	return mapped(ctx, pids, g)
}

func (g *group) ProcessesPass() bool { return true }
func (g *group) workload() string    { return filepath.Base(g.cgroup.Name) }
func (g *group) cgroupID() uint64    { return g.cgroup.ID }
func (g *group) close() error        { return g.cgroup.Close() }

func (g *group) String() string {
	if g.unit != "" {
		return "unit " + g.unit
	}
	return "cgroup " + g.cgroup.Name
}

// maxJVMs bounds the processes of a cgroup whose collections are followed: each adds a little to
// the cost of every breakpoint hit.
const maxJVMs = 64

// mapped opens the runtimes that running processes of a target have mapped. The error is that of
// the first runtime that could not be opened; the others are returned beside it.
func mapped(ctx context.Context, pids []int, of target) (found []live.JVM, err error) {
	more := false
	err = sandbox.Runtimes(ctx, pids, func(pid int, f *os.File) {
		if more = len(found) == maxJVMs; more {
			f.Close()
			return
		}
		found = append(found, live.JVM{File: f, PID: pid})
	})
	if more && err == nil {
		err = fmt.Errorf("%w JVMs in %s: more than %d", sandbox.ErrMany, of, maxJVMs)
	}
	return found, err
}
