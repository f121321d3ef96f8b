package serve

import (
	"context"
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/app/config"
	"github.com/ebb-energy/ebb/internal/app/run"
	"github.com/ebb-energy/ebb/internal/app/serve/lease"
)

// pace is the least time between two leases of a user's, in the long run: each takes the service
// walks over the machine's threads. A user may have a few at once.
const pace = 20 * time.Millisecond

// leases are those of a service's users. The front process asks for them; what gives rights is
// checked here.
type leases struct {
	governs interface {
		Take(context.Context, *run.Lease) error
		GiveBack(context.Context, *run.Lease) error
	}
	users   map[uint32]bool
	budgets config.Budgets
	name    string // by which the socket was bound
	ctx     context.Context
	end     context.CancelFunc
	holds   sync.WaitGroup

	mu    sync.Mutex
	taken map[uint32]*account // by user
}

// account has a user's leases.
type account struct {
	taken [lease.MostOfUser]bool
	next  time.Time // when the next may begin, were it not for those that may be at once
}

// newLeases also says which of the allowed users are not known.
func newLeases(governs *run.Leases, allow config.Allow) (l *leases, unknown []string) {
	l = &leases{governs: governs, budgets: allow.Budgets, users: map[uint32]bool{},
		taken: map[uint32]*account{}}
	l.ctx, l.end = context.WithCancel(context.Background())
	text, _ := os.ReadFile(usersFile) // without it numbers alone are known
	for _, name := range allow.Users.List() {
		if n, err := strconv.ParseUint(name, 10, 32); err == nil {
			l.users[uint32(n)] = true
		} else if n, is := userOf(string(text), name); is {
			l.users[n] = true
		} else {
			unknown = append(unknown, name)
		}
	}
	return l, unknown
}

// usersFile has the machine's users. It is root's.
const usersFile = "/etc/passwd"

// userOf is the number of a user by a file of users (passwd(5)).
func userOf(text, name string) (uint32, bool) {
	for line := range strings.Lines(text) {
		f := strings.Split(line, ":")
		if len(f) >= 3 && f[0] == name {
			n, err := strconv.ParseUint(f[2], 10, 32)
			return uint32(n), err == nil
		}
	}
	return 0, false
}

// take takes a packet of the front process's, and answers it now or later. It does not wait. An
// error says that the process is not as it should be.
func (l *leases) take(text []byte, fd int, answer func(*lease.Answer)) error {
	ask, err := lease.DecodeAsk(text)
	if err != nil || fd < 0 {
		if fd >= 0 {
			go unix.Close(fd) // it may wait
		}
		return errors.Join(err, errForged)
	}
	a := &lease.Answer{ID: ask.ID}
	h, err := holderOf(fd, l.name)
	if err == nil {
		a.User = h.user
		if err = l.allows(&ask, a); err == nil { // what costs the most comes after what anybody may
			err = h.find(ask.Waited)
		}
		if err == nil {
			h.begins, err = l.enter(a)
		}
		if err != nil {
			h.drop()
		}
	}
	var why refusal
	switch {
	case errors.As(err, &why):
		a.Result = lease.Result(why)
		answer(a)
	case err != nil:
		return err
	default:
		l.holds.Go(func() { l.hold(h, &ask, a, answer) })
	}
	return nil
}

// allows refuses a user who may have no lease, or none of this budget.
func (l *leases) allows(ask *lease.Ask, a *lease.Answer) error {
	a.Least, a.Most = config.Budgets{}.Bounds()
	if a.User != 0 {
		if !l.users[a.User] {
			return refusal(lease.NotAllowed)
		}
		a.Least, a.Most = l.budgets.Bounds()
	}
	if ask.Slowdown < a.Least || ask.Slowdown > a.Most {
		return refusal(lease.OutOfRange)
	}
	return nil
}

// enter takes one of the user's leases, and says when it may begin.
func (l *leases) enter(a *lease.Answer) (begins time.Time, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := l.taken[a.User]
	if all == nil {
		all = &account{}
		l.taken[a.User] = all
	}
	i := slices.Index(all.taken[:], false)
	if i < 0 {
		return begins, refusal(lease.TooMany)
	}
	all.taken[i], a.Number = true, i+1
	if soonest := time.Now().Add(-lease.MostOfUser * pace); all.next.Before(soonest) {
		all.next = soonest
	}
	all.next = all.next.Add(pace)
	return all.next, nil
}

// leave gives it back.
func (l *leases) leave(a *lease.Answer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.taken[a.User].taken[a.Number-1] = false
}

// hold has a lease be governed for as long as its holder and its connection live.
func (l *leases) hold(h *holder, ask *lease.Ask, a *lease.Answer, answer func(*lease.Answer)) {
	defer l.leave(a)
	select {
	case <-time.After(time.Until(h.begins)):
	case <-l.ctx.Done():
	}
	lost := make(chan struct{})
	x := &run.Lease{Name: lease.Name(a.User, a.Number), PID: h.pid, User: h.user,
		Slowdown: ask.Slowdown, Lost: sync.OnceFunc(func() { close(lost) })}
	err := l.governs.Take(l.ctx, x)
	switch {
	case err == nil && h.ended():
		a.Result = lease.Ended
	case errors.Is(err, run.ErrLeaseTaken):
		a.Result = lease.Taken
	case errors.Is(err, run.ErrLeaseEnded):
		a.Result = lease.Ended
	case err != nil:
		a.Result = lease.NotNow
	}
	answer(a)
	if a.Result == lease.Granted {
		h.gone(l.ctx, lost)
	}
	if err == nil {
		_ = l.governs.GiveBack(l.ctx, x) // the service's own loop says what goes wrong there
	}
	if a.Result == lease.Granted {
		h.close()
	} else {
		h.drop()
	}
}

// close ends all leases.
func (l *leases) close() {
	l.end()
	l.holds.Wait()
}
