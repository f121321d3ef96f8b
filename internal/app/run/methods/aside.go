package methods

import (
	"bytes"
	"errors"
	"io"
)

// aside writes in a goroutine of its own, so that a disk that stalls delays no decision.
type aside struct {
	pieces  chan []byte
	ended   chan error
	patient bool // the run is over, so a write may wait for the disk
	closed  bool
}

// maxPieces bounds the pieces that wait to be written. A piece is the bytes of one Write.
const maxPieces = 64

var errSlowDisk = errors.New("the disk does not keep up")

func writeAside(w io.Writer) *aside {
	a := &aside{pieces: make(chan []byte, maxPieces), ended: make(chan error, 1)}
	go func() {
		var err error
		for b := range a.pieces {
			if err == nil {
				_, err = w.Write(b)
			}
		}
		a.ended <- err
	}()
	return a
}

// Write hands over b to be written. Until the run is over, it fails where it would have to wait.
func (a *aside) Write(b []byte) (int, error) {
	b = bytes.Clone(b)
	if a.patient {
		a.pieces <- b
		return len(b), nil
	}
	select {
	case a.pieces <- b:
		return len(b), nil
	default:
		return 0, errSlowDisk
	}
}

// Close waits until all is written. A second call does nothing.
func (a *aside) Close() error {
	if a.closed {
		return nil
	}
	a.closed = true
	close(a.pieces)
	return <-a.ended
}
