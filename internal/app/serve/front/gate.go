package front

import (
	"net"
	"slices"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/linux/monotonic"
	"github.com/ebb-energy/ebb/units"
)

// Bounds of connections. Root has its own share, and those who may read have one, so that others
// cannot keep them out.
const (
	mostOfUser = 64
	most       = 1024
	ofReaders  = 256
)

// peer is who has connected, when it did.
type peer struct {
	uid, gid uint32
	groups   []uint32
	at       units.Instant
}

// gate is a listener that takes a bounded number of connections.
type gate struct {
	net.Listener
	who   func(net.Conn) (peer, error)
	reads func(*peer) bool // nil: nobody but root

	mu    sync.Mutex
	users map[uint32]int
	all   int // of users but root
}

func newGate(l net.Listener, who func(net.Conn) (peer, error)) *gate {
	return &gate{Listener: l, who: who, users: map[uint32]int{}}
}

// visitor is a connection with who has it.
type visitor struct {
	net.Conn
	peer
	leave func()
	once  sync.Once
}

// Close implements net.Conn. Bytes that the peer has not taken are memory of this process's cgroup
// until it takes them or goes. Its place stays taken as well.
func (v *visitor) Close() (err error) {
	v.once.Do(func() {
		if !v.pending() {
			err = v.Conn.Close()
			v.leave()
			return
		}
		if c, is := v.Conn.(interface{ CloseWrite() error }); is {
			_ = c.CloseWrite() // the peer may have gone
		}
		go func() {
			for pause := time.Millisecond; v.pending(); pause = min(2*pause, time.Second) {
				time.Sleep(pause)
			}
			_ = v.Conn.Close()
			v.leave()
		}()
	})
	return err
}

// pending reports whether the peer has bytes to take (SO_MEMINFO); false where the kernel does not
// say.
func (v *visitor) pending() (is bool) {
	c, ok := v.Conn.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return false
	}
	_ = raw.Control(func(fd uintptr) { // false where it is closed
		var info [9]uint32
		size := uint32(unsafe.Sizeof(info))
		_, _, errno := unix.Syscall6(unix.SYS_GETSOCKOPT, fd, unix.SOL_SOCKET, unix.SO_MEMINFO,
			uintptr(unsafe.Pointer(&info)), uintptr(unsafe.Pointer(&size)), 0)
		is = errno == 0 && info[unix.SK_MEMINFO_WMEM_ALLOC] > idleMemory
	})
	return is
}

// idleMemory is what the kernel counts for a TCP socket that sends nothing, in bytes.
const idleMemory = 1

// sendBuffer bounds the memory of answers that a peer does not take, in bytes; the kernel doubles
// it.
const sendBuffer = 16 << 10

// Accept implements net.Listener. Whoever is one too many gets no answer: one that is not taken is
// memory.
func (g *gate) Accept() (net.Conn, error) {
	for {
		c, err := g.Listener.Accept()
		if err != nil {
			return nil, err
		}
		p, err := g.who(c)
		if err != nil {
			_ = c.Close() // nothing was read
			continue
		}
		p.at = monotonic.Now()
		if !g.enter(&p) {
			_ = c.Close() // nothing was sent
			continue
		}
		if b, is := c.(interface{ SetWriteBuffer(bytes int) error }); is {
			_ = b.SetWriteBuffer(sendBuffer) // without it the kernel's own bound is there
		}
		return &visitor{Conn: c, peer: p, leave: func() { g.leave(p.uid) }}, nil
	}
}

func (g *gate) enter(p *peer) bool {
	uid, room := p.uid, most-mostOfUser
	if g.reads == nil || !g.reads(p) {
		room -= ofReaders
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.users[uid] >= mostOfUser || uid != 0 && g.all >= room {
		return false
	}
	g.users[uid]++
	if uid != 0 {
		g.all++
	}
	return true
}

func (g *gate) leave(uid uint32) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.users[uid]--; g.users[uid] == 0 {
		delete(g.users, uid)
	}
	if uid != 0 {
		g.all--
	}
}

// mayRead reports whether a peer may read more than the one word: root, and members of a group,
// where there is one.
func (p *peer) mayRead(group int) bool {
	return p.uid == 0 || group >= 0 &&
		(p.gid == uint32(group) || slices.Contains(p.groups, uint32(group)))
}

// peerOf asks the kernel who has connected (SO_PEERCRED, SO_PEERGROUPS): the user and groups that
// the process had then.
func peerOf(c net.Conn) (p peer, err error) {
	raw, err := c.(*net.UnixConn).SyscallConn()
	if err != nil {
		return p, err
	}
	failed := raw.Control(func(fd uintptr) {
		var cred *unix.Ucred
		cred, err = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
		if err == nil {
			p.uid, p.gid = cred.Uid, cred.Gid
			p.groups = groupsOf(fd)
		}
	})
	if failed != nil {
		return p, failed
	}
	return p, err
}

// mostGroups bounds the groups of a user that are taken: as many as the kernel lets one have.
const mostGroups = 1 << 16

// groupsOf are the supplementary groups of the peer; none where the kernel does not say.
func groupsOf(fd uintptr) []uint32 {
	for n := 32; n <= mostGroups; n *= 2 {
		list := make([]uint32, n)
		size := uint32(4 * n)
		_, _, errno := unix.Syscall6(unix.SYS_GETSOCKOPT, fd, unix.SOL_SOCKET, unix.SO_PEERGROUPS,
			uintptr(unsafe.Pointer(&list[0])), uintptr(unsafe.Pointer(&size)), 0)
		if errno == 0 {
			return list[:size/4]
		}
		if errno != unix.ERANGE {
			break
		}
	}
	return nil
}
