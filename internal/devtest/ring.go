package devtest

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// Ring makes a ring buffer without a kernel, of size bytes: a file laid out like the map (the
// reader's page, the writers' page, the data twice), and its memory. Both last until the test ends.
func Ring(t testing.TB, size int) (fd int, memory []byte) {
	t.Helper()
	fd, err := unix.MemfdCreate("ring", unix.MFD_CLOEXEC)
	if err != nil {
		t.Skip(err)
	}
	length := 2*os.Getpagesize() + 2*size
	if err := unix.Ftruncate(fd, int64(length)); err != nil {
		t.Fatal(err)
	}
	memory, err = unix.Mmap(fd, 0, length, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = unix.Munmap(memory) // the test is over
		_ = unix.Close(fd)
	})
	return fd, memory
}
