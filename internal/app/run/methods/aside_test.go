package methods

import (
	"bytes"
	"errors"
	"testing"
)

// stalled is a disk that takes nothing until it is released.
type stalled struct {
	released chan struct{}
	bytes.Buffer
}

func (s *stalled) Write(b []byte) (int, error) {
	<-s.released
	return s.Buffer.Write(b)
}

// TestAside: what a stalled disk cannot take is refused at once, and what was taken is written
// whole and in order; at the end of a run all is.
func TestAside(t *testing.T) {
	s := &stalled{released: make(chan struct{})}
	a := writeAside(s)
	var want []byte
	var err error
	for i := 0; err == nil && i < 2*maxPieces; i++ {
		b := []byte{byte(i)}
		if _, err = a.Write(b); err == nil {
			want = append(want, b...)
		}
		b[0] = 'x' // it was copied
	}
	if !errors.Is(err, errSlowDisk) || len(want) < maxPieces {
		t.Fatalf("%d pieces, then %v", len(want), err)
	}
	close(s.released)
	a.patient = true
	for i := range 2 * maxPieces {
		b := byte(i)
		if _, err := a.Write([]byte{b}); err != nil {
			t.Fatal(err)
		}
		want = append(want, b)
	}
	if err := errors.Join(a.Close(), a.Close()); err != nil || !bytes.Equal(s.Bytes(), want) {
		t.Errorf("%v: %d bytes of %d", err, s.Len(), len(want))
	}
}
