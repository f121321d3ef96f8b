package front

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"sync"
	"syscall"
	"time"

	"github.com/ebb-energy/ebb/internal/app/serve/api"
	"github.com/ebb-energy/ebb/internal/app/serve/board"
	"github.com/ebb-energy/ebb/internal/linux/monotonic"
	"github.com/ebb-energy/ebb/internal/linux/unixconn"
)

// leaseTime bounds the wait for a lease. A service that governed nothing has to begin first.
const leaseTime = 30 * time.Second

// mostAsking bounds the peers that wait for an answer at one time: those answers have room on their
// way, and the service ends a process that takes none. As many as root can have connections are
// root's.
const mostAsking = 256

// lender asks the service for leases. A nil lender has none to give.
type lender struct {
	service *unixconn.Conn
	mu      sync.Mutex
	waits   map[uint64]*question
	users   map[uint32]int // number of waits of each user
	last    uint64
}

// question is what the service has not answered yet.
type question struct {
	visitor *visitor
	answer  chan board.Answer // has room for one
}

func newLender(fd int) *lender {
	return &lender{service: unixconn.New(fd), waits: map[uint64]*question{},
		users: map[uint32]int{}}
}

// listen passes the service's answers on until the service has gone.
func (l *lender) listen() error {
	buf := make([]byte, board.AnswerSize+1)
	for {
		n, fd, err := l.service.Receive(buf)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil || fd >= 0 {
			return fmt.Errorf("hear the service: descriptor %d, %w", fd, err)
		}
		a, err := board.DecodeAnswer(buf[:n])
		if err != nil {
			return err
		}
		l.mu.Lock()
		to := l.waits[a.ID]
		if to != nil {
			delete(l.waits, a.ID)
			if l.users[to.visitor.uid]--; l.users[to.visitor.uid] == 0 {
				delete(l.users, to.visitor.uid)
			}
		}
		l.mu.Unlock()
		if to != nil {
			to.visitor.asked.Store(false)
			to.answer <- a
		}
	}
}

// oldest is the greatest age of a connection on which a lease can be asked for.
const oldest = time.Minute

var errOld = &fault{http.StatusConflict, "ask for a lease on a new connection"}

var errAsking = &fault{http.StatusTooManyRequests,
	"this user, or all users together, wait for as many leases as can be: try again"}

var errNotNow = &fault{http.StatusServiceUnavailable, "the service gives no leases now"}

// ask asks the service for a lease for the peer, and waits for the answer, unless the peer goes or
// it takes too long. The connection stays open here until there is one: the service has a copy of
// it, and would otherwise be the last to close what the peer has left in it.
func (l *lender) ask(ctx context.Context, v *visitor, wish board.Ask,
) (a board.Answer, err error) {
	if l == nil {
		return a, errNotNow
	}
	c, is := v.Conn.(syscall.Conn)
	if !is {
		return a, errNotNow
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return a, errNotNow
	}
	wish.Waited = monotonic.Now().Sub(v.at)
	if wish.Waited > oldest {
		return a, errOld
	}
	if !v.asked.CompareAndSwap(false, true) {
		return a, errNotNow
	}
	q := &question{v, make(chan board.Answer, 1)}
	if err := l.send(raw, &wish, q); err != nil {
		v.asked.Store(false)
		return a, err
	}
	select {
	case a = <-q.answer:
		return a, nil
	case <-ctx.Done(): // the peer has gone, and the service sees that too
		return a, errNotNow
	case <-time.After(leaseTime):
		return a, errNotNow
	}
}

// send sends what the peer of a connection wishes for.
func (l *lender) send(c syscall.RawConn, wish *board.Ask, q *question) (err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if user := q.visitor.uid; user != 0 && l.users[user] >= l.room() {
		return errAsking
	}
	l.last++
	wish.ID = l.last
	text := wish.Encode()
	failed := c.Control(func(fd uintptr) { err = l.service.TrySendFD(text[:], int(fd)) })
	if errors.Join(failed, err) != nil {
		return errNotNow
	}
	l.waits[wish.ID] = q
	l.users[q.visitor.uid]++
	return nil
}

// room returns how many a user may wait for: no more than the leases that one may hold, and fewer
// than are left for users, so that there is one for the next user.
func (l *lender) room() int {
	left := mostAsking - mostOfUser - (len(l.waits) - l.users[0])
	return min(board.MostOfUser, left)
}

// statuses are the HTTP statuses of refusals, by the reason.
var statuses = map[board.Outcome]int{
	board.NotAllowed: http.StatusForbidden, board.OutOfRange: http.StatusForbidden,
	board.OthersRights: http.StatusForbidden, board.TooMany: http.StatusTooManyRequests,
	board.TooSoon: http.StatusTooManyRequests, board.NoCgroup: http.StatusForbidden,
	board.Taken: http.StatusConflict, board.Ended: http.StatusConflict,
	board.CgroupTaken: http.StatusConflict, board.NotRoot: http.StatusForbidden,
	board.NoNamespace: http.StatusForbidden, board.NoPod: http.StatusForbidden,
}

