package bpf

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// ring is the consumer's side of a BPF ring buffer (Documentation/bpf/ringbuf.rst in the kernel).
//
// It is not cilium's ringbuf.Reader for three reasons. A Tracer's promise of completeness needs to tell "empty up to
// here" from "the next record is still being written". Records are decoded where they lie. And that Reader waits
// level-triggered, so that it wakes for records that rang no bell.
type ring struct {
	consumer []byte // a page: the reader's position
	producer []byte // a page: the writers' position; then the data, twice in a row, so that no record is cut
	size     uint64
}

const (
	recordHeader  = 8
	recordBusy    = 1 << 31 // being written
	recordDiscard = 1 << 30
)

func mapRing(fd, size int) (*ring, error) {
	page := os.Getpagesize()
	consumer, err := unix.Mmap(fd, 0, page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("map the ring buffer: %w", err)
	}
	producer, err := unix.Mmap(fd, int64(page), page+2*size, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("map the ring buffer: %w", err), unix.Munmap(consumer))
	}
	return &ring{consumer: consumer, producer: producer, size: uint64(size)}, nil
}

func (r *ring) close() error { return errors.Join(unix.Munmap(r.consumer), unix.Munmap(r.producer)) }

// end is where the writers are.
func (r *ring) end() uint64 {
	return atomic.LoadUint64((*uint64)(unsafe.Pointer(&r.producer[0])))
}

func (r *ring) position() *uint64 { return (*uint64)(unsafe.Pointer(&r.consumer[0])) }

// peek returns the next record before end, nil when there is none. It waits for one that is being written: its writer
// runs with interrupts off. The record is valid until advance.
func (r *ring) peek(end uint64) []byte {
	for {
		at := *r.position()
		if at >= end {
			return nil
		}
		data := r.producer[os.Getpagesize():]
		place := data[at&(r.size-1):]
		header := atomic.LoadUint32((*uint32)(unsafe.Pointer(&place[0])))
		for header&recordBusy != 0 {
			runtime.Gosched()
			header = atomic.LoadUint32((*uint32)(unsafe.Pointer(&place[0])))
		}
		if header&recordDiscard == 0 {
			return place[recordHeader : recordHeader+header]
		}
		r.skip(header &^ recordDiscard)
	}
}

// advance gives the place of the record that peek returned back to the writers.
func (r *ring) advance() {
	place := r.producer[os.Getpagesize():][*r.position()&(r.size-1):]
	r.skip(binary.NativeEndian.Uint32(place) &^ recordDiscard)
}

func (r *ring) skip(length uint32) {
	atomic.StoreUint64(r.position(), *r.position()+(recordHeader+uint64(length)+7)&^7)
}
