package serve

import (
	"encoding/binary"

	"golang.org/x/sys/unix"
)

// access names those beside root who may connect to the socket of the allowed. The kernel keeps
// everybody else from it. So what strangers do at their own socket, such as to fill its queue,
// keeps none of these out.
type access struct {
	group int      // -1: none
	users []uint32 // in ascending order
}

// mostNamed bounds the users in a list of access, so that each file system can keep it. Others have
// everybody's socket.
const mostNamed = 496

// The kinds of an entry in a list of access, in their order (acl(5)), and the list's version.
const (
	entryOwner  = 0x01
	entryUser   = 0x02
	entryFile   = 0x04 // the file's group
	entryGroup  = 0x08
	entryMask   = 0x10
	entryOthers = 0x20

	listVersion = 2
	listName    = "system.posix_acl_access"
)

// give lets root and those whom a names connect to a socket. Where the file system takes no such
// list, unlisted says why: the socket is root's alone, and the others have everybody's.
func (a access) give(file string) (unlisted, err error) {
	if err := unix.Chmod(file, 0o600); err != nil || a.group < 0 && len(a.users) == 0 {
		return nil, err
	}
	return unix.Setxattr(file, listName, a.list(), 0), nil
}

// list returns the list in the kernel's form: to connect takes the right to write.
func (a access) list() []byte {
	const none, both, nobody = 0, 6, ^uint32(0)
	b := binary.LittleEndian.AppendUint32(nil, listVersion)
	add := func(kind, rights uint16, id uint32) {
		b = binary.LittleEndian.AppendUint16(b, kind)
		b = binary.LittleEndian.AppendUint16(b, rights)
		b = binary.LittleEndian.AppendUint32(b, id)
	}
	add(entryOwner, both, nobody)
	for _, user := range a.users[:min(len(a.users), mostNamed)] {
		add(entryUser, both, user)
	}
	add(entryFile, none, nobody)
	if a.group >= 0 {
		add(entryGroup, both, uint32(a.group))
	}
	add(entryMask, both, nobody)
	add(entryOthers, none, nobody)
	return b
}
