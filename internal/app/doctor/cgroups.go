package doctor

import (
	"errors"

	"github.com/ebb-energy/ebb/internal/linux/cgroup"
)

// examineCgroups says whether a cgroup or a unit can be a target.
func examineCgroups() Finding {
	f := Finding{What: "cgroups", State: Good}
	root, err := cgroup.Root()
	switch {
	case errors.Is(err, cgroup.ErrNoHierarchy):
		f.State, f.Detail, f.Advice = Missing, err.Error()+
			": ebb can govern commands and processes, not --cgroup or --unit",
			"mount -t cgroup2 none /sys/fs/cgroup"
	case err != nil:
		f.State, f.Detail = Warning, err.Error()
	default:
		f.Detail = "version 2 at " + root + ": --cgroup and --unit can be governed"
	}
	if s := wholeMachine(); s != "" {
		f.Detail += "; " + s
	}
	return f
}

// wholeMachine returns a sentence on the hierarchy whose cgroups divide a machine's energy, where
// that is not version 2's: it has the controllers.
func wholeMachine() string {
	h, err := cgroup.OpenHierarchy("")
	if err != nil {
		return ""
	}
	defer h.Close() // it was only read
	if h.Name == cgroup.Version2 {
		return ""
	}
	return "ebb energy --machine follows version 1, by " + h.Name + " at " + h.Root
}
