package bpf

import (
	"errors"
	"fmt"

	"github.com/cilium/ebpf/link"

	"github.com/ebb-energy/ebb/epochs"
)

// ErrNoProbes: a file has no probes that tell of collections.
var ErrNoProbes = errors.New("no probes for the begin and end of a garbage collection")

// The probes of a JVM (provider "hotspot" in libjvm.so), and what they tell. They need no option of the JVM.
const jvmProvider = "hotspot"

var jvmProbes = map[string]epochs.Cause{
	"gc__begin": epochs.CollectionBegins,
	"gc__end":   epochs.CollectionEnds,
}

// FollowCollector has the garbage collector of the runtime in file tell when it begins and ends its work, as Phase
// events. File is a JVM's libjvm.so; it need not be mapped yet. No other runtime is known that tells.
//
// The kernel puts a breakpoint at each probe, in every process that has the file mapped; those that are not the target's
// are dropped in the kernel. A collection costs two of them, some microseconds; programs without collections cost nothing.
func (t *Tracer) FollowCollector(file string) error {
	probes, err := probesOf(file, jvmProvider)
	if err != nil {
		return fmt.Errorf("look for probes in %s: %w", file, err)
	}
	var options link.UprobeMultiOptions
	for name, cause := range jvmProbes {
		if len(probes[name]) == 0 {
			return fmt.Errorf("%s: %w", file, ErrNoProbes)
		}
		for _, at := range probes[name] {
			options.Addresses = append(options.Addresses, at)
			options.Cookies = append(options.Cookies, uint64(cause))
		}
	}
	f, err := link.OpenExecutable(file)
	if err != nil {
		return fmt.Errorf("attach to the collector of %s: %w", file, err)
	}
	l, err := f.UprobeMulti(nil, t.objects.OnPhase, &options) // Linux 6.6
	if err != nil {
		return loadError("attach to the collector of "+file, err)
	}
	t.closers = append(t.closers, l.Close)
	return nil
}
