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

	"github.com/ebb-energy/ebb/internal/app/config"
	"github.com/ebb-energy/ebb/internal/app/serve/board"
	"github.com/ebb-energy/ebb/internal/linux/unixconn"
)

// Bounds of what leases cost the service. For each lease it walks over the machine's threads, at
// its own priority. In the long run a user's leases begin leaseEvery apart and their walks take one
// part in shareOfUser of a CPU. The walks of all users but root together take one part in
// shareOfAll.
const (
	leaseEvery  = 20 * time.Millisecond
	shareOfUser = 50
	shareOfAll  = 10
	// savedUp and savedOfUser are the longest rests, of all users and of one, after which leases
	// come at once. A user's is longer, so that a loop of short commands is not held up: its walks
	// take 26 ms of a CPU.
	savedUp     = board.MostOfUser * leaseEvery
	savedOfUser = 64 * leaseEvery
	// longestTurn bounds the wait for one's turn. Whoever asks waits little longer.
	longestTurn = 20 * time.Second
	// mostLeases bounds the leases of all users but root together.
	mostLeases = 256
)

// leases holds the leases of a service's users. The front process asks for them, and every right is
// checked here.
type leases struct {
	governs interface {
		Take(context.Context, *tenantLease) error
		GiveBack(context.Context, *tenantLease) error
		Exits(*tenantLease) bool
	}
	users   map[uint32]bool
	agents  map[uint32]bool // users who may ask for pods of the namespaces
	of      []string        // namespaces
	budgets config.Budgets
	names   []string // addresses to which the sockets were bound
	ctx     context.Context
	end     context.CancelFunc
	holds   sync.WaitGroup

	now   func() time.Time
	after func(time.Duration) <-chan time.Time

	mu    sync.Mutex
	taken map[uint32]*account // accounts by user
	count int                 // leases of all users but root
	pace  pace                // pace of the leases that count counts
	walk  time.Duration       // time that the newest lease's walks took
}

// account holds a user's leases.
type account struct {
	taken [board.MostOfUser]bool
	pace  pace
}

// turn is a lease's place in time among those that wait.
type turn struct {
	begins time.Time
	walk   time.Duration // time of walks for which it has paid with pauses
}

// newLeases returns the leases of a service, and which of the allowed users are not known.
func newLeases(governs *leaseDesk, allow config.Allow) (l *leases, unknown []string) {
	l = &leases{governs: governs, budgets: allow.Budgets, of: allow.Namespaces.List(),
		taken: map[uint32]*account{}, now: time.Now, after: time.After, pace: pace{saved: savedUp}}
	l.ctx, l.end = context.WithCancel(context.Background())
	text, _ := os.ReadFile(usersFile) // without the file only numbers are known
	l.users, unknown = numbersOf(allow.Users, string(text))
	var others []string
	l.agents, others = numbersOf(allow.Agents, string(text))
	return l, append(unknown, others...)
}

// numbersOf returns the numbers of users, and which of them are not known.
func numbersOf(users config.Users, file string) (known map[uint32]bool, unknown []string) {
	known = map[uint32]bool{}
	for _, name := range users.List() {
		if n, err := strconv.ParseUint(name, 10, 32); err == nil {
			known[uint32(n)] = true
		} else if n, is := userOf(file, name); is {
			known[n] = true
		} else {
			unknown = append(unknown, name)
		}
	}
	return known, unknown
}

// usersFile lists the machine's users. Only root may write it.
const usersFile = "/etc/passwd"

// userOf returns the number of a user, by the text of a file of users (passwd(5)).
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

// take takes a packet of the front process, and answers it at once or later. It does not wait. An
// error says that the process does not behave as it should.
//
// The last close of a connection may take as long as its peer likes. The front process holds one
// until it is answered, so a refusal closes the service's own descriptor first, and the last close
// is the front process's.
func (l *leases) take(text []byte, fd int, answer func(*board.Answer) error) error {
	ask, err := board.DecodeAsk(text)
	if err != nil || fd < 0 {
		unixconn.Drop(fd)
		return errors.Join(err, errForged)
	}
	a := &board.Answer{ID: ask.ID}
	h, err := holderOf(fd, l.names)
	var t turn
	if err == nil {
		if err = l.allows(h.user, &ask, a); err == nil { // the cheap checks come first
			err = h.find(ask.Waited)
		}
		if err == nil && ask.Cgroup != "" {
			err = h.open(ask.Cgroup, ask.Namespace != "")
		}
		if err == nil {
			t, err = l.enter(a)
		}
	}
	var why refusal
	switch {
	case errors.As(err, &why):
		a.Result = board.Outcome(why)
		h.drop(func() { _ = answer(a) }) // a refusal leaves nothing to undo
	case err != nil:
		if h != nil {
			h.drop(nil)
		}
		return err
	default:
		l.holds.Go(func() { l.hold(h, t, &ask, a, answer) })
	}
	return nil
}

// allows finds whose lease it is that a user asks for, and returns a refusal where that user may
// have none, or none with this budget.
func (l *leases) allows(user uint32, ask *board.Ask, a *board.Answer) error {
	a.User = user
	if ask.For != nil {
		if user != 0 {
			return refusal(board.NotRoot)
		}
		a.User = *ask.For
	}
	a.Least, a.Most = config.Budgets{}.Bounds()
	switch {
	case ask.Namespace != "":
		if user != 0 && !l.agents[user] || !slices.Contains(l.of, ask.Namespace) {
			return refusal(board.NoNamespace)
		}
		a.Least, a.Most = l.budgets.Bounds()
	case a.User != 0:
		if !l.users[a.User] {
			return refusal(board.NotAllowed)
		}
		a.Least, a.Most = l.budgets.Bounds()
	}
	if ask.Slowdown < a.Least || ask.Slowdown > a.Most {
		return refusal(board.OutOfRange)
	}
	return nil
}

