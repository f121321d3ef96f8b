package attribution

import (
	"os"
	"syscall"
	"time"
	"unsafe"

	"github.com/ebb-energy/ebb/internal/energy"
)

// statFile is the kernel's account of busy CPUs, usually /proc/stat, kept open. The thread that
// decides reads it ten times a second, with calls that Go's scheduler does not see. Otherwise Go's
// monitor thread would wake to check on each.
type statFile struct {
	path string
	file *os.File // nil until it is first read
	text []byte
}

// busy returns the busy time of each CPU; nil when it cannot be read.
func (s *statFile) busy() map[energy.CPU]time.Duration {
	if s.file == nil {
		f, err := os.Open(s.path)
		if err != nil {
			return nil
		}
		s.file, s.text = f, make([]byte, 4096)
	}
	fd, n := s.file.Fd(), 0
	for {
		if n == len(s.text) {
			s.text = append(s.text, make([]byte, n)...)
		}
		free := s.text[n:]
		k, _, errno := syscall.RawSyscall6(syscall.SYS_PREAD64, fd,
			uintptr(unsafe.Pointer(&free[0])), uintptr(len(free)), uintptr(n), 0, 0)
		switch {
		case errno == syscall.EINTR:
			continue
		case errno != 0:
			return nil
		}
		// The CPUs come first. The rest is long on large machines, and of no use.
		if n += int(k); k == 0 || pastCPUs(s.text[:n]) {
			return busy(string(s.text[:n]))
		}
	}
}

// pastCPUs reports whether the text has a whole line that is no CPU's.
func pastCPUs(text []byte) bool {
	for len(text) > 0 {
		end := 0
		for end < len(text) && text[end] != '\n' {
			end++
		}
		if end == len(text) {
			return false
		}
		if string(text[:min(3, end)]) != "cpu" {
			return true
		}
		text = text[end+1:]
	}
	return false
}

func (s *statFile) close() {
	if s.file != nil {
		_ = s.file.Close() // an error is of no consequence, as the file was only read
		s.file = nil
	}
}
