package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/epochs/bpf"
	"github.com/ebb-energy/ebb/governor/live"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/regular"
	"github.com/ebb-energy/ebb/report"
	"github.com/ebb-energy/ebb/sandbox"
)

// Values of Settings.Collections; any other is a file. Empty is auto with the model coop, else off.
const (
	CollectionsAuto = "auto" // of the JVMs that can be found
	CollectionsOff  = "off"
)

// collections reports whether a followed runtime collected garbage.
type collections struct {
	passive
	followed bool // the probes of a runtime are attached
}

// openCollections attaches to the probes of the garbage collectors, where that is asked for. No JVM
// where one was only hoped for is a warning of the report.
func (r *Run) openCollections(argv []string) error {
	s := r.settings
	switch {
	case s.Collections == CollectionsOff,
		s.Collections == "" && !strings.HasPrefix(s.Model, "coop"):
		return nil
	}
	c := &collections{}
	r.use(c)
	if s.Collections == "" || s.Collections == CollectionsAuto {
		return c.followFound(r, argv)
	}
	f, err := live.OpenJVM(s.Collections)
	if err == nil {
		err = c.follow(r.tracer, live.JVM{File: f})
	}
	switch {
	case errors.Is(err, bpf.ErrPermission):
		return explain(fmt.Errorf("--collector-phases: %w", err))
	case err != nil:
		return command.Usagef("--collector-phases: %w", err)
	}
	return nil
}

// followFound follows the runtimes that can be found.
func (c *collections) followFound(r *Run, argv []string) error {
	found, err := r.target.runtimes(argv)
	defer func() {
		for _, j := range found {
			j.File.Close()
		}
	}()
	switch {
	case err != nil && !theFilesFault(err):
		return err
	case err != nil:
		warn(&r.report, "no collector phases: "+err.Error())
	case len(found) == 0:
		warn(&r.report, "no collector phases: no JVM was found, "+
			"and other runtimes do not report when they collect")
	}
	for _, j := range found {
		switch err := c.follow(r.tracer, j); {
		case err == nil, errors.Is(err, bpf.ErrNoProcess) && r.target.processesPass():
		case theFilesFault(err):
			warn(&r.report, "no collector phases: "+err.Error())
		default:
			return explain(fmt.Errorf("--collector-phases: %w", err))
		}
	}
	return nil
}

// follow attaches to the probes of one runtime.
func (c *collections) follow(t *bpf.Tracer, j live.JVM) error {
	at, err := sandbox.Collector(context.Background(), j.File)
	if err != nil {
		return err
	}
	if err := t.FollowCollector(j.File, at, j.PID); err != nil {
		return err
	}
	c.followed = true
	return nil
}

// maxJVMs bounds in how many processes of a cgroup collections are followed: each makes a hit of a
// breakpoint in any of them a little more expensive.
const maxJVMs = 64

// mapped opens the runtimes that running processes of a target have mapped. The error is that of
// the first that could not be opened; the others are returned beside it.
func mapped(pids []int, of target) (found []live.JVM, err error) {
	more := false
	err = sandbox.Runtimes(context.Background(), pids, func(pid int, f *os.File) {
		if more = len(found) == maxJVMs; more {
			f.Close()
			return
		}
		found = append(found, live.JVM{File: f, PID: pid})
	})
	if more {
		err = fmt.Errorf("%w JVMs in %s: more than %d", sandbox.ErrMany, of, maxJVMs)
	}
	return found, err
}

// theFilesFault says whether a run can do without a file's probes, as it is no JVM or somebody made
// it look like one. What this kernel or ebb's rights do not allow is another matter.
func theFilesFault(err error) bool {
	return slices.ContainsFunc([]error{
		sandbox.ErrFile, sandbox.ErrMany, sandbox.ErrLost, bpf.ErrNotNop, regular.ErrNotRegular,
		regular.ErrStalls, unix.ELOOP,
	}, func(fault error) bool { return errors.Is(err, fault) })
}

// finish reports when collections were followed and there were none.
func (c *collections) finish(_ context.Context, r *report.Report) error {
	if c.followed && r.Collections == 0 {
		warn(r, "no collector phases: no collection of a JVM began")
	}
	return nil
}
