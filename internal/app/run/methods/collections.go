package methods

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/epochs/bpf"
	"github.com/ebb-energy/ebb/governor/live"
	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/app/run/part"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/safefile"
	"github.com/ebb-energy/ebb/internal/sandbox"
)

// collectionsOff is the value of Settings.Collections that follows none.
const collectionsOff = "off"

// collections reports whether a followed runtime collected garbage.
type collections struct {
	part.Passive
	followed bool // the probes of a runtime are attached
	model    string
}

// OpenCollections attaches to the probes of the garbage collectors, when it is asked for. With
// auto, finding no JVM is only a warning in the report.
func OpenCollections(ctx context.Context, r *part.Run, argv []string) error {
	s := r.Settings
	switch {
	case s.Collections == collectionsOff:
		if as := asMCrit(s.Model); as != "" {
			part.Warn(&r.Report, "no collector phases, by --collector-phases"+as)
		}
		return nil
	case s.Collections == "" && !strings.HasPrefix(s.Model, "coop"):
		return nil
	}
	c := &collections{model: s.Model}
	r.Use(part.Totals, c)
	if s.Collections == "" || s.Collections == part.CollectionsAuto {
		return c.followFound(ctx, r, argv)
	}
	f, err := live.OpenJVM(s.Collections)
	if err == nil {
		err = c.follow(ctx, r.Tracer, live.JVM{File: f})
	}
	switch {
	case errors.Is(err, bpf.ErrPermission), errors.Is(err, bpf.ErrNoBreakpoints):
		return part.Explain(fmt.Errorf("--collector-phases: %w", err))
	case err != nil:
		return command.Usagef("--collector-phases: %w", err)
	}
	return nil
}

// followFound follows the runtimes that can be found.
func (c *collections) followFound(ctx context.Context, r *part.Run, argv []string) error {
	found, err := r.Program.Runtimes(ctx, argv)
	defer func() {
		for _, j := range found {
			j.File.Close()
		}
	}()
	switch {
	case err != nil && !theFilesFault(err):
		return err
	case err != nil:
		part.Warn(&r.Report, "no collector phases: "+err.Error())
	case len(found) == 0:
		part.Warn(&r.Report, "no collector phases: no JVM was found, "+
			"and other runtimes do not report when they collect"+asMCrit(r.Settings.Model))
	}
	for _, j := range found {
		switch err := c.follow(ctx, r.Tracer, j); {
		case err == nil, errors.Is(err, bpf.ErrNoProcess) && r.Program.ProcessesPass():
		case theFilesFault(err):
			part.Warn(&r.Report, "no collector phases: "+err.Error())
		default:
			return part.Explain(fmt.Errorf("--collector-phases: %w", err))
		}
	}
	return nil
}

// follow attaches to the probes of one runtime.
func (c *collections) follow(ctx context.Context, t *bpf.Tracer, j live.JVM) error {
	at, err := sandbox.Collector(ctx, j.File)
	if err != nil {
		return err
	}
	if err := t.FollowCollector(j.File, at, j.PID); err != nil {
		return err
	}
	c.followed = true
	return nil
}

// asMCrit returns a sentence on the model coop without phases; empty for other models.
func asMCrit(model string) string {
	if !strings.HasPrefix(model, "coop") {
		return ""
	}
	return "; the model " + model + " predicts as m+crit" + strings.TrimPrefix(model, "coop")
}

// theFilesFault reports whether err is the fault of a file that is no JVM, or that pretends to be
// one. The run can do without its probes. A refusal by the kernel is an error of the run.
func theFilesFault(err error) bool {
	return slices.ContainsFunc([]error{
		sandbox.ErrFile, sandbox.ErrMany, sandbox.ErrLost, bpf.ErrNotNop, safefile.ErrNotRegular,
		safefile.ErrStalls, unix.ELOOP,
	}, func(fault error) bool { return errors.Is(err, fault) })
}

// finish warns if collections were followed and none began.
func (c *collections) Finish(_ context.Context, r *report.Report) error {
	if c.followed && r.Collections == 0 {
		part.Warn(r, "no collector phases: no collection of a JVM began"+asMCrit(c.model))
	}
	return nil
}
