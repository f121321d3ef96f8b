package guardian

import (
	"fmt"
	"os"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// page is memory that ebb and its guardian share.
type page struct {
	memory []byte
	// putBack is the time at which the guardian began to put the frequencies back, ns of
	// CLOCK_MONOTONIC; 0 before.
	putBack *atomic.Int64
	// beats grows while ebb begins; 0 before and after that.
	beats *atomic.Int64
}

const pageSize = 4096

// newPage makes a page, and a descriptor for another process to map it.
func newPage() (*page, *os.File, error) {
	fd, err := unix.MemfdCreate("ebb-guardian", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, nil, fmt.Errorf("make shared memory: %w", err)
	}
	f := os.NewFile(uintptr(fd), "shared memory")
	if err := f.Truncate(pageSize); err != nil {
		f.Close()
		return nil, nil, fmt.Errorf("size shared memory: %w", err)
	}
	// A file that shrank would end whoever touches the page.
	const seals = unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_SEAL
	if _, err := unix.FcntlInt(f.Fd(), unix.F_ADD_SEALS, seals); err != nil {
		f.Close()
		return nil, nil, fmt.Errorf("seal shared memory: %w", err)
	}
	p, err := mapPage(f)
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return p, f, nil
}

func mapPage(f *os.File) (*page, error) {
	memory, err := unix.Mmap(int(f.Fd()), 0, pageSize,
		unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("map shared memory: %w", err)
	}
	words := (*[2]atomic.Int64)(unsafe.Pointer(unsafe.SliceData(memory)))
	return &page{memory: memory, putBack: &words[0], beats: &words[1]}, nil
}
