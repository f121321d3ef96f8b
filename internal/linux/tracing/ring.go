package tracing

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Ring is a mapped ring buffer. Its methods are for one goroutine, but for End.
type Ring struct {
	consumer []byte // a page: the reader's position
	producer []byte // a page: the writers' position
	data     []byte // twice in a row, so that no record is cut
	mask     uint64
}

const (
	recordHeader  = 8
	recordBusy    = 1 << 31 // being written
	recordDiscard = 1 << 30
)

// MapRing maps the ring buffer of a map's descriptor. Size is the size of the map's data, in bytes.
func MapRing(fd, size int) (*Ring, error) {
	page := os.Getpagesize()
	consumer, err := unix.Mmap(fd, 0, page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("map the ring buffer: %w", err)
	}
	producer, err := unix.Mmap(fd, int64(page), page+2*size, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("map the ring buffer: %w", err), unix.Munmap(consumer))
	}
	return &Ring{consumer: consumer, producer: producer, data: producer[page:],
		mask: uint64(size) - 1}, nil
}

// Close unmaps the ring.
func (r *Ring) Close() error {
	return errors.Join(unix.Munmap(r.consumer),
		unix.Munmap(r.producer))
}

// End returns the position of the writers, in bytes since the ring was made. Positions only grow.
func (r *Ring) End() uint64 {
	return atomic.LoadUint64((*uint64)(unsafe.Pointer(&r.producer[0])))
}

func (r *Ring) position() *uint64 { return (*uint64)(unsafe.Pointer(&r.consumer[0])) }

// patience bounds Peek's wait for a record that is being written. Most writers run with interrupts
// off and need a microsecond. One that was preempted, or whose virtual CPU stands still, may need
// the reader's CPU first, which a reader with a priority must then give up.
const patience = 100 * time.Microsecond

// Peek returns the next record before end, nil when there is none. Where that record is still being
// written after a moment, it returns unfinished: the caller sleeps before it asks again. The record
// is valid until Advance.
func (r *Ring) Peek(end uint64) (record []byte, unfinished bool) {
	for {
		at := *r.position()
		if at >= end {
			return nil, false
		}
		place := r.data[at&r.mask:]
		header := (*uint32)(unsafe.Pointer(&place[0]))
		if atomic.LoadUint32(header)&recordBusy != 0 && !written(header) {
			return nil, true
		}
		length := atomic.LoadUint32(header)
		if length&recordDiscard == 0 {
			return place[recordHeader : recordHeader+length], false
		}
		r.skip(length &^ recordDiscard)
	}
}

// written reports whether a record is finished within patience.
func written(header *uint32) bool {
	for begin := time.Now(); time.Since(begin) < patience; {
		runtime.Gosched()
		if atomic.LoadUint32(header)&recordBusy == 0 {
			return true
		}
	}
	return false
}

// Clear gives the places of all records so far back to the writers, unread.
func (r *Ring) Clear() { atomic.StoreUint64(r.position(), r.End()) }

// Advance gives the place of the record that Peek returned back to the writers.
func (r *Ring) Advance() {
	r.skip(binary.NativeEndian.Uint32(r.data[*r.position()&r.mask:]) &^ recordDiscard)
}

func (r *Ring) skip(length uint32) {
	atomic.StoreUint64(r.position(), *r.position()+(recordHeader+uint64(length)+7)&^7)
}
