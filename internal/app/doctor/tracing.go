package doctor

import (
	"errors"
	"fmt"
	"time"

	"github.com/ebb-energy/ebb/epochs/bpf"
	"github.com/ebb-energy/ebb/internal/network"
	"github.com/ebb-energy/ebb/internal/power/activity/jvm"
	"github.com/ebb-energy/ebb/internal/render/printable"
)

// examineTracing loads the real programs: whether they load is the only question that matters. If
// they do, it also asks the kernel for what other programs need.
func examineTracing() []Finding {
	f := Finding{What: "tracing", State: Good}
	start := time.Now()
	t, err := bpf.Open(bpf.Config{Quantum: 5 * time.Millisecond})
	switch {
	case err == nil:
		f.Detail = fmt.Sprintf(
			"programs on sched_switch, sched_waking and on fork, exec and exit of processes "+
				"load, in %s", printable.Duration(time.Since(start)),
		)
		if timers := t.Timers(); timers != "" {
			f.Detail += "; " + timers
		}
		if err := t.Close(); err != nil {
			f.Detail += "; unloading: " + err.Error()
		}
		return []Finding{f, examineNetwork(), examineProbes()}
	case errors.Is(err, bpf.ErrPermission):
		f.State, f.Detail, f.Advice = Warning, bpf.ErrPermission.Error(),
			"run as root: sudo ebb doctor"
	case errors.Is(err, bpf.ErrNotSupported):
		f.State, f.Detail, f.Advice = Missing, err.Error(), newerKernel
	default:
		f.State, f.Detail = Warning, err.Error()
	}
	return []Finding{f}
}

// examineNetwork says whether network bytes can be counted.
func examineNetwork() Finding {
	f := Finding{What: "network", State: Good, Detail: "bytes can be counted: --network"}
	if err := network.Supported(); err != nil {
		f.State, f.Detail = Warning, "no --network: "+err.Error()
	}
	return f
}

// examineProbes says whether the probes of a JVM can be attached to.
func examineProbes() Finding {
	f := Finding{What: "JVM probes", State: Good,
		Detail: "a JVM's collections and events can be followed: --collector-phases, ebb train"}
	if err := jvm.Supported(); err != nil {
		f.State, f.Detail = Warning, "no --collector-phases, and power models without the "+
			"events of JVMs: "+err.Error()
	}
	return f
}
