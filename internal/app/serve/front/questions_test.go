package front

import (
	"errors"
	"net"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/app/serve/board"
	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/linux/unixconn"
)

// TestQuestionsOfUsers: users who wait for as many leases as they can leave room for one more user,
// and for root. An answer makes room again.
func TestQuestionsOfUsers(t *testing.T) {
	mine, theirs, err := unixconn.Pair()
	if err != nil {
		t.Fatal(err)
	}
	defer mine.Close()
	defer theirs.Close()
	l := newLender(theirs.FD())
	heard := make(chan error, 1)
	go func() { heard <- l.listen() }()
	_, c := connected(t)
	raw, err := c.(*net.UnixConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, board.AskSize)
	asks := func(user uint32) (id uint64, ok bool) {
		v := &visitor{peer: peer{uid: user}}
		q := &question{v, make(chan board.Answer, 1)}
		if err := l.send(raw, &board.Ask{}, q); err != nil {
			if !errors.Is(err, errAsking) {
				t.Fatal(err)
			}
			return 0, false
		}
		n, fd, err := mine.Receive(buf)
		if err != nil {
			t.Fatal(err)
		}
		unix.Close(fd)
		a, err := board.DecodeAsk(buf[:n])
		if err != nil {
			t.Fatal(err)
		}
		return a.ID, true
	}
	var last uint64
	for user := range uint32(13) {
		got := 0
		for range mostOfUser {
			if id, ok := asks(1 + user); ok {
				last = id
				got++
			}
		}
		if got == 0 || got > board.MostOfUser || user < 4 && got < board.MostOfUser {
			t.Errorf("user %d waits for %d leases", 1+user, got)
		}
	}
	for i := range mostOfUser {
		if _, ok := asks(0); !ok {
			t.Fatalf("root waits for %d leases", i)
		}
	}
	if _, ok := asks(13); ok {
		t.Error("a user waits for more than are left")
	}
	text := (&board.Answer{ID: last, Result: board.Taken}).Encode()
	if err := mine.Send(text[:]); err != nil {
		t.Fatal(err)
	}
	for began := time.Now(); ; time.Sleep(time.Millisecond) {
		if _, ok := asks(13); ok {
			break
		}
		if time.Since(began) > devtest.Hung {
			t.Fatal("an answer makes no room")
		}
	}
	_ = unix.Shutdown(mine.FD(), unix.SHUT_RDWR)
	if err := <-heard; err != nil {
		t.Error(err)
	}
}
