package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/epochs/bpf"
	"github.com/ebb-energy/ebb/hpc"
	"github.com/ebb-energy/ebb/hpc/perfevent"
	"github.com/ebb-energy/ebb/internal/sysfs"
	"github.com/ebb-energy/ebb/rapl"
	"github.com/ebb-energy/ebb/topology"
)

func newDoctor(std stdio) *cobra.Command {
	var asJSON bool
	var root string
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "what this machine offers, and what ebb would do with it",
		Long: `Looks at what ebb needs, one line each with its reason, and writes nothing. As another user than root it shows what
that user may know.`,
		Example: "  sudo ebb doctor\n  ebb doctor --json",
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			findings := examine(root)
			if asJSON {
				enc := json.NewEncoder(std.out)
				enc.SetIndent("", "  ")
				return enc.Encode(findings)
			}
			printFindings(std.out, findings)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().StringVar(&root, "sysfs", "/sys", "`ROOT` of the machine's attributes")
	return cmd
}

// finding is one line of the doctor's page.
type finding struct {
	What   string `json:"what"`
	State  string `json:"state"` // "yes", "no", "unknown"
	Detail string `json:"detail"`
	// Advice is what to do to get more; empty when there is nothing to gain.
	Advice string `json:"advice,omitempty"`
}

func examine(root string) []finding {
	out := []finding{examineKernel(), examineBTF(root), examineTracing()}
	fs, err := sysfs.Open(root)
	if err != nil {
		return append(out, finding{"sysfs", "unknown", err.Error(), ""})
	}
	defer fs.Close()
	return append(out, examineCPUs(fs), examineFrequency(fs), examineCounters(), examineMeter(fs), verdict(fs))
}

func examineKernel() finding {
	return finding{"kernel", "yes", kernelRelease(), ""}
}

func kernelRelease() string {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return "unknown"
	}
	return unix.ByteSliceToString(u.Release[:])
}

func examineBTF(root string) finding {
	f := finding{What: "BTF", State: "yes", Detail: "the kernel describes its types (/sys/kernel/btf/vmlinux)"}
	if info, err := os.Stat(root + "/kernel/btf/vmlinux"); err != nil {
		f.State, f.Detail, f.Advice = "no", err.Error(), "use a kernel built with CONFIG_DEBUG_INFO_BTF"
	} else {
		f.Detail += fmt.Sprintf(", %d KiB", info.Size()>>10)
	}
	return f
}

// examineTracing loads the real programs: whether they load is the only question that matters.
func examineTracing() finding {
	f := finding{What: "tracing", State: "yes"}
	start := time.Now()
	t, err := bpf.Open(bpf.Config{Quantum: 5 * time.Millisecond})
	switch {
	case err == nil:
		f.Detail = fmt.Sprintf("the scheduler's tracepoints can be traced; loading took %v", time.Since(start).Round(time.Millisecond))
		if err := t.Close(); err != nil {
			f.Detail += "; unloading: " + err.Error()
		}
	case errors.Is(err, bpf.ErrPermission):
		f.State, f.Detail, f.Advice = "unknown", bpf.ErrPermission.Error(), "run as root: sudo ebb doctor"
	case errors.Is(err, bpf.ErrNotSupported):
		f.State, f.Detail, f.Advice = "no", err.Error(), "ebb can not run here"
	default:
		f.State, f.Detail = "unknown", err.Error()
	}
	return f
}

func examineCPUs(fs *sysfs.FS) finding {
	m, err := topology.Read(fs)
	if err != nil {
		return finding{"CPUs", "unknown", err.Error(), ""}
	}
	d := fmt.Sprintf("%s online, %d cores, %d packages", topology.FormatCPUs(m.CPUs()), len(m.Cores()), len(m.Packages()))
	if name := cpuModel(); name != "" {
		d += ", " + name
	}
	return finding{"CPUs", "yes", d, ""}
}

// cpuModel is the processor's name for people, empty where the kernel tells none.
func cpuModel() string {
	proc, err := sysfs.Open("/proc")
	if err != nil {
		return ""
	}
	defer proc.Close()
	name, err := topology.ModelName(proc)
	if err != nil {
		return ""
	}
	return name
}

