package bpf

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/features"
	"github.com/cilium/ebpf/link"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/epochs/usdt"
	"github.com/ebb-energy/ebb/internal/linux/tracing"
)

// ErrNotNop is usdt.ErrNotNop, for callers that parse nothing.
var ErrNotNop = usdt.ErrNotNop

// FollowCollector makes a runtime's garbage collector write Phase events when it begins and ends
// its work. The file is a JVM's libjvm.so; it need not be mapped yet. The places are those that
// usdt.FindCollector found in the file, in whichever process it ran.
//
// The kernel puts a breakpoint at each place: in process pid, or for 0 in every process that maps
// the file, where those of other programs are dropped in the kernel. A collection hits two of them,
// which costs some microseconds. Programs without collections pay nothing. The file remains the
// caller's, who can close it afterwards.
//
// The errors are ErrNotNop, safefile.ErrNotRegular, safefile.ErrStalls, usdt.ErrNoProbes,
// ErrNoBreakpoints, ErrNoProcess, and those of Attach.
func (t *Tracer) FollowCollector(file *os.File, at usdt.Collector, pid int) error {
	if err := t.followCollector(file, at, pid); err != nil {
		return fmt.Errorf("attach to the collector of %s: %w", file.Name(), err)
	}
	return nil
}

func (t *Tracer) followCollector(file *os.File, at usdt.Collector, pid int) error {
	// An older kernel's answer to the attempt could also mean other things.
	if err := features.HaveBPFLinkUprobeMulti(); errors.Is(err, ebpf.ErrNotSupported) {
		return ErrNoBreakpoints
	}
	executable, err := tracing.Executable(file)
	if err != nil {
		return err
	}
	defer runtime.KeepAlive(file)
	options, err := breakpoints(file, at)
	if err != nil {
		return err
	}
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if slices.ContainsFunc(t.everywhere,
		func(other os.FileInfo) bool { return os.SameFile(other, info) }) {
		return nil
	}
	if pid != 0 && tracing.ToProcesses(executable, t.objects.OnPhase, options) {
		options.PID = uint32(pid)
	}
	l, err := executable.UprobeMulti(nil, t.objects.OnPhase, &options) // Linux 6.6
	switch {
	case pid != 0 && errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("process %d: %w", pid, ErrNoProcess)
	case err != nil:
		return loadError("place breakpoints", err)
	}
	t.closers = append(t.closers, l.Close)
	if options.PID == 0 {
		t.everywhere = append(t.everywhere, info)
	}
	return nil
}

// breakpoints returns the places to attach to, each a nop, with the phase that each reports.
func breakpoints(file io.ReaderAt, at usdt.Collector) (options link.UprobeMultiOptions, err error) {
	if len(at.Begins) == 0 || len(at.Ends) == 0 || len(at.Begins)+len(at.Ends) > 2*usdt.MaxPlaces {
		return options, usdt.ErrNoProbes
	}
	for _, probes := range []struct {
		places []uint64
		cause  epochs.Cause
	}{{at.Begins, epochs.CollectionBegins}, {at.Ends, epochs.CollectionEnds}} {
		for _, place := range probes.places {
			if err := usdt.CheckNop(file, place); err != nil {
				return options, err
			}
			options.Addresses = append(options.Addresses, place)
			options.Cookies = append(options.Cookies, uint64(probes.cause))
		}
	}
	return options, nil
}
