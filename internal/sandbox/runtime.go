package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/ebb-energy/ebb/epochs/usdt"
	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
)

var (
	// ErrFile says that a file is not a usable library, or cannot be read without danger.
	ErrFile = errors.New("unusable file")
	// ErrMany says that a process has more of something than ebb examines.
	ErrMany = errors.New("too many")
)

// Runtimes opens the JVMs' libraries that processes have mapped, and hands each to take. The error
// is the first that a process had; the other libraries are handed over all the same.
func Runtimes(ctx context.Context, pids []int, take func(pid int, f *os.File)) error {
	s, err := StartSearch()
	if err != nil {
		return err
	}
	defer s.Close()
	return s.Runtimes(ctx, pids, take)
}

// Search looks for JVMs again and again with the same two processes. It is for one goroutine.
type Search struct{ host *Host }

// StartSearch starts the two processes of a Search.
func StartSearch() (*Search, error) {
	h, err := Start()
	if err != nil {
		return nil, err
	}
	return &Search{h}, nil
}

// Runtimes does what the function Runtimes does, by the Search's processes. After ErrLost it finds
// nothing more.
func (s *Search) Runtimes(
	ctx context.Context, pids []int, take func(pid int, f *os.File),
) (err error) {
	for _, pid := range pids {
		s.host.searched++
		image := s.host.searched
		s.host.Bind(image, pid)
		ofErr := s.host.runtimes(ctx, image, func(f *os.File) { take(pid, f) })
		s.host.Forget(image)
		if ofErr != nil && err == nil {
			err = fmt.Errorf("look for a JVM in process %d: %w", pid, ofErr)
		}
	}
	return err
}

// Close ends the processes.
func (s *Search) Close() error { return s.host.Close() }

func (h *Host) runtimes(ctx context.Context, image protocol.Image, take func(*os.File)) error {
	h.question++
	seq, all := h.question, true
	var ranges []protocol.Range
	err := h.ask(ctx, protocol.Ask(protocol.KindRuntimes, seq, image), nil, func(b []byte) bool {
		n, list, rest, err := protocol.DecodeRanges(b)
		ranges, all = list, rest
		return err == nil && n == seq && len(list) <= usdt.MaxMappings
	})
	for _, r := range ranges {
		f, openErr := h.open(ctx, &protocol.Open{
			What: protocol.Runtime, Image: image, Start: r.Start, End: r.End,
		})
		switch {
		case openErr == nil:
			take(f)
		case err == nil && !errors.Is(openErr, os.ErrNotExist): // it has been unmapped
			err = openErr
		}
	}
	if !all && err == nil {
		err = fmt.Errorf("%w files called %s are mapped: more than %d",
			ErrMany, usdt.JVMLibrary, usdt.MaxMappings)
	}
	return err
}

// open lets the opener open a file for this process.
func (h *Host) open(ctx context.Context, r *protocol.Open) (*os.File, error) {
	if h.opener == nil {
		return nil, ErrLost
	}
	h.question++
	r.ID = h.question
	c := h.opener.conn
	if err := c.Send(r.Encode()); err != nil {
		return nil, err
	}
	in, err := c.Wait(patience)
	if err == nil && !in {
		h.restartOpener()
		err = fmt.Errorf("%w: opening it takes too long", ErrFile)
	}
	if err != nil {
		return nil, err
	}
	n, fd, err := c.Receive(h.buf)
	if err != nil {
		return nil, err
	}
	a, err := protocol.DecodeOpened(h.buf[:n])
	var f *os.File
	if fd >= 0 {
		f = os.NewFile(uintptr(fd), "a mapped "+usdt.JVMLibrary)
	}
	switch {
	case err != nil || a.ID != r.ID:
		if f != nil {
			_ = f.Close() // nobody asked for it
		}
		return nil, fmt.Errorf("open a file: %w", protocol.ErrMalformed)
	case f != nil:
		return f, nil
	case a.Absent:
		return nil, fmt.Errorf("%s: %w", a.Reason, os.ErrNotExist)
	}
	return nil, fmt.Errorf("%w: %s", ErrFile, a.Reason)
}

// Collector finds where the garbage collector of a runtime begins and ends its work. A child that
// has seen nothing else reads the file: what it says decides where breakpoints go, and only the
// file's own writer can have led it astray.
func Collector(ctx context.Context, f *os.File) (at usdt.Collector, err error) {
	h, err := Start()
	if err != nil {
		return at, err
	}
	defer h.Close()
	h.question++
	seq, reason := h.question, ""
	err = h.ask(ctx, protocol.Ask(protocol.KindProbes, seq, 0), f, func(b []byte) bool {
		n, begins, ends, why, err := protocol.DecodeOffsets(b)
		at, reason = usdt.Collector{Begins: begins, Ends: ends}, why
		return err == nil && n == seq
	})
	if err == nil && reason != "" {
		err = fmt.Errorf("%w: %s: %s", ErrFile, f.Name(), reason)
	}
	return at, err
}

// Events finds the events that a JVM's library reports, and their places, like Collector. Names
// and numbers of places have the bounds of package usdt, whatever the file is.
func Events(ctx context.Context, f *os.File) (list []usdt.Event, err error) {
	h, err := Start()
	if err != nil {
		return nil, err
	}
	defer h.Close()
	h.question++
	seq, reason := h.question, ""
	err = h.ask(ctx, protocol.Ask(protocol.KindEvents, seq, 0), f, func(b []byte) bool {
		p, err := protocol.DecodeFileEvents(b)
		if err != nil || p.Seq != seq || len(p.Events) > usdt.MaxEvents {
			return false
		}
		list = nil
		for _, e := range p.Events {
			if !usdt.ValidName(e.Name) || max(len(e.Begins), len(e.Ends)) > usdt.MaxPlaces {
				return false
			}
			list = append(list, usdt.Event(e))
		}
		reason = p.Reason
		return true
	})
	if err == nil && reason != "" {
		err = fmt.Errorf("%w: %s: %s", ErrFile, f.Name(), reason)
	}
	return list, err
}
