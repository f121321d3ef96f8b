package devtest

import (
	"encoding/binary"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"
)

// The part of the protocol that a file system of one file needs (include/uapi/linux/fuse.h). A user
// with fusermount can also have such a file system; here root mounts it.
const (
	fuseLookup, fuseGetattr, fuseOpen, fuseRead     = 1, 3, 14, 15
	fuseInit, fuseRelease, fuseFlush, fuseOpendir   = 26, 18, 25, 27
	fuseReaddir, fuseReleasedir, fuseForget, access = 28, 29, 2, 34
	fuseStatfs                                      = 17
	fuseHeader                                      = 40
	fuseOut                                         = 16
	fuseRoot, fuseFile                              = 1, 2
)

// Stalled is a file system with one file, which at some time stops to answer.
type Stalled struct {
	Path string       // path of the file
	From atomic.Int64 // offsets from here on are not answered
	// Opens: nothing is opened any more, neither the file nor the directory. Asked is the number of
	// such requests.
	Opens atomic.Bool
	Asked atomic.Int64

	dev     int
	dir     string
	content []byte
	owner   uint32
	end     sync.Once
	over    chan struct{} // closed when nobody serves any more
}

// Stall mounts one at a directory until the test's end, with a file of a name and an owner. The
// test is skipped where that cannot be.
func Stall(t testing.TB, dir, name string, content []byte, owner uint32) *Stalled {
	t.Helper()
	dev, err := unix.Open("/dev/fuse", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Skip("no FUSE: ", err)
	}
	s := &Stalled{Path: filepath.Join(dir, name), dev: dev, dir: dir, content: content,
		owner: owner, over: make(chan struct{})}
	s.From.Store(1 << 40)
	options := fmt.Sprintf(
		"fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other,default_permissions,max_read=4096",
		dev,
	)
	if err := unix.Mount("stalled", dir, "fuse", unix.MS_NOSUID|unix.MS_NODEV,
		options); err != nil {
		unix.Close(dev)
		t.Skip("no FUSE: ", err)
	}
	t.Cleanup(s.End)
	go s.serve()
	return s
}

// End unmounts the file system. Processes that wait for an answer get an error.
func (s *Stalled) End() {
	s.end.Do(func() {
		_ = unix.Unmount(s.dir, unix.MNT_FORCE|unix.MNT_DETACH)
		<-s.over
		unix.Close(s.dev)
	})
}

func (s *Stalled) serve() {
	defer close(s.over)
	buf := make([]byte, 128<<10)
	for {
		fds := []unix.PollFd{{Fd: int32(s.dev), Events: unix.POLLIN}}
		if n, err := unix.Poll(fds, 100); n == 0 || err == unix.EINTR {
			continue
		}
		n, err := unix.Read(s.dev, buf)
		if err == unix.EINTR || err == unix.ENOENT || err == unix.EAGAIN {
			continue
		} else if err != nil || n < fuseHeader {
			return
		}
		s.request(buf[:n])
	}
}

func (s *Stalled) request(b []byte) {
	le := binary.LittleEndian
	op, unique, node := le.Uint32(b[4:]), le.Uint64(b[8:]), le.Uint64(b[16:])
	body := b[fuseHeader:]
	var out []byte
	errno := int32(0)
	switch op {
	case fuseInit:
		out = make([]byte, 64)
		le.PutUint32(out, 7)
		le.PutUint32(out[4:], 31)
		le.PutUint32(out[20:], 4096) // max_write
		le.PutUint32(out[8:], 0)     // max_readahead
		le.PutUint16(out[28+0:], 1)  // max_pages
		le.PutUint16(out[16:], 8)    // max_background
	case fuseLookup:
		if string(body[:max(0, len(body)-1)]) != filepath.Base(s.Path) {
			errno = -int32(unix.ENOENT)
			break
		}
		out = make([]byte, 40)
		le.PutUint64(out, fuseFile)
		le.PutUint64(out[8:], 1)
		le.PutUint64(out[16:], 3600)
		le.PutUint64(out[24:], 3600)
		out = append(out, s.attributes(fuseFile)...)
	case fuseGetattr:
		out = make([]byte, 16)
		le.PutUint64(out, 3600)
		out = append(out, s.attributes(node)...)
	case fuseStatfs:
		out = make([]byte, 80)
	case fuseOpen, fuseOpendir:
		if s.Opens.Load() {
			s.Asked.Add(1)
			return
		}
		out = make([]byte, 16)
		le.PutUint32(out[8:], 2) // FOPEN_KEEP_CACHE
	case fuseRead:
		offset, size := int64(le.Uint64(body[8:])), int64(le.Uint32(body[16:]))
		if offset+size > s.From.Load() {
			return // never an answer
		}
		out = s.content[min(offset, int64(len(s.content))):min(offset+size, int64(len(s.content)))]
	case fuseReaddir:
		if le.Uint64(body[8:]) == 0 { // its begin
			name := filepath.Base(s.Path)
			out = make([]byte, 24, 24+len(name)+7)
			le.PutUint64(out, fuseFile)
			le.PutUint64(out[8:], 1)
			le.PutUint32(out[16:], uint32(len(name)))
			out = append(out, name...)
			out = append(out, make([]byte, -len(out)&7)...)
		}
	case fuseRelease, fuseReleasedir, fuseFlush, access:
	case fuseForget:
		return
	default:
		errno = -int32(unix.ENOSYS)
	}
	answer := make([]byte, fuseOut, fuseOut+len(out))
	le.PutUint32(answer, uint32(fuseOut+len(out)))
	le.PutUint32(answer[4:], uint32(errno))
	le.PutUint64(answer[8:], unique)
	_, _ = unix.Write(s.dev, append(answer, out...))
}

// attributes is a struct fuse_attr.
func (s *Stalled) attributes(node uint64) []byte {
	le := binary.LittleEndian
	a := make([]byte, 88)
	le.PutUint64(a, node)
	mode, links := uint32(unix.S_IFDIR|0o755), uint32(2)
	if node == fuseFile {
		mode, links = unix.S_IFREG|0o755, 1
		le.PutUint64(a[8:], uint64(len(s.content)))
		le.PutUint64(a[16:], uint64(len(s.content)+511)/512)
	}
	le.PutUint32(a[60:], mode)
	le.PutUint32(a[64:], links)
	le.PutUint32(a[68:], s.owner)
	le.PutUint32(a[72:], s.owner)
	le.PutUint32(a[80:], 4096)
	return a
}