// wishOf reads the wish in a body: {"slowdown": "5%"}, and optionally a cgroup, for whom, and the
// namespace of the pod whose cgroup it is.
func wishOf(w http.ResponseWriter, r *http.Request) (a board.Ask, err error) {
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, mostBody))
	if errors.As(err, new(*http.MaxBytesError)) {
		return a, errTooLong
	}
	var wish map[string]any
	if err != nil || json.Unmarshal(text, &wish) != nil {
		return a, &fault{http.StatusBadRequest, `the body is no JSON such as {"slowdown": "5%"}`}
	}
	of, is := wish["slowdown"].(string)
	cgroup, named := wish["cgroup"]
	user, given := wish["for"]
	namespace, ofPod := wish["namespace"]
	known := 1
	for _, there := range []bool{named, given, ofPod} {
		if there {
			known++
		}
	}
	if !is || len(wish) != known {
		return a, &fault{http.StatusBadRequest, "the body wants a slowdown, with its unit in " +
			`quotes, and beside it a cgroup, for, a namespace, or nothing: {"slowdown": "5%"}`}
	}
	if err := a.Slowdown.Set(of); err != nil {
		return a, &fault{http.StatusBadRequest, fmt.Sprintf("slowdown: %.200v", err)}
	}
	if given {
		n, is := user.(float64)
		if !is || n != math.Trunc(n) || n < 0 || n >= board.NoUser {
			return a, &fault{http.StatusBadRequest, "for: it is no number of a user"}
		}
		number := uint32(n)
		a.For = &number
	}
	if a.Cgroup, is = cgroup.(string); named && (!is || a.Cgroup == "" ||
		!board.ValidCgroup(a.Cgroup)) {
		return a, &fault{http.StatusBadRequest, fmt.Sprintf("cgroup: it is no path in the "+
			"hierarchy of version 2, which begins with / and has at most %d bytes",
			board.MostCgroup)}
	}
	if a.Namespace, is = namespace.(string); ofPod && (!is || !named ||
		!board.ValidNamespace(a.Namespace)) {
		return a, &fault{http.StatusBadRequest,
			"namespace: it is no name of one, or there is no cgroup beside it"}
	}
	return a, nil
}

// lease answers a request for a lease. A granted lease's connection belongs to the service from
// then on: the lease lasts as long as the peer keeps the connection, which has no place here.
func (s *server) lease(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", "POST")
		refuse(w, &fault{http.StatusMethodNotAllowed, "a lease is asked for by POST"})
		return
	}
	c := http.NewResponseController(w)
	late := time.Now().Add(leaseTime + answerTime)
	_ = errors.Join(c.SetReadDeadline(late), c.SetWriteDeadline(late)) // else the answer is late
	wished, err := wishOf(w, r)
	v := r.Context().Value(peerKey{}).(*visitor)
	var a board.Answer
	switch may, sure := s.board.MayLease(v.uid); {
	case err != nil:
	case v.uid != 0 && sure && !may: // the service would say so, at its own priority
		a.Result = board.NotAllowed
		if wished.Namespace != "" {
			a.Result = board.NoNamespace
		}
	default:
		a, err = s.lender.ask(r.Context(), v, wished)
	}
	if err == nil && a.Result != board.Granted {
		status, known := statuses[a.Result]
		if !known {
			status = http.StatusServiceUnavailable
		}
		err = &fault{status, a.Sentence(wished.Slowdown)}
	}
	if err != nil {
		w.Header().Set("Connection", "close") // the peer connects again to ask again
		refuse(w, err)
		return
	}
	text, _ := json.Marshal(api.Lease{Tenant: board.LeaseName(a.User, a.Number),
		SlowdownBudget: float64(wished.Slowdown)})
	conn, buf, err := c.Hijack()
	if err != nil {
		return // the connection is closed, and the service sees that
	}
	_ = conn.SetDeadline(time.Now().Add(answerTime))
	fmt.Fprintf(buf, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"+
		"Cache-Control: no-store\r\nContent-Length: %d\r\n\r\n%s\n", len(text)+1, text)
	_ = buf.Flush() // otherwise the peer has gone
	v.handOver()
}

// handOver closes this process's side of a connection that the service also holds. The service
// shuts it down before it closes its own.
func (v *visitor) handOver() {
	v.once.Do(func() {
		unixconn.Close(v.Conn.(*net.UnixConn), v.leave) // ask takes no other
	})
}
