package front

import (
	"fmt"
	"net"
	"slices"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Bounds of connections. Root has its own share, so that others cannot keep it out.
const (
	mostOfUser = 64
	most       = 1024
)

// peer is who has connected, when it did.
type peer struct {
	uid, gid uint32
	groups   []uint32
}

// gate is a listener that takes a bounded number of connections.
type gate struct {
	net.Listener
	who func(net.Conn) (peer, error)

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
}

// Close implements net.Conn.
func (v *visitor) Close() error {
	v.leave()
	return v.Conn.Close()
}

// Accept implements net.Listener. Whoever is one too many gets one sentence, as far as that goes
// without waiting.
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
		if !g.enter(p.uid) {
			_ = c.SetWriteDeadline(time.Now().Add(time.Second)) // a new socket has room at once
			_, _ = c.Write([]byte(crowded))
			_ = c.Close()
			continue
		}
		return &visitor{c, p, sync.OnceFunc(func() { g.leave(p.uid) })}, nil
	}
}

var crowded = func() string {
	text := `{"error":"too many connections: at most 64 of a user, and 1024 in all"}` + "\n"
	return fmt.Sprintf("HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\n"+
		"Connection: close\r\nContent-Length: %d\r\n\r\n%s", len(text), text)
}()

func (g *gate) enter(uid uint32) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.users[uid] >= mostOfUser || uid != 0 && g.all >= most-mostOfUser {
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
