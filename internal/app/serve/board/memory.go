package board

import (
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// New creates a board, and the file in memory by which another process can read it. The file keeps
// its size, and only this board can write it.
func New() (_ *Board, _ *os.File, err error) {
	fd, err := unix.MemfdCreate("board", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, nil, fmt.Errorf("make a file in memory: %w", err)
	}
	f := os.NewFile(uintptr(fd), "board")
	defer func() {
		if err != nil {
			_ = f.Close() // nobody else has it
		}
	}()
	if err := f.Truncate(memorySize); err != nil {
		return nil, nil, fmt.Errorf("make a file in memory: %w", err)
	}
	b, err := mapped(fd, unix.PROT_READ|unix.PROT_WRITE)
	if err != nil {
		return nil, nil, err
	}
	const seals = unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_SEAL |
		unix.F_SEAL_FUTURE_WRITE
	if _, err := unix.FcntlInt(f.Fd(), unix.F_ADD_SEALS, seals); err != nil {
		return nil, nil, fmt.Errorf("seal a file in memory: %w", err)
	}
	return b, f, nil
}

// Open returns the board of a file that another process made.
func Open(fd int) (*Board, error) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return nil, fmt.Errorf("look at the board: %w", err)
	}
	if st.Size != memorySize {
		return nil, fmt.Errorf("a board of %d bytes, not %d", st.Size, memorySize)
	}
	return mapped(fd, unix.PROT_READ)
}

func mapped(fd, protection int) (*Board, error) {
	m, err := unix.Mmap(fd, 0, memorySize, protection, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("map the board: %w", err)
	}
	return &Board{words: unsafe.Slice((*uint64)(unsafe.Pointer(&m[0])), words)}, nil
}
