package front

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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

// mostAsking bounds the peers that wait for a lease at one time.
const mostAsking = 256

// lender asks the service for leases. A nil lender has none to give.
type lender struct {
	service *unixconn.Conn
	mu      sync.Mutex
	waits   map[uint64]chan board.Answer
	last    uint64
}

func newLender(fd int) *lender {
	return &lender{service: unixconn.New(fd), waits: map[uint64]chan board.Answer{}}
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
		delete(l.waits, a.ID)
		l.mu.Unlock()
		if to != nil {
			to <- a
		}
	}
}

// oldest is the greatest age of a connection on which a lease can be asked for.
const oldest = time.Minute

var errOld = &fault{http.StatusConflict, "ask for a lease on a new connection"}

var errNotNow = &fault{http.StatusServiceUnavailable, "the service gives no leases now"}

// ask asks the service for a lease for the peer, and waits for the answer.
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
	answered := make(chan board.Answer, 1)
	wish.Waited = monotonic.Now().Sub(v.at)
	if wish.Waited > oldest {
		return a, errOld
	}
	l.mu.Lock()
	if len(l.waits) >= mostAsking {
		l.mu.Unlock()
		return a, errNotNow
	}
	l.last++
	wish.ID = l.last
	l.waits[wish.ID] = answered
	text := wish.Encode()
	failed := raw.Control(func(fd uintptr) { err = l.service.TrySendFD(text[:], int(fd)) })
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		delete(l.waits, wish.ID)
		l.mu.Unlock()
	}()
	if failed != nil || err != nil {
		return a, errNotNow
	}
	select {
	case a = <-answered:
		return a, nil
	case <-ctx.Done(): // the peer has gone, and the service sees that too
		return a, errNotNow
	case <-time.After(leaseTime):
		return a, errNotNow
	}
}

// statuses are the HTTP statuses of refusals, by the reason.
var statuses = map[board.Outcome]int{
	board.NotAllowed: http.StatusForbidden, board.OutOfRange: http.StatusForbidden,
	board.OthersRights: http.StatusForbidden, board.TooMany: http.StatusTooManyRequests,
	board.TooSoon: http.StatusTooManyRequests, board.NoCgroup: http.StatusForbidden,
	board.Taken: http.StatusConflict, board.Ended: http.StatusConflict,
	board.CgroupTaken: http.StatusConflict,
}

// wishOf reads the wish in a body: {"slowdown": "5%"}, and optionally a cgroup.
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
	if !is || len(wish) != 1 && !(named && len(wish) == 2) {
		return a, &fault{http.StatusBadRequest, "the body wants a slowdown, with its unit in " +
			`quotes, and nothing else but a cgroup: {"slowdown": "5%"}`}
	}
	if err := a.Slowdown.Set(of); err != nil {
		return a, &fault{http.StatusBadRequest, fmt.Sprintf("slowdown: %.200v", err)}
	}
	if a.Cgroup, is = cgroup.(string); named && (!is || a.Cgroup == "" ||
		!board.ValidCgroup(a.Cgroup)) {
		return a, &fault{http.StatusBadRequest, fmt.Sprintf("cgroup: it is no path in the "+
			"hierarchy of version 2, which begins with / and has at most %d bytes",
			board.MostCgroup)}
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
	if err == nil {
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
