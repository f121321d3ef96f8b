package replay_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"slices"
	"testing"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/many"
	"github.com/ebb-energy/ebb/governor/replay"
)

// plainHead is the length of a frame's head without its checksum.
const plainHead = 5

// head is the length of a frame's head, and of what begins a recording.
const head, begin = 9, 8

// withoutChecksums returns a recording whose frames have no checksums.
func withoutChecksums(file []byte) []byte {
	out := slices.Clone(file[:begin])
	for b := file[begin:]; len(b) >= head; {
		end := head + int(binary.LittleEndian.Uint32(b[1:]))
		out = append(append(out, b[:plainHead]...), b[head:end]...)
		b = b[end:]
	}
	return out
}

// withChecksums returns the recording again. A frame that is longer than what is left ends there.
func withChecksums(b []byte) []byte {
	out := slices.Clone(b[:min(begin, len(b))])
	for b = b[len(out):]; len(b) >= plainHead; {
		size := min(binary.LittleEndian.Uint32(b[1:]), uint32(len(b)-plainHead))
		payload := b[plainHead:][:size]
		out = binary.LittleEndian.AppendUint32(append(out, b[0]), size)
		out = binary.LittleEndian.AppendUint32(out,
			crc32.Checksum(payload, crc32.MakeTable(crc32.Castagnoli)))
		out = append(out, payload...)
		b = b[plainHead+int(size):]
	}
	return out
}

// playAll plays a recording by the governor that it names, and insists on nothing. It returns what
// the governor was handed.
func playAll(file []byte) (handed int, err error) {
	p, err := replay.NewPlayer(bytes.NewReader(file))
	if err != nil {
		return 0, err
	}
	p.Compare(func(governor.Action) {})
	var g governor.Stepper
	if tenants := p.Tenants(); tenants != nil {
		g, err = many.New(*tenants)
	} else {
		g, err = governor.New(p.Config())
	}
	if err != nil {
		return 0, err
	}
	var seen events
	err = governor.Run(context.Background(), g, p, &seen)
	return len(seen.all), err
}

// TestChecksumsAgree: without and with its checksums again a recording is the same bytes.
func TestChecksumsAgree(t *testing.T) {
	for _, file := range [][]byte{record(t, twoThreads(6)), recordTenants(t, twoTenants())} {
		if got := withChecksums(withoutChecksums(file)); !bytes.Equal(got, file) {
			t.Errorf("%d bytes of %d agree", len(got), len(file))
		}
		if n, err := playAll(file); n == 0 || err != nil {
			t.Errorf("%d events, %v", n, err)
		}
	}
}

// TestBeginComesFirst: a recording whose first event is not the run's begin is refused. A governor
// knows no clock before.
func TestBeginComesFirst(t *testing.T) {
	file := withoutChecksums(record(t, twoThreads(6)))
	for b := file[begin:]; ; b = b[plainHead+int(binary.LittleEndian.Uint32(b[1:])):] {
		if b[0] != 'E' {
			continue
		}
		if b[plainHead] != byte(governor.Begin) {
			t.Fatalf("the first event is of kind %d", b[plainHead])
		}
		b[plainHead] = byte(governor.Ending) // it has the same fields
		break
	}
	if n, err := playAll(withChecksums(file)); n != 0 || !errors.Is(err, replay.ErrFormat) {
		t.Errorf("%d events, %v", n, err)
	}
}

// FuzzChecked: a recording whose checksums are right, but whose configuration and events are
// anything, is played to its end or refused. Whoever changes a recording can compute checksums.
func FuzzChecked(f *testing.F) {
	f.Add(withoutChecksums(record(f, twoThreads(6)[:40])))
	f.Add(withoutChecksums(recordTenants(f, twoTenants()[:40])))
	f.Fuzz(func(t *testing.T, b []byte) {
		if n, err := playAll(withChecksums(b)); n > len(b) {
			t.Errorf("%d events out of %d bytes, %v", n, len(b), err)
		}
	})
}
