package cpufreq

import (
	"fmt"
	"os"
	"path"
	"strings"

	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/internal/render/printable"
)

// Rival is another program that sets frequencies.
type Rival struct {
	Name string `json:"name"`
	PID  int    `json:"pid,omitempty"` // 0: not a process
	What string `json:"what"`          // its effect on the frequencies
	Stop string `json:"stop"`          // the way to make it leave them alone
}

func (r Rival) String() string {
	if r.PID == 0 {
		return r.Name
	}
	return fmt.Sprintf("%s (pid %d)", r.Name, r.PID)
}

// RivalPlaces holds the trees to search.
type RivalPlaces struct {
	Proc string    // the tree at /proc
	Run  string    // the tree at /run
	Sys  *sysfs.FS // the tree at /sys; nil for none
}

// OnThisMachine returns this machine's trees, with another one at /sys.
func OnThisMachine(sys *sysfs.FS) RivalPlaces {
	return RivalPlaces{Proc: "/proc", Run: "/run", Sys: sys}
}

// FindRivals returns the present rivals, in a fixed order. It skips what it cannot read: processes
// end while it reads them, and the kernel hides some from other users. It fails only when it cannot
// list any processes.
func FindRivals(w RivalPlaces) ([]Rival, error) {
	var found []Rival
	if w.Sys != nil {
		found = append(found, scheduler(w.Sys)...)
	}
	if r, ok := tlp(w.Run); ok {
		found = append(found, r)
	}
	running, err := processes(w.Proc)
	return append(found, running...), err
}

const longestName = 128 // length of a scheduler's name: the kernel's bound (SCX_OPS_NAME_LEN)

// scheduler returns the sched_ext scheduler that is loaded. Those that set frequencies do so
// through schedutil (Documentation/scheduler/sched-ext.rst, scx_bpf_cpuperf_set), and all of them
// decide what runs where.
func scheduler(sys *sysfs.FS) []Rival {
	state, err := sys.Read("kernel/sched_ext/state")
	if err != nil || state == "" || state == "disabled" {
		return nil
	}
	name, err := sys.Read("kernel/sched_ext/root/ops")
	if name = printable.Cut(name, longestName); err != nil || name == "" {
		name = "unnamed"
	}
	return []Rival{{
		Name: "sched_ext scheduler " + name, What: "asks for frequencies by its own rules",
		Stop: "stop the program that loaded it, or the service scx",
	}}
}

// tlp runs for a moment at boot and when the charger is plugged in or out, so it is no process. It
// leaves this file.
func tlp(run string) (Rival, bool) {
	if info, err := os.Stat(path.Join(run, "tlp/last_pwr")); err != nil ||
		!info.Mode().IsRegular() {
		return Rival{}, false
	}
	return Rival{
		Name: "TLP",
		What: "sets governor, limits and energy preference when the charger is plugged in or out",
		Stop: "systemctl disable --now tlp, and remove /run/tlp",
	}, true
}

// RivalNames lists rivals in a sentence.
func RivalNames(found []Rival) string {
	names := make([]string, len(found))
	for i, r := range found {
		names[i] = r.String()
	}
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}
