package calls

import (
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/instrumented"
)

// Shared is the memory of one run. It is for one goroutine.
type Shared struct {
	file   *os.File
	reader *os.File // the same memory, for reading alone
	page   []byte
	period *uint32
	handed int // descriptor that the program inherits; -1: there is none
	inode  uint64
}

// CreateShared makes the memory. Its size is sealed: otherwise the program could make it shorter,
// and end this process at its next write.
func CreateShared(s *instrumented.Settings) (_ *Shared, err error) {
	fd, err := unix.MemfdCreate("ebb-functions", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, fmt.Errorf("make memory for calls of functions: %w", err)
	}
	m := &Shared{file: os.NewFile(uintptr(fd), "ebb-functions"), handed: -1}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("make memory for calls of functions: %w", err), m.Close())
		}
	}()
	if err = m.file.Truncate(instrumented.MemorySize); err != nil {
		return nil, err
	}
	if _, err = m.file.WriteAt(s.Encode(), 0); err != nil {
		return nil, err
	}
	const seals = unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_SEAL
	if _, err = unix.FcntlInt(m.file.Fd(), unix.F_ADD_SEALS, seals); err != nil {
		return nil, err
	}
	var st unix.Stat_t
	if err = unix.Fstat(fd, &st); err != nil {
		return nil, err
	}
	m.inode = st.Ino
	if m.reader, err = os.Open(fmt.Sprintf("/proc/self/fd/%d", fd)); err != nil {
		return nil, err
	}
	m.page, err = unix.Mmap(fd, 0, os.Getpagesize(), unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_SHARED)
	if err != nil {
		return nil, err
	}
	m.period = (*uint32)(unsafe.Pointer(&m.page[instrumented.PeriodAt]))
	return m, nil
}

// Reader returns the memory, for reading alone.
func (s *Shared) Reader() *os.File { return s.reader }

// Period begins period n; 0: nothing is profiled.
func (s *Shared) Period(n uint32) { atomic.StoreUint32(s.period, n) }

// highFD is the number that the program's descriptor is to have: programs count on the low numbers.
const highFD = 700

// Hand makes the program that is started next inherit the memory, and returns the variable of its
// environment that says where it is.
func (s *Shared) Hand() (name, value string, err error) {
	for _, from := range []int{highFD, 100, 3} {
		if s.handed, err = unix.FcntlInt(s.file.Fd(), unix.F_DUPFD, from); err == nil {
			return SharedVariable, fmt.Sprintf("%d:%d:%d", s.handed, s.inode, os.Getpid()), nil
		}
	}
	s.handed = -1
	return "", "", fmt.Errorf("hand over the memory for calls of functions: %w", err)
}

// SharedVariable is the variable of the environment by which the library finds the memory.
const SharedVariable = "EBB_FUNCTIONS"

// Handed closes the descriptor that Hand made. It is called when the program has inherited its own.
func (s *Shared) Handed() error {
	if s.handed < 0 {
		return nil
	}
	fd := s.handed
	s.handed = -1
	return unix.Close(fd)
}

// Close gives the memory up. The program keeps it as long as it runs. A second Close does nothing.
func (s *Shared) Close() error {
	var errs []error
	errs = append(errs, s.Handed())
	if s.page != nil {
		errs = append(errs, unix.Munmap(s.page))
		s.page = nil
	}
	for _, f := range []*os.File{s.file, s.reader} {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	s.file, s.reader = nil, nil
	return errors.Join(errs...)
}