func examineFrequency(fs *sysfs.FS) finding {
	host, err := cpufreq.Open(fs)
	switch {
	case errors.Is(err, cpufreq.ErrNone):
		return finding{"frequency", "no", err.Error(), "most virtual machines have none: run ebb on the host, or use shadow mode to see what a budget would buy"}
	case err != nil:
		return finding{"frequency", "unknown", err.Error(), ""}
	}
	d := &host.Domains[0]
	states := host.States(nil)
	return finding{"frequency", "yes", fmt.Sprintf("%d domains, driver %s, governor %s, %v to %v in %d states, boost %v",
		len(host.Domains), d.Driver, d.Governor, states[0], states[len(states)-1], len(states), d.Boost), ""}
}

// examineCounters opens the counters that a run would count.
func examineCounters() finding {
	families := cpuFamilies()
	f := finding{What: "counters", State: "yes"}
	known := "the processor is not in ebb's table of events"
	if len(families) > 0 {
		known = "events of " + hpc.Titles(families)
	}
	open, set, passed, err := perfevent.Best(hpc.Sets(families), []int{0})
	switch {
	case err == nil:
		f.Detail = strings.Join(set.Counters, ", ") + " (" + known + ")"
		if !slices.Contains(set.Counters, hpc.StallLo) {
			f.Detail += "; memory stalls are not counted, so all running time is taken as scaling with the frequency"
		}
		for _, p := range passed {
			f.Detail += "; not more: " + p.Error()
		}
		f.Advice = moreCounters(passed)
		if err := open.Close(); err != nil {
			f.Detail += "; closing them: " + err.Error()
		}
	case errors.Is(err, perfevent.ErrNotSupported), errors.Is(err, perfevent.ErrNoCounter):
		f.State, f.Detail = "no", "no PMU ("+err.Error()+"): all running time is taken as scaling with the frequency, only waiting is not"
		f.Advice = "virtual machines: have the hypervisor pass the PMU through"
	case errors.Is(err, perfevent.ErrPermission):
		f.State, f.Detail, f.Advice = "unknown", err.Error(), "run as root: sudo ebb doctor"
	default:
		f.State, f.Detail = "unknown", err.Error()
	}
	return f
}

// moreCounters is what to do for a richer set, where something can be done.
func moreCounters(passed []error) string {
	for _, err := range passed {
		if errors.Is(err, perfevent.ErrNoCounter) {
			return "free the counter that the lockup watchdog holds: sysctl kernel.nmi_watchdog=0; on processors with TSX_FORCE_ABORT also echo 1 > /sys/bus/event_source/devices/cpu/allow_tsx_force_abort"
		}
	}
	return ""
}

// examineMeter opens the meters that a run would read.
func examineMeter(fs *sysfs.FS) finding {
	m, err := rapl.Open(fs)
	switch {
	case errors.Is(err, rapl.ErrNone):
		return finding{"energy meter", "no", err.Error() + " (RAPL): energy is modelled", ""}
	case errors.Is(err, rapl.ErrPermission):
		return finding{"energy meter", "unknown", err.Error(), "run as root: sudo ebb doctor"}
	case err != nil:
		return finding{"energy meter", "unknown", err.Error(), ""}
	}
	f := finding{What: "energy meter", State: "yes"}
	var zones []string
	for _, z := range m.Zones() {
		zones = append(zones, z.Name()+" ("+string(z.Source)+")")
	}
	f.Detail = "RAPL: " + strings.Join(zones, ", ")
	for _, l := range m.Left {
		f.Detail += "; not read: " + l.Zone.Name() + ", " + l.Why.Error()
	}
	if filtered, err := rapl.Filtered("/dev/cpu/0/msr"); err == nil && filtered {
		f.Detail += "; the processor adds noise to it against spying, so that short intervals say little"
	}
	if err := m.Close(); err != nil {
		f.Detail += "; closing: " + err.Error()
	}
	return f
}

// verdict is what ebb run would do.
func verdict(fs *sysfs.FS) finding {
	host, err := cpufreq.Open(fs)
	if err != nil {
		states := cpufreq.VirtualStates()
		return finding{"ebb run", "yes", fmt.Sprintf("shadow mode: predicts and decides for a virtual processor of %v to %v, writes nothing (%v)", states[0], states[len(states)-1], err), ""}
	}
	var tries []string
	for _, c := range host.Probe(nil) {
		tries = append(tries, c.Name+" ("+c.Reason+")")
	}
	return finding{"ebb run", "yes", "would try " + strings.Join(tries, ", then "), ""}
}

func printFindings(w io.Writer, findings []finding) {
	for _, f := range findings {
		fmt.Fprintf(w, "%-13s %-8s %s\n", f.What, f.State, f.Detail)
		if f.Advice != "" {
			fmt.Fprintf(w, "%-13s %-8s %s\n", "", "", "-> "+f.Advice)
		}
	}
}
