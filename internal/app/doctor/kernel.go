package doctor

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/epochs/bpf"
	"github.com/ebb-energy/ebb/internal/inventory"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/internal/linux/tracing"
	"github.com/ebb-energy/ebb/internal/render/printable"
)

// examineKernel says which kernel it is, and whether it has what ebb's programs need.
func examineKernel() Finding {
	err := bpf.Supported()
	switch {
	case err == nil:
		return Finding{"kernel", Good, inventory.Kernel(), ""}
	case errors.Is(err, bpf.ErrNotSupported):
		return Finding{"kernel", Missing, inventory.Kernel() + ": " + err.Error(), newerKernel}
	}
	return Finding{"kernel", Warning, inventory.Kernel() + ": " + err.Error(), ""}
}

// newerKernel is the advice where the kernel lacks something.
const newerKernel = "ebb cannot run here: use a newer kernel of your distribution's, Linux 6.1 " +
	"or later with BTF"

func examineBTF(root string) Finding {
	f := Finding{What: "BTF", State: Good,
		Detail: "the kernel describes its types (/sys/kernel/btf/vmlinux)"}
	info, err := os.Stat(root + "/kernel/btf/vmlinux")
	switch {
	case err == nil:
		f.Detail += fmt.Sprintf(", %d KiB", info.Size()>>10)
	case errors.Is(err, os.ErrNotExist):
		f.State, f.Detail, f.Advice = Missing, err.Error(),
			"use a kernel built with CONFIG_DEBUG_INFO_BTF"
	default:
		f.State, f.Detail = Warning, err.Error()
	}
	return f
}

// examineLockdown says which rights the kernel keeps even from root, and that ebb's programs do
// without them.
func examineLockdown(root string) Finding {
	f := Finding{What: "lockdown", State: Good}
	level, err := tracing.ReadLockdown(root)
	switch {
	case err != nil:
		f.State, f.Detail = Warning, "could not find out the kernel's lockdown: "+err.Error()
		if os.Geteuid() != 0 {
			f.Advice = "run as root: sudo ebb doctor"
		}
	case level == tracing.Unlocked:
		f.Detail = "none"
	default:
		f.Detail = fmt.Sprintf("lockdown (%s): tracing, governing, --methods, --functions, "+
			"--count, --network, the probes of JVMs and cgroups work; ebb's programs read the "+
			"kernel's memory by its types alone", level)
	}
	return f
}

// capabilities are the capabilities with which parts of ebb work without root (docs/privileges.md).
var capabilities = []struct {
	bit  uint
	name string
	what string // consequence of its absence
}{
	{unix.CAP_BPF, "CAP_BPF", "no tracing"},
	{unix.CAP_PERFMON, "CAP_PERFMON", "no tracing, no counters"},
	{unix.CAP_SYS_NICE, "CAP_SYS_NICE", "decisions can come late on a busy machine"},
}

// examineCapabilities says which capabilities this process has. ahead tries to run ahead of
// ordinary threads, because CAP_SYS_NICE alone does not say that the kernel allows it.
func examineCapabilities(ahead func() error) Finding {
	f := Finding{What: "capabilities", State: Good}
	var header = unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if err := unix.Capget(&header, &data[0]); err != nil {
		f.State, f.Detail = Warning, err.Error()
		return f
	}
	effective := uint64(data[0].Effective) | uint64(data[1].Effective)<<32
	var has, lacks []string
	for _, c := range capabilities {
		if effective&(1<<c.bit) != 0 {
			has = append(has, c.name)
		} else {
			lacks = append(lacks, c.name+" ("+c.what+")")
		}
	}
	who := "root"
	if os.Geteuid() != 0 {
		who = fmt.Sprintf("user %d", os.Geteuid())
		lacks = append(lacks, "root (frequencies are not set)")
	}
	f.Detail = who
	if len(has) > 0 {
		f.Detail += " with " + strings.Join(has, ", ")
	}
	if len(lacks) > 0 {
		f.State = Missing
		f.Detail += "; without " + strings.Join(lacks, ", ")
		f.Advice = "run as root: sudo ebb doctor; tracing alone needs CAP_BPF and CAP_PERFMON"
	}
	if effective&(1<<unix.CAP_SYS_NICE) == 0 {
		return f
	}
	if err := ahead(); err != nil {
		f.Detail += fmt.Sprintf("; but SCHED_RR is refused (%v): decisions can come late on a "+
			"busy machine", err)
		if f.State == Good {
			f.State, f.Advice = Warning, "ebb's cgroup has no real-time share: set its "+
				"cpu.rt_runtime_us, or start ebb from the root cgroup"
		}
	}
	return f
}

// runAhead lets one thread run ahead of ordinary ones for a moment, as all of ebb's do in a run.
func runAhead() error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before, err := unix.SchedGetAttr(0, 0)
	if err != nil {
		return err
	}
	err = unix.SchedSetAttr(0, &unix.SchedAttr{Size: unix.SizeofSchedAttr,
		Policy: unix.SCHED_RR, Priority: 1, Flags: unix.SCHED_FLAG_RESET_ON_FORK}, 0)
	if err != nil {
		return err
	}
	return unix.SchedSetAttr(0, before, 0)
}

func examineCPUs(fs *sysfs.FS) Finding {
	m, err := sysfs.ReadLayout(fs)
	if err != nil {
		return Finding{"CPUs", Warning, err.Error(), ""}
	}
	d := fmt.Sprintf("%d online (%s), %s, %s", len(m.CPUs()), sysfs.FormatCPUs(m.CPUs()),
		printable.Count(len(m.Cores()), "core"), printable.Count(len(m.Packages()), "package"))
	if name := inventory.Processor(); name != "" {
		d += ", " + name
	}
	return Finding{"CPUs", Good, d, ""}
}
