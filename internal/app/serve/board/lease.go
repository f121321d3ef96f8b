package board

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/ebb-energy/ebb/units"
)

// MostOfUser bounds the leases of a user.
const MostOfUser = 16

// Sizes of the packets in bytes.
const (
	AskSize    = 584
	AnswerSize = 48
)

// Places of texts in an Ask. MostCgroup bounds the path of a cgroup, in bytes.
const (
	cgroupAt    = 32
	namespaceAt = 520
	MostCgroup  = namespaceAt - cgroupAt
)

// NoUser is the number that no user has (chown(2)).
const NoUser = 1<<32 - 1

// Ask asks for a lease for the process at the other end of a connection, or for a cgroup.
type Ask struct {
	ID       uint64 // number by which the front process knows it
	Slowdown units.Slowdown
	// Waited is the time since the connection was taken.
	Waited time.Duration
	// For is the user whose lease it is to be, which root alone may say; nil: that of the peer.
	For *uint32
	// Cgroup is a path in the hierarchy of version 2; "" stands for the process and what it starts.
	// Only the kernel interprets it.
	Cgroup string
	// Namespace is that of the pod whose cgroup it is, by the word of whoever asks; "" where it
	// is no pod's.
	Namespace string
}

// longestWait bounds Waited.
const longestWait = time.Hour

var errAsk = errors.New("no packet that asks for a lease")

// Encode writes the packet.
func (a *Ask) Encode() (b [AskSize]byte) {
	binary.LittleEndian.PutUint64(b[0:], a.ID)
	binary.LittleEndian.PutUint64(b[8:], math.Float64bits(float64(a.Slowdown)))
	binary.LittleEndian.PutUint64(b[16:], uint64(a.Waited))
	user := uint64(NoUser)
	if a.For != nil {
		user = uint64(*a.For)
	}
	binary.LittleEndian.PutUint64(b[24:], user)
	copy(b[cgroupAt:namespaceAt], a.Cgroup)
	copy(b[namespaceAt:], a.Namespace)
	return b
}

// DecodeAsk reads a packet. An error means that its sender is faulty.
func DecodeAsk(b []byte) (a Ask, err error) {
	if len(b) != AskSize {
		return a, errAsk
	}
	a.ID = binary.LittleEndian.Uint64(b[0:])
	a.Slowdown = units.Slowdown(math.Float64frombits(binary.LittleEndian.Uint64(b[8:])))
	a.Waited = time.Duration(binary.LittleEndian.Uint64(b[16:]))
	user := binary.LittleEndian.Uint64(b[24:])
	a.Cgroup = string(bytes.TrimRight(b[cgroupAt:namespaceAt], "\x00"))
	a.Namespace = string(bytes.TrimRight(b[namespaceAt:], "\x00"))
	if a.Slowdown.Validate() != nil || a.Waited < 0 || a.Waited > longestWait ||
		user > NoUser || !ValidCgroup(a.Cgroup) ||
		a.Namespace != "" && (a.Cgroup == "" || !ValidNamespace(a.Namespace)) {
		return Ask{}, errAsk
	}
	if user != NoUser {
		of := uint32(user)
		a.For = &of
	}
	return a, nil
}

// ValidCgroup reports whether a packet can hold a cgroup's path. It accepts "".
func ValidCgroup(path string) bool {
	return path == "" || path[0] == '/' && len(path) <= MostCgroup && strings.IndexByte(path, 0) < 0
}

// ValidNamespace reports whether a packet can hold a namespace. The service compares it with those
// that root allows.
func ValidNamespace(name string) bool {
	return name != "" && len(name) < AskSize-namespaceAt && strings.IndexByte(name, 0) < 0
}

// Outcome is the outcome of an Ask.
type Outcome uint64

const (
	Granted Outcome = iota
	NotAllowed
	OutOfRange
	TooMany
	Taken
	Ended
	OthersRights
	NoPeer
	NotNow
	TooSoon
	Full
	NoCgroup
	CgroupTaken
	NotRoot
	NoNamespace
	NoPod
	outcomes
)

// Answer answers an Ask.
type Answer struct {
	ID     uint64
	Result Outcome
	// User is the owner of the lease, and Number the lease's number among theirs. They are valid
	// with Granted.
	User   uint32
	Number int
	// Least and Most are the budgets that the user may have.
	Least, Most units.Slowdown
}

var errAnswer = errors.New("no packet that answers for a lease")

// Encode writes the packet.
func (a *Answer) Encode() (b [AnswerSize]byte) {
	for i, n := range []uint64{a.ID, uint64(a.Result), uint64(a.User), uint64(a.Number),
		math.Float64bits(float64(a.Least)), math.Float64bits(float64(a.Most))} {
		binary.LittleEndian.PutUint64(b[8*i:], n)
	}
	return b
}

// DecodeAnswer reads a packet.
func DecodeAnswer(b []byte) (a Answer, err error) {
	if len(b) != AnswerSize {
		return a, errAnswer
	}
	at := func(i int) uint64 { return binary.LittleEndian.Uint64(b[8*i:]) }
	a = Answer{ID: at(0), Result: Outcome(at(1)), User: uint32(at(2)), Number: int(at(3)),
		Least: units.Slowdown(math.Float64frombits(at(4))),
		Most:  units.Slowdown(math.Float64frombits(at(5)))}
	if a.Result >= outcomes || a.Number < 0 || a.Number > MostOfUser {
		return Answer{}, errAnswer
	}
	return a, nil
}

// LeaseName returns the name of a lease's tenant. A tenant of a file has no dot in its name.
func LeaseName(user uint32, number int) string {
	return "lease." + strconv.FormatUint(uint64(user), 10) + "." + strconv.Itoa(number)
}

// Sentence returns the reason why a user who wished for a slowdown gets no lease.
func (a *Answer) Sentence(wished units.Slowdown) string {
	switch a.Result {
	case NotAllowed:
		return "this user may take no lease: root names in allow.users who may"
	case OutOfRange:
		return fmt.Sprintf("a slowdown of %v is not allowed: %v to %v is", wished, a.Least, a.Most)
	case TooMany:
		return fmt.Sprintf("this user has %d leases, and no more can be", MostOfUser)
	case Taken:
		return "the process is a tenant already, or has another user's rights by now"
	case Ended:
		return "the process that asked has ended"
	case OthersRights:
		return "the process has another user's rights: it can have no lease"
	case TooSoon:
		return "too many leases were taken lately: try again in some seconds"
	case Full:
		return "all users together have as many leases as there can be"
	case NoCgroup:
		return "there is no such cgroup of version 2, or this user does not own it"
	case CgroupTaken:
		return "the cgroup is a tenant's, or lies in one, or ebb runs in it"
	case NotRoot:
		return "only root may ask for another user's lease"
	case NoNamespace:
		return "this user may take no lease of that namespace's pods: root names both, in " +
			"allow.agents and allow.namespaces"
	case NoPod:
		return "there is no such cgroup of version 2, or it is no pod's"
	case NoPeer:
		return "the service could not find out which process asks"
	}
	return "the service cannot govern now: its journal says why"
}
