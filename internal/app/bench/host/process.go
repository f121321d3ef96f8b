package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/governor/live"
	"github.com/ebb-energy/ebb/internal/app/bench"
	"github.com/ebb-energy/ebb/internal/linux/proc"
	"github.com/ebb-energy/ebb/internal/linux/shelter"
)

// errCommand: the command cannot be run, or ends with another status than 0.
var errCommand = errors.New("the command cannot be measured")

// patience is the time that a program may take to end after it was asked to. A test may set less.
const patience = 5 * time.Second

// start runs a command to its end as a user (nil: ebb's own), without input and without its output.
// The command gets a process group of its own: ebb passes on, once, what interrupts ebb. The time
// begins when the command has been executed, as a traced run's does.
func (r *Runner) start(ctx context.Context, argv []string, as *live.Identity,
) (m bench.Measurement, err error) {
	path, err := exec.LookPath(argv[0])
	if err != nil {
		return m, fmt.Errorf("%w: %w", errCommand, err)
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return m, err
	}
	defer null.Close()
	if err := r.errors.Truncate(0); err != nil {
		return m, fmt.Errorf("keep the program's output: %w", err)
	}
	if _, err := r.errors.Seek(0, io.SeekStart); err != nil {
		return m, fmt.Errorf("keep the program's output: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return m, err
	}
	// Otherwise a busy machine would delay the reading of the clock at the program's begin and end.
	if undo, err := live.PrioritiseAlone(); err == nil {
		defer undo()
	}
	var p *os.Process
	var launch *shelter.Launch
	attr := &os.ProcAttr{
		Files: []*os.File{null, null, r.errors}, Env: as.Environ(),
		Sys: &syscall.SysProcAttr{Setpgid: true, Credential: as.Credential()},
	}
	err = as.Within(func() (err error) {
		p, launch, err = shelter.StartOutside(path, argv, attr)
		return err
	})
	_, unlimit := live.LimitAlone()
	defer unlimit()
	before := time.Duration(0)
	if err == nil {
		if before, err = launch.Wait(ctx); err != nil {
			go proc.Wait(p) // it may be delayed for long
		}
	}
	// By now the command has taken the place of this program's copy, or of the launcher.
	begin := time.Now()
	if err != nil {
		return m, errors.Join(ctx.Err(), fmt.Errorf("%w: %w", errCommand, err))
	}
	gone := make(chan struct{})
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		interrupt(ctx, p.Pid, r.patience, gone)
	}()
	proc.Over(p.Pid)
	m.Wall = time.Since(begin)
	close(gone)
	<-stopped // after the last signal to the group, whose number is free with the status
	state, err := proc.Wait(p)
	if err != nil {
		return m, fmt.Errorf("wait for the command: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return m, err
	}
	m.CPU = max(state.UserTime()+state.SystemTime()-before, 0)
	if !state.Success() {
		return m, fmt.Errorf("%w: it ends with %v%s", errCommand, state, r.lastWords())
	}
	return m, nil
}

// interrupt ends the process group when ctx ends: first by SIGTERM, after patience by SIGKILL.
// Nobody takes the status of the group's first process before it returns.
func interrupt(ctx context.Context, pid int, patience time.Duration, gone <-chan struct{}) {
	select {
	case <-gone:
		return
	case <-ctx.Done():
	}
	_ = unix.Kill(-pid, unix.SIGTERM) // it may end at this very moment
	t := time.NewTimer(patience)
	defer t.Stop()
	select {
	case <-gone:
	case <-t.C:
	}
	// Processes that are left have had their time, or are younger than the signal: a governed run
	// starts its program itself.
	_ = unix.Kill(-pid, unix.SIGKILL)
}

// lastWords returns the last line that the program wrote on standard error, for a sentence.
func (r *Runner) lastWords() string {
	const most = 4096
	info, err := r.errors.Stat()
	if err != nil || info.Size() == 0 {
		return ""
	}
	buf := make([]byte, min(info.Size(), most))
	if _, err := r.errors.ReadAt(buf, info.Size()-int64(len(buf))); err != nil &&
		!errors.Is(err, io.EOF) {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(string(buf)), "\n")
	last := strings.ToValidUTF8(strings.TrimSpace(lines[len(lines)-1]), "?")
	const shown = 200
	if len(last) > shown {
		last = strings.ToValidUTF8(last[:shown], "") + "..."
	}
	if last == "" {
		return ""
	}
	return fmt.Sprintf("; its last output: %q", last)
}
