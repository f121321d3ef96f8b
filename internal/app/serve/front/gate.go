package front

import (
	"errors"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/linux/monotonic"
	"github.com/ebb-energy/ebb/internal/linux/unixconn"
	"github.com/ebb-energy/ebb/units"
)

// mostOfUser bounds a user's connections.
const mostOfUser = 64

// share is a part of the connections.
type share int

const (
	everybodys share = iota
	roots
	readers // peers who may read
	lessees // peers who may take leases
	shares
)

// mostConnections are the numbers of connections of each share. Root, those who may read and those
// who may take leases have shares of their own, so that others cannot keep them out. When their
// share is full they take places of everybody's.
var mostConnections = [shares]int{everybodys: 448, roots: mostOfUser, readers: 256, lessees: 256}

// peer is the user who has connected, and the time of the connection.
type peer struct {
	uid, gid uint32
	groups   []uint32
	at       units.Instant
}

// gate is a listener that takes a bounded number of connections.
type gate struct {
	net.Listener
	who func(net.Conn) (peer, error)
	// reads and leases report who may read, and who may take leases; nil: root alone.
	reads, leases func(*peer) bool
	mostLate      int // number of connections that may wait to be closed
	places        *places
}

// places counts the connections of listeners that share them. The zero value is empty.
type places struct {
	mu    sync.Mutex
	users map[uint32]int
	taken [shares]int
}

func newGate(l net.Listener, who func(net.Conn) (peer, error)) *gate {
	return &gate{Listener: l, who: who, mostLate: mostLate, places: &places{}}
}

// visitor is a connection with its peer.
type visitor struct {
	net.Conn
	peer
	leave func()
	once  sync.Once
	asked atomic.Bool // the service was asked for a lease and has not answered
}

// Close implements net.Conn. Bytes that the peer has not taken are memory of this process's cgroup
// until it takes them or goes. Until then the connection keeps its place as well, and until the
// service has answered for it.
func (v *visitor) Close() error {
	v.once.Do(func() {
		if !v.waits() {
			part(v.Conn, v.leave)
			return
		}
		if c, is := v.Conn.(interface{ CloseWrite() error }); is {
			_ = c.CloseWrite() // the peer may have gone
		}
		go func() {
			for pause := time.Millisecond; v.waits(); pause = min(2*pause, time.Second) {
				time.Sleep(pause)
			}
			part(v.Conn, v.leave)
		}()
	})
	return nil
}

// waits reports whether the connection cannot be closed yet.
func (v *visitor) waits() bool { return v.asked.Load() || v.pending() }

// Read implements net.Conn. It reads no byte with which a descriptor came: to drop that could keep
// a thread of this process for as long as the peer likes, and it has few.
func (v *visitor) Read(b []byte) (n int, err error) {
	c, is := v.Conn.(*net.UnixConn)
	if !is || len(b) == 0 {
		return v.Conn.Read(b)
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, err
	}
	if failed := raw.Read(func(fd uintptr) bool {
		n, err = unixconn.Read(int(fd), b)
		return err != unix.EAGAIN
	}); failed != nil {
		return 0, failed // such as a deadline
	}
	return n, err
}

// part closes a connection, and calls closed when that is done, as late as the peer may like.
func part(c net.Conn, closed func()) {
	u, is := c.(*net.UnixConn)
	if !is {
		_ = c.Close() // nothing was written that could be lost
		closed()
		return
	}
	unixconn.Leave(u, closed) // it may not be shut down for reading: the service has its socket too
}

// pending reports whether the peer still has bytes to take (SO_MEMINFO); false where the kernel
// does not say.
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

// idleMemory is the kernel's count for a TCP socket that sends nothing, in bytes.
const idleMemory = 1

// sendBuffer bounds the memory of answers that a peer does not take, in bytes. The kernel doubles
// it.
const sendBuffer = 16 << 10

// mostLate bounds the connections that wait to be closed, which is more than have places.
const mostLate = 2048

// errLate says that too many do: those who have no place left them full of descriptors. This
// process then ends, since the kernel lets no socket linger of one that ends, and the service
// starts another.
var errLate = errors.New("too many connections wait to be closed")

// Accept implements net.Listener. A peer beyond the bound gets no answer, because an answer that is
// not taken would be memory.
func (g *gate) Accept() (net.Conn, error) {
	for {
		c, err := g.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if u, is := c.(*net.UnixConn); is {
			unixconn.Inline(u) // for Read
		}
		p, err := g.who(c)
		p.at = monotonic.Now()
		of, ok := share(0), false
		if err == nil {
			of, ok = g.places.enter(p.uid, g.sharesOf(&p))
		}
		if !ok {
			if part(c, func() {}); unixconn.Late() >= g.mostLate {
				return nil, errLate
			}
			g.pause()
			continue
		}
		if b, is := c.(interface{ SetWriteBuffer(bytes int) error }); is {
			_ = b.SetWriteBuffer(sendBuffer) // without it the kernel's own bound holds
		}
		return &visitor{Conn: c, peer: p, leave: func() { g.places.leave(p.uid, of) }}, nil
	}
}

// pause waits a little where many connections are to be closed already: who connects faster than
// this process closes waits in the kernel's queue, and does not end it.
func (g *gate) pause() {
	for range 10 {
		if unixconn.Late() < g.mostLate/8 {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// sharesOf reports of which shares a peer may have places.
func (g *gate) sharesOf(p *peer) [shares]bool {
	return [shares]bool{roots: p.uid == 0, everybodys: p.uid != 0,
		readers: p.uid != 0 && g.reads != nil && g.reads(p),
		lessees: p.uid != 0 && g.leases != nil && g.leases(p)}
}

// enter takes a place for a user who may have some of these shares, and returns whose it is.
func (c *places) enter(uid uint32, may [shares]bool) (of share, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.users[uid] >= mostOfUser {
		return of, false
	}
	for _, of := range [...]share{roots, readers, lessees, everybodys} {
		left := mostConnections[of] - c.taken[of]
		if of != roots { // a user who has as many as are left, leaves them to others
			left -= c.users[uid]
		}
		if may[of] && left > 0 {
			if c.users == nil {
				c.users = map[uint32]int{}
			}
			c.users[uid]++
			c.taken[of]++
			return of, true
		}
	}
	return of, false
}

func (c *places) leave(uid uint32, of share) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.users[uid]--; c.users[uid] == 0 {
		delete(c.users, uid)
	}
	c.taken[of]--
}

// mayRead reports whether a peer may read more than the health: root, and members of a group, where
// there is one.
func (p *peer) mayRead(group int) bool {
	return p.uid == 0 || group >= 0 &&
		(p.gid == uint32(group) || slices.Contains(p.groups, uint32(group)))
}

// peerOf asks the kernel for the peer (SO_PEERCRED, SO_PEERGROUPS): the user and groups that the
// process had when it connected.
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

// mostGroups bounds the groups that are read of a user: as many as the kernel allows.
const mostGroups = 1 << 16

// groupsOf returns the supplementary groups of the peer; none where the kernel does not say.
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

// numbers reads an option of a socket that is a list of numbers (getsockopt(2)).
func numbers(fd uintptr, option int, list []uint32) (n int, errno syscall.Errno) {
	size := uint32(4 * len(list))
	_, _, errno = unix.Syscall6(unix.SYS_GETSOCKOPT, fd, unix.SOL_SOCKET, uintptr(option),
		uintptr(unsafe.Pointer(&list[0])), uintptr(unsafe.Pointer(&size)), 0)
	return int(size / 4), errno
}
