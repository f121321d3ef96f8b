package vesta

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/ebb-energy/ebb/internal/safefile"
)

// Sweep trains a power model in each of some variants of the same programs, with ebb train.
type Sweep struct {
	Ebb      string // the command
	Dir      string // directory of the results; it exists
	Plan     []byte // plan of ebb train
	Train    []string
	Variants []Variant
	Out, Err io.Writer // what ebb train writes
	Say      func(format string, args ...any)
}

// Check returns an error for variants of one name, and for a plan that cannot be varied.
func (s *Sweep) Check() error {
	var names []string
	for i := range s.Variants {
		v := &s.Variants[i]
		if slices.Contains(names, v.Name) {
			return fmt.Errorf("two variants are called %s", v.Name)
		}
		names = append(names, v.Name)
		if _, err := v.planned(s.Plan); err != nil {
			return err
		}
	}
	return nil
}

// File returns the path of a variant's file with an ending: its model, data set or plan.
func (s *Sweep) File(v *Variant, ending string) string {
	return filepath.Join(s.Dir, v.Name+ending)
}

// Run trains in each variant that has no model yet, so that an interrupted sweep goes on. If the
// first fails, whatever is wrong with the plan, the meter or the times is wrong for all, and Run
// ends. Any other that fails does not end the rest; the errors come at the end.
func (s *Sweep) Run(ctx context.Context) error {
	var failed error
	for i := range s.Variants {
		v := &s.Variants[i]
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := s.one(ctx, v, i); err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", v.Name, err))
			if i == 0 {
				break
			}
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return failed
}

// ErrOtherPlan says that a directory has the results of another sweep.
var ErrOtherPlan = errors.New("its model in the directory was trained with another plan or other " +
	"flags: give another directory")

// one trains in a variant, unless it has a model that was trained as it would be.
func (s *Sweep) one(ctx context.Context, v *Variant, i int) error {
	plan, err := v.planned(s.Plan)
	if err != nil {
		return err
	}
	plan = append(fmt.Appendf(nil, "# ebb train %q\n", s.Train), plan...)
	if _, err := os.Stat(s.File(v, ".ebbmodel")); err == nil {
		before, err := safefile.ReadFile(s.File(v, ".toml"), int64(len(plan)))
		if err != nil || !bytes.Equal(before, plan) {
			return ErrOtherPlan
		}
		s.Say("%s: has a model from before", v.Name)
		return nil
	}
	s.Say("%s (%d of %d)", v.Name, i+1, len(s.Variants))
	return s.train(ctx, v, plan)
}

// endPatience is the time that ebb train has to end its program and to put the clocks back.
const endPatience = 20 * time.Second

func (s *Sweep) train(ctx context.Context, v *Variant, plan []byte) error {
	path := s.File(v, ".toml")
	if err := safefile.Whole(path, func(w io.Writer) error {
		_, err := w.Write(plan)
		return err
	}); err != nil {
		return err
	}
	// A data set without a model is of a training that was interrupted, in another minute and
	// perhaps another state of the machine.
	if err := os.Remove(s.File(v, ".csv")); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	// The last of a flag counts, and these two are the sweep's own.
	args := append([]string{"train"}, s.Train...)
	args = append(args, "-o", s.File(v, ".ebbmodel"), "--plan", path)
	c := exec.CommandContext(ctx, s.Ebb, args...)
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // a terminal's Ctrl-C comes by Cancel alone
	c.Stdout, c.Stderr = s.Out, s.Err
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) }
	c.WaitDelay = endPatience
	if err := c.Run(); err != nil {
		return fmt.Errorf("ebb train: %w", err)
	}
	return nil
}
