package host

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/ebb-energy/ebb/hpc/perfevent"
	"github.com/ebb-energy/ebb/internal/app/qualify"
)

// controllers compares the memory controllers' counts with a known stream.
func (h *host) controllers(ctx context.Context, c *qualify.Counters) (err error) {
	m, err := perfevent.OpenMemory(h.fs)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	h.Say("   counts a known stream of memory")
	work, err := h.calibrated(ctx, streamWork)
	if err != nil {
		return err
	}
	rest, err := counting(m, func() error { return h.pause(ctx, h.Plan.Each()) })
	if err != nil {
		return err
	}
	read, err := h.streamed(ctx, m, work)
	if err != nil {
		return err
	}
	background := float64(rest.lines) / rest.took.Seconds()
	others := background * read.took.Seconds()
	const linesOfMiB = 1 << 20 / 64
	c.Memory = &qualify.Streamed{Source: strings.TrimSpace(m.String()), Background: background,
		Known: int64(work) * linesOfMiB,
		Read:  int64(float64(read.lines) - others)}
	return nil
}

// linesRead is a number of lines that were read, and the time for it.
type linesRead struct {
	lines uint64
	took  time.Duration
}

// counting counts the lines that are read while do runs.
func counting(m *perfevent.Memory, do func() error) (out linesRead, err error) {
	before, err := m.Read()
	if err != nil {
		return out, err
	}
	begin := time.Now()
	if err := do(); err != nil {
		return out, err
	}
	after, err := m.Read()
	return linesRead{after.Read - before.Read, time.Since(begin)}, err
}

// streamed counts the lines of a stream, only while its memory is read. Allocating, filling and
// freeing that memory can take longer, and varies.
func (h *host) streamed(ctx context.Context, m *perfevent.Memory, work uint64) (out linesRead,
	err error) {
	argv := argv(h.Self, streamWork, work, 1)
	var said words
	c := exec.Command(argv[0], argv[1:]...)
	c.Stderr = &said
	from, err := c.StdoutPipe()
	if err != nil {
		return out, err
	}
	to, err := c.StdinPipe()
	if err != nil {
		return out, err
	}
	p, err := begunAs(ctx, c)
	if err != nil {
		return out, err
	}
	line := []byte("\n")
	if _, err = from.Read(line); err == nil { // the program has filled its memory
		out, err = counting(m, func() error {
			_, unsent := to.Write(line)
			_, unread := from.Read(line) // the program has read its memory
			return errors.Join(unsent, unread)
		})
	}
	err = errors.Join(err, to.Close(), p.wait())
	if err != nil {
		err = fmt.Errorf("%s: %w%s", shown(argv), err, said.last())
	}
	return out, firstOf(ctx.Err(), err)
}
