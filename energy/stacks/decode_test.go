package stacks

import (
	"encoding/binary"
	"slices"
	"testing"
)

// record makes what sample.bpf.c writes.
func record(kernel, user int16, frames ...uint64) []byte {
	b := binary.LittleEndian.AppendUint64(nil, 123)
	b = binary.LittleEndian.AppendUint32(b, 42)
	b = binary.LittleEndian.AppendUint32(b, 40)
	b = binary.LittleEndian.AppendUint32(b, 3)
	b = binary.LittleEndian.AppendUint16(b, uint16(kernel))
	b = binary.LittleEndian.AppendUint16(b, uint16(user))
	for _, f := range frames {
		b = binary.LittleEndian.AppendUint64(b, f)
	}
	return b
}

func TestDecode(t *testing.T) {
	var s Sampler
	if !s.decode(record(16, 8, 1, 2, 3)) {
		t.Fatal("refused")
	}
	got := s.sample
	if got.At != 123 || got.Thread != 42 || got.PID != 40 || got.CPU != 3 || got.Unreadable || got.Truncated ||
		!slices.Equal(got.Kernel, []uint64{1, 2}) || !slices.Equal(got.User, []uint64{3}) {
		t.Errorf("%+v", got)
	}
	if !s.decode(record(-14, -14)) || !s.sample.Unreadable || len(s.sample.Kernel)+len(s.sample.User) != 0 {
		t.Errorf("errors: %+v", s.sample)
	}
	if !s.decode(record(0, 8*maxFrames, make([]uint64, maxFrames)...)) || !s.sample.Truncated {
		t.Errorf("a full stack: %+v", s.sample)
	}
	for _, cut := range [][]byte{nil, record(0, 0)[:header-1], record(8, 8, 1), record(0, 8*maxFrames+8, make([]uint64, maxFrames+1)...)} {
		if s.decode(cut) {
			t.Errorf("%d bytes were taken: %+v", len(cut), s.sample)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(record(16, 8, 1, 2, 3))
	f.Add(record(-1, 32767))
	f.Fuzz(func(t *testing.T, b []byte) {
		var s Sampler
		if s.decode(b) && header+8*(len(s.sample.Kernel)+len(s.sample.User)) > len(b) {
			t.Errorf("%d frames out of %d bytes", len(s.sample.Kernel)+len(s.sample.User), len(b))
		}
	})
}

func TestCheckRate(t *testing.T) {
	for rate, ok := range map[int]bool{0: false, -1: false, 1: true, 99: true, 10000: true, 10001: false} {
		if err := CheckRate(rate); (err == nil) != ok {
			t.Errorf("%d: %v", rate, err)
		}
	}
}
