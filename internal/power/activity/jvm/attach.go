package jvm

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"

	"github.com/cilium/ebpf/link"

	"github.com/ebb-energy/ebb/epochs/usdt"
	"github.com/ebb-energy/ebb/internal/linux/tracing"
)

// The sides of an event at which a probe sits, as its cookie says (enum side in events.bpf.c).
const (
	sideBegins = iota
	sideEnds
	sideMoment
	sideBits = 2
)

// Attach counts the events of a JVM's library, at the places that usdt.FindEvents found in it, in
// whichever process it ran. The kernel puts a breakpoint at each place: in process pid, or for 0 in
// every process that maps the file, where those of other programs are not counted. The file stays
// the caller's, who can close it afterwards.
//
// The errors are errNoEvents, errNoProcess, ErrNotSupported, errPermission, usdt.ErrNotNop and
// those of safefile.CheckRegular.
func (p *programs) Attach(file *os.File, places []usdt.Event, pid int) error {
	if err := p.attach(file, places, pid); err != nil {
		return fmt.Errorf("attach to the probes of %s: %w", file.Name(), err)
	}
	return nil
}

func (p *programs) attach(file *os.File, places []usdt.Event, pid int) error {
	executable, err := tracing.Executable(file)
	if err != nil {
		return err
	}
	defer runtime.KeepAlive(file)
	info, err := file.Stat()
	if err != nil {
		return err
	}
	// Breakpoints of a second link would repeat the events.
	if slices.ContainsFunc(p.links, func(l attached) bool { return l.pid == 0 && l.of(info) }) {
		return nil
	}
	if len(p.links) >= p.most {
		if err := p.dropEnded(); err != nil {
			return err
		}
	}
	if len(p.links) >= p.most {
		return fmt.Errorf("%w: more than %d", errMany, p.most)
	}
	options, err := p.breakpoints(file, places)
	if err != nil {
		return err
	}
	if pid != 0 && tracing.ToProcesses(executable, p.objects.OnProbe, options) {
		options.PID = uint32(pid)
	}
	// The process may have begun another program since, or another process have its id.
	err = p.drop(func(l *attached) bool {
		return l.of(info) && (options.PID == 0 || l.pid == pid)
	})
	if err != nil {
		return err
	}
	l, err := executable.UprobeMulti(nil, p.objects.OnProbe, &options)
	switch {
	case pid != 0 && errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("process %d: %w", pid, errNoProcess)
	case err != nil:
		return refused("place breakpoints", err)
	}
	p.links = append(p.links, attached{l, int(options.PID), info})
	return nil
}

// breakpoints returns the places of the events that are counted. Each must be a nop.
func (p *programs) breakpoints(
	file *os.File, places []usdt.Event,
) (options link.UprobeMultiOptions, err error) {
	for _, e := range places {
		i := slices.Index(p.events, e.Name)
		if i < 0 {
			continue
		}
		begins := uint64(sideBegins)
		if len(e.Ends) == 0 {
			begins = sideMoment
		}
		for side, at := range map[uint64][]uint64{begins: e.Begins, sideEnds: e.Ends} {
			for _, place := range at {
				if err := usdt.CheckNop(file, place); err != nil {
					return options, err
				}
				options.Addresses = append(options.Addresses, place)
				options.Cookies = append(options.Cookies, uint64(i)<<sideBits|side)
			}
		}
	}
	if len(options.Addresses) == 0 {
		return options, errNoEvents
	}
	return options, nil
}

// attached holds the breakpoints in a file: in one process or, with pid 0, in all.
type attached struct {
	link.Link
	pid  int
	file os.FileInfo
}

func (l *attached) of(file os.FileInfo) bool { return os.SameFile(l.file, file) }

// dropEnded detaches from processes that have ended.
func (p *programs) dropEnded() error {
	return p.drop(func(l *attached) bool {
		_, err := os.Stat(fmt.Sprintf("/proc/%d", l.pid))
		return l.pid != 0 && err != nil
	})
}

// detach removes all breakpoints. The counts stay.
func (p *programs) detach() error { return p.drop(func(*attached) bool { return true }) }

// drop removes the breakpoints that which picks.
func (p *programs) drop(which func(*attached) bool) (err error) {
	p.links = slices.DeleteFunc(p.links, func(l attached) bool {
		if !which(&l) {
			return false
		}
		err = errors.Join(err, l.Close())
		return true
	})
	return err
}
