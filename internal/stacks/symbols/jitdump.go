package symbols

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Bounds of a jitdump: any program can write one.
const (
	maxDumpRecords = 1 << 21
	maxDumpRead    = 512 << 20 // bytes of a dump that are read; the machine code in it is not
	maxDumpHeader  = 4 << 10
	maxCodes       = 1 << 18 // records of code that are kept of one dump
)

// The kinds of records that are read, of those that a jitdump has.
const (
	codeLoad  = 0
	codeMove  = 1
	codeClose = 3 // the virtual machine has ended, and its code with it
)

// Sizes of the fixed parts of a jitdump's header and records, in bytes.
const (
	dumpHeader   = 40
	recordHeader = 16
	loadSize     = recordHeader + 40
	moveSize     = recordHeader + 48
)

// foreignTimes is the flag of a jitdump whose times are of the processor's own clock.
const foreignTimes = 1

// dumpOrder returns the byte order of a file that begins as a jitdump does; nil for others.
func dumpOrder(head []byte) binary.ByteOrder {
	const magic = 0x4A695444
	switch {
	case len(head) < 4:
		return nil
	case binary.LittleEndian.Uint32(head) == magic:
		return binary.LittleEndian
	case binary.BigEndian.Uint32(head) == magic:
		return binary.BigEndian
	}
	return nil
}

// change is the content of a record: code was made, was moved or is gone.
type change struct {
	kind       uint8
	pid        uint32
	name       uint32 // in the dump's words
	at         uint64
	start, end uint64
	from       uint64 // address at which moved code lay before
}

// dumpRecords are the records of a jitdump that were read.
type dumpRecords struct {
	pid     uint32 // process that began the dump, by its own id
	foreign bool   // the times are of another clock than the samples'
	changes []change
	words   words
	skipped int // records without sense
}

// errUnwritten says that a dump is empty: virtual machines buffer what they write.
var errUnwritten = errors.New("nothing has been written to it yet")

// parseJitdump reads a jitdump (tools/perf/Documentation/jitdump-specification.txt in the kernel),
// of either byte order, up to its last whole record. It skips debug information and unwinding
// information. With an error, the records before it are good.
func parseJitdump(r io.ReaderAt, budget *budget) (d dumpRecords, err error) {
	w := &dumpWindow{r: r, budget: budget, buf: make([]byte, 16<<10)}
	h := w.bytes(0, dumpHeader)
	order := dumpOrder(h)
	switch {
	case w.err != nil:
		return d, w.err
	case len(h) == 0:
		return d, errUnwritten
	case order == nil || len(h) < dumpHeader:
		return d, errors.New("it does not begin as a jitdump does")
	}
	const read = 1
	if v := order.Uint32(h[4:]); v != read {
		return d, fmt.Errorf("it is of version %d, and ebb reads version %d: %w", v, read,
			errors.ErrUnsupported)
	}
	size := order.Uint32(h[8:])
	if size < dumpHeader || size > maxDumpHeader {
		return d, fmt.Errorf("its header claims %d bytes", size)
	}
	d.pid, d.foreign = order.Uint32(h[20:]), order.Uint64(h[32:])&foreignTimes != 0
	at := int64(size)
	for range maxDumpRecords {
		h := w.bytes(at, recordHeader)
		if len(h) < recordHeader || w.err != nil {
			return d, w.err
		}
		if [recordHeader]byte(h) == [recordHeader]byte{} {
			return d, nil // room for what will be written
		}
		size := order.Uint32(h[4:])
		if size < recordHeader {
			return d, fmt.Errorf("its record at byte %d claims %d bytes: the rest is not read",
				at, size)
		}
		// the record's last byte is there only when all of it is
		if last := w.bytes(at+int64(size)-1, 1); len(last) == 0 {
			return d, w.err
		}
		if err := d.record(w, order, at, size); err != nil {
			return d, err
		}
		at += int64(size)
	}
	return d, errTooMany
}

// record reads the record that begins at byte at. Records without sense are counted and skipped.
func (d *dumpRecords) record(
	w *dumpWindow, order binary.ByteOrder, at int64, size uint32,
) error {
	h := w.bytes(at, int(min(size, moveSize)))
	if len(h) < recordHeader {
		return w.err
	}
	c := change{at: order.Uint64(h[8:])}
	name := []byte(nil)
	switch kind := order.Uint32(h); {
	case kind == codeClose:
		c.kind = codeClose
	case kind == codeLoad && size > loadSize && len(h) >= loadSize:
		c.kind, c.pid, c.start = codeLoad, order.Uint32(h[16:]), order.Uint64(h[32:])
		c.end = c.start + order.Uint64(h[40:])
		text := w.bytes(at+loadSize, int(min(size-loadSize, maxLineName)))
		if n := bytes.IndexByte(text, 0); n >= 0 {
			text = text[:n]
		}
		name = bytes.TrimSpace(text)
	case kind == codeMove && len(h) >= moveSize:
		c.kind, c.pid, c.from = codeMove, order.Uint32(h[16:]), order.Uint64(h[32:])
		c.start = order.Uint64(h[40:])
		c.end = c.start + order.Uint64(h[48:])
	case kind == codeLoad || kind == codeMove:
		d.skipped++
		return w.err
	default:
		return w.err
	}
	if c.kind != codeClose && (c.end <= c.start || c.end-c.start > maxSymbol || c.end>>63 != 0) ||
		c.kind == codeLoad && len(name) == 0 {
		d.skipped++
		return w.err
	}
	if len(d.changes) >= maxCodes || len(d.words)+len(name) >= maxWords/2 {
		return errTooMany
	}
	if c.kind == codeLoad {
		c.name = uint32(len(d.words))
		d.words = append(append(d.words,
			stable(methodName(printable(string(name))))...), 0)
	}
	d.changes = append(d.changes, c)
	return w.err
}

// dumpWindow reads a file through a buffer.
type dumpWindow struct {
	r      io.ReaderAt
	budget *budget
	buf    []byte
	from   int64 // offset of buf[:n] in the file
	n      int
	sum    int64 // bytes that were read so far
	err    error
}

// bytes returns n bytes at a place, fewer where the file ends. They are valid until the next call.
func (w *dumpWindow) bytes(at int64, n int) []byte {
	if at < w.from || at+int64(n) > w.from+int64(w.n) {
		if w.err != nil {
			return nil
		}
		if w.sum += int64(len(w.buf)); w.sum > maxDumpRead {
			w.err = errTooLong
			return nil
		}
		if w.err = w.budget.goThrough(int64(len(w.buf))); w.err != nil {
			return nil
		}
		w.budget.step()
		got, err := w.r.ReadAt(w.buf, at)
		if w.from, w.n = at, got; err != nil && err != io.EOF {
			w.err = err
		}
	}
	have := w.buf[:w.n][min(at-w.from, int64(w.n)):]
	return have[:min(n, len(have))]
}
