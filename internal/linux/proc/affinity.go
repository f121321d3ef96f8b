package proc

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Affinity is a set of CPUs on which a thread may run, for any number of CPUs that the machine can
// have: unix.CPUSet ends at 1,024, and the kernel refuses to fill one that is too small for it.
type Affinity []uint64

// mostWords bounds an Affinity: 2^18 CPUs, where Linux can have 2^13.
const mostWords = 1 << 12

// ThreadAffinity returns the affinity of the calling thread.
func ThreadAffinity() (Affinity, error) { return affinity(1024/64, getAffinity) }

// affinity asks for more and more words until the kernel takes them.
func affinity(words int, get func(Affinity) (bytes int, err error)) (Affinity, error) {
	for ; ; words *= 2 {
		a := make(Affinity, words)
		n, err := get(a)
		if err == unix.EINVAL && words < mostWords {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("which CPUs this thread may run on: %w", err)
		}
		return a[:(n+7)/8], nil
	}
}

func getAffinity(a Affinity) (bytes int, err error) {
	n, _, errno := unix.RawSyscall(unix.SYS_SCHED_GETAFFINITY, 0, uintptr(8*len(a)),
		uintptr(unsafe.Pointer(unsafe.SliceData(a))))
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}

// SetThread limits the calling thread to these CPUs.
func (a Affinity) SetThread() error {
	_, _, errno := unix.RawSyscall(unix.SYS_SCHED_SETAFFINITY, 0, uintptr(8*len(a)),
		uintptr(unsafe.Pointer(unsafe.SliceData(a))))
	if errno != 0 {
		return errno
	}
	return nil
}

// Only returns the affinity of one CPU alone.
func Only(cpu int) Affinity {
	a := make(Affinity, cpu/64+1)
	a[cpu/64] = 1 << (cpu % 64)
	return a
}

// Has reports whether a CPU is in the set.
func (a Affinity) Has(cpu int) bool {
	return cpu >= 0 && cpu/64 < len(a) && a[cpu/64]&(1<<(cpu%64)) != 0
}
