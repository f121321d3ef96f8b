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

// mostOfUser bounds a user's connections.
const mostOfUser = 64

// share is a part of the connections.
type share int

const (
	everybodys share = iota
	roots
	readers // who may read
	lessees // who may take leases
	shares
)

// places are those of each share. Root, those who may read and those who may take leases have their
// own, so that others cannot keep them out. When it is full they have everybody's.
var places = [shares]int{everybodys: 448, roots: mostOfUser, readers: 256, lessees: 256}

// peer is who has connected, when it did.
type peer struct {
	uid, gid uint32
	groups   []uint32
	at       units.Instant
}

// gate is a listener that takes a bounded number of connections.
type gate struct {
	net.Listener
	who func(net.Conn) (peer, error)
	// They report who may read, and who may take leases; nil: nobody but root may.
	reads, leases func(*peer) bool

	mu    sync.Mutex
	users map[uint32]int
	taken [shares]int
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
		_, errno := numbers(fd, unix.SO_MEMINFO, info[:])
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
		of, ok := g.enter(&p)
		if !ok {
			_ = c.Close() // nothing was sent
			continue
		}
		if b, is := c.(interface{ SetWriteBuffer(bytes int) error }); is {
			_ = b.SetWriteBuffer(sendBuffer) // without it the kernel's own bound is there
		}
		return &visitor{Conn: c, peer: p, leave: func() { g.leave(p.uid, of) }}, nil
	}
}

// enter takes a place, and says of which share.
func (g *gate) enter(p *peer) (of share, ok bool) {
	may := [...]share{roots, readers, lessees, everybodys}
	is := [shares]bool{roots: p.uid == 0, everybodys: p.uid != 0,
		readers: p.uid != 0 && g.reads != nil && g.reads(p),
		lessees: p.uid != 0 && g.leases != nil && g.leases(p)}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.users[p.uid] >= mostOfUser {
		return of, false
	}
	for _, of := range may {
		if is[of] && g.taken[of] < places[of] {
			g.users[p.uid]++
			g.taken[of]++
			return of, true
		}
	}
	return of, false
}

func (g *gate) leave(uid uint32, of share) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.users[uid]--; g.users[uid] == 0 {
		delete(g.users, uid)
	}
	g.taken[of]--
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
		found, errno := numbers(fd, unix.SO_PEERGROUPS, list)
		if errno == 0 {
			return list[:found]
		}
		if errno != unix.ERANGE {
			break
		}
	}
	return nil
}

// numbers asks a socket for an option that is a list of numbers (getsockopt(2)).
func numbers(fd uintptr, option int, list []uint32) (n int, errno syscall.Errno) {
	size := uint32(4 * len(list))
	_, _, errno = unix.Syscall6(unix.SYS_GETSOCKOPT, fd, unix.SOL_SOCKET, uintptr(option),
		uintptr(unsafe.Pointer(&list[0])), uintptr(unsafe.Pointer(&size)), 0)
	return int(size / 4), errno
}
