package tracing

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// kernel is the writers' side, in a file laid out like the map: the reader's page, the writers'
// page, the data twice.
type kernel struct {
	memory []byte
	page   int
	size   int
	end    uint64
}

func newKernel(t *testing.T, size int) (*kernel, *Ring) {
	t.Helper()
	fd, memory := devtest.Ring(t, size)
	r, err := MapRing(fd, size)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return &kernel{memory: memory, page: os.Getpagesize(), size: size}, r
}

// put copies bytes to both halves.
func (k *kernel) put(at uint64, b []byte) {
	for i, c := range b {
		place := (at + uint64(i)) % uint64(k.size)
		k.memory[2*k.page+int(place)], k.memory[2*k.page+k.size+int(place)] = c, c
	}
}

func (k *kernel) header(at uint64, h uint32) {
	k.put(at, binary.NativeEndian.AppendUint32(nil, h))
}

// write appends a record, if there is room.
func (k *kernel) write(record []byte, flags uint32) bool {
	need := (recordHeader + uint64(len(record)) + 7) &^ 7
	if k.end+need-binary.NativeEndian.Uint64(k.memory) > uint64(k.size) {
		return false
	}
	k.header(k.end, uint32(len(record))|flags)
	k.put(k.end+recordHeader, record)
	k.end += need
	atomic.StoreUint64((*uint64)(unsafe.Pointer(&k.memory[k.page])), k.end)
	return true
}

// TestRecords: records are read as they were written, in order, however records lie across the end,
// discarded ones left out, and room is given back.
func TestRecords(t *testing.T) {
	k, r := newKernel(t, os.Getpagesize())
	rng := rand.New(rand.NewPCG(1, 2))
	var want []string
	read, written := 0, 0
	for read < 5000 {
		for range rng.IntN(8) {
			text := fmt.Sprintf("%d:%0*d", written, rng.IntN(200), 0)
			discarded := rng.IntN(5) == 0
			flags := uint32(0)
			if discarded {
				flags = recordDiscard
			}
			if !k.write([]byte(text), flags) {
				break
			}
			if written++; !discarded {
				want = append(want, text)
			}
		}
		end := r.End()
		if rng.IntN(3) == 0 && k.write([]byte("later"), 0) {
			want = append(want, "later") // behind the end that was asked for
		}
		for {
			record, _ := r.Peek(end)
			if record == nil {
				break
			}
			if string(record) != want[0] {
				t.Fatalf("record %d is %q, want %q", read, record, want[0])
			}
			want, read = want[1:], read+1
			r.Advance()
		}
		if len(want) > 1 || len(want) == 1 && want[0] != "later" {
			t.Fatalf("%d records were not read", len(want))
		}
	}
}

// finish ends the writing of a record of 8 bytes at the ring's begin.
func (k *kernel) finish() {
	atomic.StoreUint32((*uint32)(unsafe.Pointer(&k.memory[2*k.page])), 8)
}

// TestBusy: a record that is being written is waited for.
func TestBusy(t *testing.T) {
	k, r := newKernel(t, os.Getpagesize())
	k.write([]byte("12345678"), recordBusy)
	go k.finish()
	for {
		record, unfinished := r.Peek(r.End())
		if unfinished {
			continue // the writer has not had a CPU yet
		}
		if string(record) != "12345678" {
			t.Errorf("%q", record)
		}
		return
	}
}

// TestUnfinished: a reader does not wait for a writer that does not go on, as one may not while the
// reader has its CPU. Nothing of the record is given away, nor of what is behind it.
func TestUnfinished(t *testing.T) {
	k, r := newKernel(t, os.Getpagesize())
	k.write([]byte("12345678"), recordBusy)
	k.write([]byte("behind"), 0)
	for range 3 {
		if record, unfinished := r.Peek(r.End()); record != nil || !unfinished {
			t.Fatalf("%q of a record that is being written, unfinished %v", record, unfinished)
		}
	}
	k.finish()
	for _, want := range []string{"12345678", "behind"} {
		if record, unfinished := r.Peek(r.End()); string(record) != want || unfinished {
			t.Fatalf("%q, unfinished %v; want %q", record, unfinished, want)
		}
		r.Advance()
	}
}

// TestClear: what is cleared is not read, and its room is the writers'.
func TestClear(t *testing.T) {
	k, r := newKernel(t, os.Getpagesize())
	for i := range 10_000 {
		if !k.write([]byte("a bell"), recordDiscard) {
			t.Fatalf("no room for bell %d", i)
		}
		r.Clear()
	}
	if record, unfinished := r.Peek(r.End()); record != nil || unfinished {
		t.Errorf("%q, unfinished %v", record, unfinished)
	}
}

func TestMapRefused(t *testing.T) {
	if _, err := MapRing(-1, 4096); err == nil {
		t.Error("a bad descriptor was mapped")
	}
}
