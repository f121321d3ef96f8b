package methods

import (
	"github.com/ebb-energy/ebb/internal/linux/cgroup"
	"github.com/ebb-energy/ebb/internal/stacks"
)

// SampleAround samples a process and its descendants. CPUs are interrupted only while some process
// of the same part of the machine runs there: of its slice, where systemd is. A process that is
// moved to another part is then not sampled. Where there is no such part, or the kernel has no
// events of cgroups, idle CPUs are interrupted as well.
func SampleAround(s *stacks.Sampler, pid int) error {
	if err := s.SkipYoung(); err != nil {
		return err
	}
	if around, err := cgroup.Top(pid); err == nil {
		err = s.AttachCgroup(around.FD())
		_ = around.Close() // it was only read
		if err == nil {
			return nil
		}
	}
	return s.AttachCPUs()
}
