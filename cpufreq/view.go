package cpufreq

import (
	"bytes"
	"fmt"
	"os"
	"runtime/debug"
	"syscall"
)

// view is the snapshot's file, mapped into memory. The last notes of the process that wrote it can
// be read without asking the file system.
type view struct {
	file   *os.File
	memory []byte
}

func newView(root *os.Root) (_ *view, err error) {
	v := &view{}
	if v.file, err = root.Open(snapshotFile); err != nil {
		return nil, fmt.Errorf("open the snapshot: %w", err)
	}
	info, err := v.file.Stat()
	if err == nil && (info.Size() == 0 || info.Size() > maxSnapshot) {
		err = fmt.Errorf("%w: %d bytes", ErrSnapshot, info.Size())
	}
	if err == nil {
		v.memory, err = syscall.Mmap(int(v.file.Fd()), 0, int(info.Size()), syscall.PROT_READ,
			syscall.MAP_SHARED)
	}
	if err != nil {
		v.file.Close()
		return nil, fmt.Errorf("map the snapshot: %w", err)
	}
	_ = syscall.Mlock(v.memory) // some users may not; then it is most likely in memory
	return v, nil
}

// current reports whether the file still is the snapshot: neither removed nor replaced.
func (v *view) current() bool { return v != nil && named(v.file) }

// named reports whether an open file still has a name. The kernel knows that without its file
// system's help.
func named(f *os.File) bool {
	var stat syscall.Stat_t
	return syscall.Fstat(int(f.Fd()), &stat) == nil && stat.Nlink > 0
}

// bytes returns a copy of the file; nothing where somebody has cut it.
func (v *view) bytes() (image []byte) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if recover() != nil {
			image = nil
		}
	}()
	return bytes.Clone(v.memory)
}

func (v *view) close() {
	if v == nil {
		return
	}
	_ = syscall.Munmap(v.memory)
	v.file.Close()
}
