package devtest

import (
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"
)

// CPU returns the first CPU that this process may run on: 0, but where a container or a cpuset has
// others. It panics where the kernel does not say.
func CPU() int {
	var may unix.CPUSet
	if err := unix.SchedGetaffinity(0, &may); err != nil {
		panic(err)
	}
	for i := range 8 * int(unsafe.Sizeof(may)) {
		if may.IsSet(i) {
			return i
		}
	}
	panic("this process may run on no CPU")
}

// CPUList returns CPU as taskset takes it.
func CPUList() string { return strconv.Itoa(CPU()) }
