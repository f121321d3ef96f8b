package bpf

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/units"
)

// The kinds of records, as in enum record_kind in events.h.
const (
	recordSwitch = iota + 1
	recordSlice
	recordFork
	recordExec
	recordExit
	recordTotals
	recordPhase
)

// Sizes of the records without counters, in bytes.
const (
	headSize   = 16
	switchSize = headSize + 32
	sliceSize  = headSize + 16
	threadSize = headSize + 8
	totalsSize = 88
)

// errRecord says that a record is none that the programs write.
var errRecord = errors.New("malformed record")

// decode turns a record into its events: two for a switch between two threads of the target, none
// for a thread's totals. It accepts any bytes.
func decode(record []byte, out *[2]epochs.Event) (int, error) {
	if len(record) < headSize {
		return 0, fmt.Errorf("%w: %d bytes", errRecord, len(record))
	}
	kind, counters := record[8], int(record[11])
	want := 0
	switch kind {
	case recordSwitch:
		want = switchSize + 8*counters
	case recordSlice:
		want = sliceSize + 8*counters
	case recordFork, recordExec, recordExit, recordPhase:
		want = threadSize
	case recordTotals:
		want = headSize + totalsSize
	}
	if want == 0 || len(record) < want || counters > epochs.MaxCounters {
		return 0, fmt.Errorf("%w: kind %d with %d bytes and %d counters", errRecord, kind,
			len(record), counters)
	}
	switch kind {
	case recordSwitch:
		return decodeSwitch(record, counters, out)
	case recordSlice:
		body := record[headSize:]
		out[0] = epochs.Event{Kind: epochs.Slice, At: instant(record), From: instant(body[8:]),
			Thread: tid(body), By: epochs.NoThread, CPU: cpu(record), Tenant: tenant(record)}
		readCounters(&out[0].Counters, record[sliceSize:], counters)
		return 1, nil
	case recordTotals:
		return 0, nil
	}
	if err := decodeThread(record, &out[0]); err != nil {
		return 0, err
	}
	return 1, nil
}

func cpu(record []byte) int16 { return int16(binary.LittleEndian.Uint16(record[12:])) }

// tenant returns the tenant of a record about one thread.
func tenant(record []byte) uint16 { return binary.LittleEndian.Uint16(record[14:]) }

// charged returns since when the scheduler charges the thread that a switch's record ends a slice
// of.
func charged(record []byte) units.Instant {
	const unit, fine, coarse = 64, 0x4000, 256 // CHARGED_NS and what follows it in events.h
	before := int64(int16(binary.LittleEndian.Uint16(record[14:])))
	before += (coarse - 1) * (max(before-fine, 0) + min(before+fine, 0))
	return instant(record[headSize+16:]) - units.Instant(before)*unit
}

// decodeSwitch puts into out an event for each of the two threads that belongs to the target.
func decodeSwitch(record []byte, counters int, out *[2]epochs.Event) (n int, err error) {
	off, on := epochs.Cause(record[9]), epochs.Cause(record[10])
	at, body := instant(record), record[headSize:]
	if prev := tid(body); prev != epochs.NoThread {
		if (off < epochs.FutexSleep || off > epochs.Exited) && off != epochs.Throttled {
			return 0, fmt.Errorf("%w: a thread stopped for cause %d", errRecord, off)
		}
		out[n] = epochs.Event{Kind: epochs.Off, Cause: off, At: at, From: instant(body[16:]),
			Charged: charged(record), Thread: prev, By: epochs.NoThread, CPU: cpu(record),
			Tenant: binary.LittleEndian.Uint16(body[12:])}
		readCounters(&out[n].Counters, record[switchSize:], counters)
		n++
	}
	if next := tid(body[4:]); next != epochs.NoThread {
		if on < epochs.Woken || on > epochs.Seen {
			return 0, fmt.Errorf("%w: a thread runs for cause %d", errRecord, on)
		}
		out[n] = epochs.Event{Kind: epochs.On, Cause: on, At: at, Thread: next,
			By: tid(body[8:]), WokenAt: instant(body[24:]), CPU: cpu(record),
			Tenant: binary.LittleEndian.Uint16(body[14:])}
		n++
	}
	return n, nil
}

// decodeThread puts into out the event of a record that has only threads' ids.
func decodeThread(record []byte, out *epochs.Event) error {
	on, body := epochs.Cause(record[10]), record[headSize:]
	*out = epochs.Event{At: instant(record), Thread: tid(body), By: tid(body[4:]), CPU: cpu(record),
		Tenant: tenant(record)}
	switch record[8] {
	case recordFork:
		out.Kind = epochs.Fork
	case recordExec:
		out.Kind = epochs.Exec
	case recordExit:
		out.Kind = epochs.Exit
	case recordPhase:
		if on != epochs.CollectionBegins && on != epochs.CollectionEnds {
			return fmt.Errorf("%w: a phase of cause %d", errRecord, on)
		}
		out.Kind, out.Cause = epochs.Phase, on
	}
	return nil
}

func tid(b []byte) epochs.TID { return epochs.TID(binary.LittleEndian.Uint32(b)) }

func instant(b []byte) units.Instant { return units.Instant(binary.LittleEndian.Uint64(b)) }

func readCounters(out *[epochs.MaxCounters]uint64, b []byte, n int) {
	for i := range n {
		out[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
}

// isTotals reports whether a record has a thread's totals, which decodeTotals reads.
func isTotals(record []byte) bool {
	return len(record) >= headSize+totalsSize && record[8] == recordTotals
}

// decodeTotals reads a struct totals_record. Its time is that of the thread's end, or 0 for a
// living thread.
func decodeTotals(record []byte) (Thread, error) {
	if !isTotals(record) {
		return Thread{}, fmt.Errorf("%w: totals of %d bytes", errRecord, len(record))
	}
	b := record[headSize:]
	comm, _, _ := bytes.Cut(b[8:24], []byte{0})
	return Thread{
		Tenant:         tenant(record),
		Ended:          instant(record),
		TID:            tid(b),
		TGID:           tid(b[4:]),
		Comm:           string(comm),
		Started:        instant(b[24:]),
		KernelRun:      time.Duration(binary.LittleEndian.Uint64(b[32:])),
		KernelSwitches: binary.LittleEndian.Uint64(b[40:]),
		Run:            time.Duration(binary.LittleEndian.Uint64(b[48:])),
		Switches:       binary.LittleEndian.Uint64(b[56:]),
		FutexSleeps:    binary.LittleEndian.Uint64(b[64:]),
		Created:        instant(b[72:]),
		InnerTID:       tid(b[80:]),
	}, nil
}
