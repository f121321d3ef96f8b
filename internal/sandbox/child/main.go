package child

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/linux/unixconn"
	"github.com/ebb-energy/ebb/internal/sandbox/confine"
	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
)

// The descriptors that the governor hands to the process.
const (
	governorFD = 3
	progressFD = 4
)

// memoryGoal is the memory, in bytes, at which Go's collector begins to work harder, well below the
// limit.
const memoryGoal = 128 << 20

// Main runs the child in a process of its own. It returns when the governor has gone.
func Main() error {
	runtime.GOMAXPROCS(1)
	debug.SetMemoryLimit(memoryGoal)
	progress, err := mapProgress(progressFD)
	if err != nil {
		return err
	}
	c := newChild(unixconn.New(governorFD), progress) // it reads what it needs of itself
	confine.EndFirst()
	if err := confine.GiveUpRights(); err != nil {
		return err
	}
	return c.serve(confine.LimitCPU)
}

// pageSize is the size of the page of Progress.
const pageSize = 4096

func mapProgress(fd int) (*protocol.Progress, error) {
	b, err := unix.Mmap(fd, 0, pageSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("map the page of progress: %w", err)
	}
	return (*protocol.Progress)(unsafe.Pointer(&b[0])), nil
}
