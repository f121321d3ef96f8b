package serve

import (
	"errors"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/app/serve/board"
	"github.com/ebb-energy/ebb/internal/devtest"
)

// TestHearing: who sends packets all the time is heard 200 times a second, and some 128 times at
// first or after a rest.
func TestHearing(t *testing.T) {
	p, now := newHearing(), time.Unix(1000, 0)
	for _, rest := range []time.Duration{0, time.Hour} {
		now = now.Add(rest)
		heard := 0
		for end := now.Add(6 * time.Second); now.Before(end); heard++ {
			if begins := p.enter(now, hearing); begins.After(now) {
				now = begins
			}
		}
		if want := atOnce + int(6*time.Second/hearing); heard < want || heard > want+2 {
			t.Errorf("%d packets are heard in 6 s after a rest of %v, want %d", heard, rest, want)
		}
	}
}

// paced are leases by a clock of the test's.
func paced(now *time.Time) *leases {
	return &leases{taken: map[uint32]*account{}, pace: pace{saved: savedUp},
		now: func() time.Time { return *now }}
}

// span is the time for which walks are summed.
const span = 20 * time.Second

// walked is the share of a CPU that walks take in it for users who take leases as fast as
// they may, of which each walks for so long.
func walked(t *testing.T, users []uint32, walk time.Duration) float64 {
	t.Helper()
	now := time.Unix(1000, 0)
	l := paced(&now)
	begins := map[uint32]time.Time{}
	entered := map[uint32]turn{}
	var sum time.Duration
	for end := now.Add(span); now.Before(end); now = now.Add(time.Millisecond) {
		for _, user := range users {
			a := &board.Answer{User: user, Number: 1}
			if of, waits := entered[user]; waits {
				if begins[user].After(now) {
					continue
				}
				sum += walk
				l.leave(a, &of, walk)
				delete(entered, user)
			}
			of, err := l.enter(a)
			if err != nil {
				if !errors.Is(err, refusal(board.TooSoon)) {
					t.Fatal(err)
				}
				continue
			}
			entered[user], begins[user] = of, of.begins
		}
	}
	return float64(sum) / float64(span)
}

// TestWalksAreCharged: a user's leases have walks of a fiftieth of a CPU, those of all users
// together a tenth; where walks are short a user has 50 leases a second.
func TestWalksAreCharged(t *testing.T) {
	crowd := make([]uint32, 12)
	for i := range crowd {
		crowd[i] = uint32(1000 + i)
	}
	for _, c := range []struct {
		what  string
		users []uint32
		walk  time.Duration
		want  float64
	}{
		{"a user beside many threads", crowd[:1], 16 * time.Millisecond, 0.02},
		{"root too", []uint32{0}, 16 * time.Millisecond, 0.02},
		{"a user beside few", crowd[:1], 200 * time.Microsecond, 0.01},
		{"four users", crowd[:4], 16 * time.Millisecond, 0.08},
		{"a crowd", crowd, 16 * time.Millisecond, 0.1},
		{"a crowd beside few threads", crowd, 200 * time.Microsecond, 0.1},
		{"very long walks", crowd[:1], 300 * time.Millisecond, 0.02},
	} {
		// Of the first one it is not known yet what it takes. Each user has saved up, and all have.
		saved := time.Duration(len(c.users)) * savedOfUser / shareOfUser
		if c.want == 1./shareOfAll {
			saved = savedUp / shareOfAll
		}
		most := c.want + (float64(c.walk)*float64(len(c.users)+1)+float64(saved))/float64(span)
		if got := walked(t, c.users, c.walk); got > most || got < 0.9*c.want {
			t.Errorf("%s: walks take %.4f of a CPU, want %.2f", c.what, got, c.want)
		}
	}
}

// TestTooSoon: whoever would wait for too long is refused, and pays nothing for it. Others, and
// root, go on.
func TestTooSoon(t *testing.T) {
	now := time.Unix(1000, 0)
	l := paced(&now)
	enter := func(user uint32) (turn, error) {
		return l.enter(&board.Answer{User: user, Number: 1})
	}
	of, err := enter(7)
	if err != nil {
		t.Fatal(err)
	}
	l.leave(&board.Answer{User: 7, Number: 1}, &of, time.Second)
	for range 3 {
		if _, err := enter(7); !errors.Is(err, refusal(board.TooSoon)) {
			t.Errorf("after a walk of a second: %v", err)
		}
	}
	if of, err := enter(8); err != nil || of.begins.Sub(now) > shareOfAll*time.Second {
		t.Errorf("another user: %v, %v", of.begins.Sub(now), err)
	}
	if of, err := enter(0); err != nil || of.begins.After(now) {
		t.Errorf("root: %v, %v", of.begins.Sub(now), err)
	}
	if now = now.Add(shareOfUser*time.Second - longestTurn); !l.taken[7].pace.next.After(now) {
		t.Fatal("a walk of a second is not charged")
	}
	if _, err := enter(7); err != nil {
		t.Errorf("later: %v", err)
	}
}

