package run

import (
	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/epochs/bpf"
)

// ownIDs returns the ids by which /proc knows the tracer's processes.
func ownIDs(t *bpf.Tracer) func(pid int) int {
	return func(pid int) int { return t.OwnID(epochs.TID(pid)) }
}
