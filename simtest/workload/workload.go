package workload

import (
	"fmt"
	"strings"

	"github.com/ebb-energy/ebb/simtest"
)

// Paper returns the seven programs of DEP+BURST's Table 1, in its order.
func Paper() []simtest.Workload {
	return []simtest.Workload{xalan(), pmd(), pmdScale(),
		lusearch(), lusearchFix(), avrora(), sunflow()}
}

// More returns programs for what the paper leaves out.
func More() []simtest.Workload {
	return []simtest.Workload{locks(), phases(), roles(), bandwidth(), server(), spinPark(),
		forkJoin(), pipeline(), single()}
}

// Quick returns programs of 10 to 35 ms at 4 GHz (20 to 80 ms at 1 GHz) that use everything a
// program can do, for runs by the thousand.
func Quick() []simtest.Workload {
	return []simtest.Workload{quickManaged(), quickLocks(), quickBarriers(), quickServer(),
		quickChurn(), quickCrowd(), quickSingle()}
}

// All returns all programs.
func All() []simtest.Workload {
	return append(append(append(Paper(), More()...), Quick()...), Unlike()...)
}

// names returns the names of all programs; for unlike ones it has the kinds.
func names() string {
	var all []string
	for _, w := range append(append(Paper(), More()...), Quick()...) {
		all = append(all, w.Name)
	}
	return strings.Join(all, ", ") + ", and 10ms to 500ms of " +
		strings.Join(UnlikeKinds(), ", ") + ", as sections.60ms"
}

// ByName finds a program. Its number of application threads is the one that its description gives;
// a caller may change it to any from 1 to 8.
func ByName(name string) (simtest.Workload, error) {
	for _, w := range All() {
		if w.Name == name {
			return w, nil
		}
	}
	return simtest.Workload{}, fmt.Errorf("no simulated program %q; there are %s", name,
		names())
}