// enter takes one of the user's numbers for a lease, and returns when the lease may begin.
func (l *leases) enter(a *board.Answer) (t turn, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := l.taken[a.User]
	if all == nil {
		all = &account{pace: pace{saved: savedOfUser}}
		l.taken[a.User] = all
	}
	now, common := l.now(), a.User != 0
	i := slices.Index(all.taken[:], false)
	switch {
	case i < 0:
		return t, refusal(board.TooMany)
	case common && l.count >= mostLeases:
		return t, refusal(board.Full)
	case max(all.pace.left(now), l.pause(common, now)) > longestTurn:
		return t, refusal(board.TooSoon)
	}
	all.taken[i], a.Number = true, i+1
	t.walk = l.walk
	t.begins = all.pace.enter(now, ofUser(t.walk))
	if common {
		l.count++
		if of := l.pace.enter(now, shareOfAll*t.walk); of.After(t.begins) {
			t.begins = of
		}
	}
	return t, nil
}

// pause returns the time until the next lease of all users but root may begin. Root's leases do not
// wait for it.
func (l *leases) pause(common bool, now time.Time) time.Duration {
	if !common {
		return 0
	}
	return l.pace.left(now)
}

// ofUser returns the pause after a user's lease whose walks take so long.
func ofUser(walk time.Duration) time.Duration { return max(leaseEvery, shareOfUser*walk) }

// leave frees a lease's number, and charges what its walks have taken.
func (l *leases) leave(a *board.Answer, t *turn, walked time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.taken[a.User].taken[a.Number-1] = false
	l.correctPauses(a, t, walked)
	if a.User != 0 {
		l.count--
	}
}

// charge charges what a lease's walks have taken beyond what it paid in advance. It does so at
// once, since a lease may be held for long while others are taken. Less is settled at the lease's
// end, which also has walks.
func (l *leases) charge(a *board.Answer, t *turn, walked time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if walked > t.walk {
		l.correctPauses(a, t, walked)
	}
}

// correctPauses corrects the pauses so that a lease has paid for exactly what its walks took.
func (l *leases) correctPauses(a *board.Answer, t *turn, walked time.Duration) {
	now := l.now()
	l.taken[a.User].pace.correct(now, ofUser(walked)-ofUser(t.walk))
	if a.User != 0 {
		l.pace.correct(now, shareOfAll*(walked-t.walk))
	}
	if t.walk = walked; walked > 0 {
		l.walk = walked
	}
}

// hold has a lease governed for as long as its holder and its connection live.
func (l *leases) hold(h *holder, t turn, ask *board.Ask, a *board.Answer,
	answer func(*board.Answer) error,
) {
	lost := make(chan struct{})
	x := &tenantLease{Name: board.LeaseName(a.User, a.Number), PID: h.pid, Cgroup: h.cgroup,
		User: h.owner, Slowdown: ask.Slowdown, Lost: sync.OnceFunc(func() { close(lost) })}
	select {
	case <-l.after(t.begins.Sub(l.now())):
	case <-l.ctx.Done():
	}
	err := errLeaseEnded
	if !h.ended() && !h.left() { // no walk for a holder that has gone while it waited
		err = l.governs.Take(l.ctx, x)
		l.charge(a, &t, x.Walked())
	}
	switch {
	case err == nil && h.ended():
		a.Result = board.Ended
	case errors.Is(err, errLeaseTaken) && h.cgroup != nil:
		a.Result = board.CgroupTaken
	case errors.Is(err, errLeaseTaken):
		a.Result = board.Taken
	case errors.Is(err, errLeaseEnded):
		a.Result = board.Ended
	case err != nil:
		a.Result = board.NotNow
	}
	if a.Result == board.Granted && answer(a) == nil { // else the peer does not know of the lease
		h.gone(l.ctx, lost)
	}
	if err == nil {
		_ = l.governs.GiveBack(l.ctx, x) // the service's own loop reports what fails there
	}
	go l.part(h, a, t, x, err == nil, answer)
}

// part closes a lease's descriptors, answers where it is refused, and then frees its number. The
// service's end does not wait for it. The number stays taken until the connection is closed and the
// lease's threads have exited. Otherwise a user who makes either take long could use up the
// service's numbers and descriptors.
func (l *leases) part(h *holder, a *board.Answer, t turn, x *tenantLease, governed bool,
	answer func(*board.Answer) error,
) {
	closed := make(chan struct{})
	if a.Result == board.Granted {
		h.close(func() { close(closed) })
	} else {
		h.drop(func() { close(closed) })
	}
	if <-closed; a.Result != board.Granted {
		_ = answer(a) // else the peer does not know why
	}
	if governed {
		l.exited(x)
	}
	l.leave(a, &t, x.Walked())
}

// exitLook is the time between two checks whether a lease's threads have exited.
const exitLook = 100 * time.Millisecond

// exited waits until a lease's threads have exited, or the service ends.
func (l *leases) exited(x *tenantLease) {
	for l.ctx.Err() == nil && l.governs.Exits(x) {
		select {
		case <-time.After(exitLook):
		case <-l.ctx.Done():
			return
		}
	}
}

// close ends all leases.
func (l *leases) close() {
	l.end()
	l.holds.Wait()
}
