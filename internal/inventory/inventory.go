package inventory

import (
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/hpc"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
)

// Name returns what the machine calls itself in the network; "" when it cannot be read.
func Name() string {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return ""
	}
	return unix.ByteSliceToString(u.Nodename[:])
}

// Kernel returns the running kernel's release, such as 6.18.0; "unknown" when it cannot be read.
func Kernel() string {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return "unknown"
	}
	return unix.ByteSliceToString(u.Release[:])
}

// Processor returns the processor's name for people, empty where the kernel reports none.
func Processor() string {
	proc, err := sysfs.Open("/proc")
	if err != nil {
		return ""
	}
	defer proc.Close()
	name, err := sysfs.ModelName(proc)
	if err != nil {
		return ""
	}
	return name
}

// Families returns the processor's families in the table of counters' events: none when it is not
// in the table or cannot be read.
func Families() []hpc.Family {
	proc, err := sysfs.Open("/proc")
	if err != nil {
		return nil
	}
	defer proc.Close()
	text, err := proc.ReadStart("cpuinfo", 8<<10)
	if err != nil {
		return nil
	}
	return hpc.Identify(hpc.ParseCPU(text))
}

// Guest reports whether the processor says that this is a virtual machine. Only x86 says so.
func Guest() bool {
	proc, err := sysfs.Open("/proc")
	if err != nil {
		return false
	}
	defer proc.Close()
	text, err := proc.ReadStart("cpuinfo", 8<<10)
	if err != nil {
		return false
	}
	for line := range strings.Lines(text) {
		if flags, ok := strings.CutPrefix(line, "flags"); ok {
			return slices.Contains(strings.Fields(flags), "hypervisor")
		}
	}
	return false
}