// TestHeldLeaseIsCharged: who holds a lease for long pays for its first walks at once, and at its
// end for the rest.
func TestHeldLeaseIsCharged(t *testing.T) {
	now := time.Unix(1000, 0)
	l := paced(&now)
	a := &board.Answer{User: 7}
	of, err := l.enter(a)
	if err != nil {
		t.Fatal(err)
	}
	const first, last = 300 * time.Millisecond, 100 * time.Millisecond
	rest := func() time.Duration { return l.taken[7].pace.left(now) }
	l.charge(a, &of, first)
	if got, want := rest(), shareOfUser*first-savedOfUser; got != want {
		t.Errorf("while it is held the next one waits for %v, want %v", got, want)
	}
	next, err := l.enter(&board.Answer{User: 7})
	if err != nil {
		t.Fatal(err)
	}
	if next.walk != first {
		t.Errorf("the next one pays for %v in advance, want %v", next.walk, first)
	}
	before := rest()
	l.charge(a, &of, first) // there was no other walk
	l.leave(a, &of, first+last)
	if got, want := rest()-before, shareOfUser*last; got != want {
		t.Errorf("its end costs %v, want %v", got, want)
	}
}

// TestAllLeases: all users together have a bound, and root is not held up by it.
func TestAllLeases(t *testing.T) {
	now := time.Unix(1000, 0)
	l := paced(&now)
	for i := range mostLeases {
		now = now.Add(time.Second)
		if _, err := l.enter(&board.Answer{User: uint32(1000 + i%20)}); err != nil {
			t.Fatalf("lease %d: %v", i, err)
		}
	}
	if _, err := l.enter(&board.Answer{User: 5000}); !errors.Is(err, refusal(board.Full)) {
		t.Errorf("one too many: %v", err)
	}
	if _, err := l.enter(&board.Answer{User: 0}); err != nil {
		t.Errorf("root: %v", err)
	}
	l.leave(&board.Answer{User: 1000, Number: 1}, &turn{}, 0)
	if _, err := l.enter(&board.Answer{User: 5000}); err != nil {
		t.Errorf("one less: %v", err)
	}
}

// TestRefusedAtOnce: nobody looks who the process is of a user who may have no lease, or none of
// that budget.
func TestRefusedAtOnce(t *testing.T) {
	b := newBench(t)
	looks := 0
	of := pidfdOf
	defer func() { pidfdOf = of }()
	pidfdOf = func(fd int) (int, error) { looks++; return of(fd) }
	for range 1 {
		fd, end := b.accepted(testUser+1, "")
		if err := b.asks(fd, 0.05, 0); err != nil {
			t.Fatal(err)
		}
		b.hears("a stranger", board.NotAllowed)
		end()
		fd, end = b.accepted(testUser, "")
		if err := b.asks(fd, 0.5, 0); err != nil {
			t.Fatal(err)
		}
		b.hears("out of the range", board.OutOfRange)
		end()
	}
	if looks != 0 || len(b.taken) != 0 {
		t.Errorf("%d looks, %d accounts", looks, len(b.taken))
	}
	fd, end := b.accepted(testUser, "")
	if err := b.asks(fd, 0.05, 0); err != nil {
		t.Fatal(err)
	}
	b.hears("one who may", board.Granted)
	end()
	<-b.g.back
	if looks != 1 {
		t.Errorf("%d looks at one who may", looks)
	}
}

// TestUnheardLeaseEnds: where the answer could not be sent, nobody knows of the lease.
func TestUnheardLeaseEnds(t *testing.T) {
	b := newBench(t)
	fd, end := b.accepted(testUser, "")
	defer end()
	text := (&board.Ask{ID: 9, Slowdown: 0.05}).Encode()
	if err := b.take(text[:], fd, func(*board.Answer) error { return errUnheard }); err != nil {
		t.Fatal(err)
	}
	took := <-b.g.took
	select {
	case x := <-b.g.back:
		if x != took {
			t.Error("another lease is given back")
		}
	case <-time.After(devtest.Hung):
		t.Fatal("it is held for nobody")
	}
	b.gone(testUser)
}

// TestLeftWhileItWaited: nobody walks for one that went while it waited for its turn.
func TestLeftWhileItWaited(t *testing.T) {
	b := newBench(t)
	fd, end := b.accepted(testUser, "")
	again, err := unix.Dup(fd)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.asks(fd, 0.05, 0); err != nil {
		t.Fatal(err)
	}
	b.hears("the first", board.Granted)
	<-b.g.took
	turn := make(chan time.Time, 1)
	b.after = func(time.Duration) <-chan time.Time { return turn }
	if err := b.asks(again, 0.05, 0); err != nil {
		t.Fatal(err)
	}
	end()
	<-b.g.back
	turn <- time.Now()
	b.hears("one that has gone", board.Ended)
	if len(b.g.took) > 0 {
		t.Error("it was governed")
	}
}

// TestPlaceOfExitingThreads: a user has no other lease for one whose threads have not exited.
func TestPlaceOfExitingThreads(t *testing.T) {
	b := newBench(t)
	b.g.exits.Store(true)
	fd, end := b.accepted(testUser, "")
	if err := b.asks(fd, 0.05, 0); err != nil {
		t.Fatal(err)
	}
	b.hears("one", board.Granted)
	end()
	<-b.g.back
	fd, end = b.accepted(testUser, "")
	if err := b.asks(fd, 0.05, 0); err != nil {
		t.Fatal(err)
	}
	if a := b.hears("another", board.Granted); a.Number != 2 {
		t.Errorf("it has the number of the one whose threads exit: %d", a.Number)
	}
	end()
	<-b.g.back
	b.g.exits.Store(false)
	b.gone(testUser)
}
