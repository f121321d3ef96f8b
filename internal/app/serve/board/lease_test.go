package board

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"
)

// FuzzPackets: a packet is refused, or says the same when it is written again; no reading panics.
func FuzzPackets(f *testing.F) {
	user := uint32(1000)
	ask := (&Ask{7, 0.05, time.Second, &user, "/a/b", "shop"}).Encode()
	answer := (&Answer{ID: 7, User: 1000, Number: 3, Least: 0.01, Most: 0.1}).Encode()
	for _, b := range [][]byte{nil, ask[:], ask[1:], answer[:], append(answer[:], 0)} {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if a, err := DecodeAsk(b); err == nil {
			if again := a.Encode(); !bytes.Equal(again[:], b) {
				t.Errorf("%x becomes %x", b, again)
			}
		}
		if a, err := DecodeAnswer(b); err == nil {
			for range 2 { // numbers that are not valid, as of a larger user, are cut
				again := a.Encode()
				next, err := DecodeAnswer(again[:])
				if err != nil || next.ID != a.ID || next.Result != a.Result || next.User != a.User {
					t.Errorf("%x becomes %+v, %v", b, next, err)
				}
			}
			if s := a.Sentence(0.05); strings.ContainsAny(s, "\n\x1b") {
				t.Errorf("%q", s)
			}
		}
	})
}

func TestAskRefusesWhatIsNoBudget(t *testing.T) {
	for _, a := range []Ask{{Slowdown: -0.01}, {Slowdown: 1.01}, {Waited: -1},
		{Waited: 2 * time.Hour}, {Cgroup: "a"}, {Cgroup: "/a\x00/b"},
		{Namespace: "shop"}, {Cgroup: "/a", Namespace: "a\x00b"}} {
		if b := a.Encode(); !refuses(b[:]) {
			t.Errorf("takes %+v", a)
		}
	}
	a := Ask{}
	b := a.Encode()
	for i := range 8 {
		b[8+i] = byte(math.Float64bits(math.NaN()) >> (8 * i))
	}
	if !refuses(b[:]) {
		t.Error("takes a slowdown that is no number")
	}
	if b = a.Encode(); refuses(b[:]) {
		t.Error("refuses an ask")
	}
	b[28] = 2 // beyond 32 bits
	if !refuses(b[:]) {
		t.Error("takes a user that is no number of one")
	}
}

func refuses(b []byte) bool { _, err := DecodeAsk(b); return err != nil }
