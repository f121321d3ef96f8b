// Package replay records everything that passes through a Machine and plays it back, insisting on
// the same actions.
//
// # Format
//
// A recording is the 8 bytes "ebbrec2\n", or "ebbrec3\n" of several tenants, and then frames: a
// type byte, the payload's length and CRC-32C as 32-bit little-endian numbers, and the payload.
// Types are H (the governor's configuration, JSON, first and once), E (a batch of events), A (one
// action, after the batch that led to it) and Z (empty, last: the recording is complete). Numbers
// in payloads are varints, instants differences to the one before. Every frame is written in one
// piece, so a recording that ends early is whole up to its last whole frame.
package replay

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"sync"
)

// The versions of the format. No others are read.
const (
	magic = "ebbrec2\n"
	// magicMany begins a recording of several tenants. The tenant's number follows the kind of each
	// event and action, and after it comes the domain's number where there is one. The header has a
	// many.Config.
	magicMany = "ebbrec3\n"
)

type frameType byte

const (
	frameHeader frameType = 'H'
	frameEvents frameType = 'E'
	frameAction frameType = 'A'
	frameLast   frameType = 'Z'
)

const (
	frameHeadLen = 9
	// maxPayload bounds the bytes that a reader allocates for a frame. A batch of 512 events takes
	// 40 KiB at most.
	maxPayload = 1 << 20
	// maxHeader bounds the frame with the configurations of several tenants.
	maxHeader = 16 << 20
)

// ErrFormat says that the bytes are no recording, or a damaged one.
var ErrFormat = errors.New("not a valid recording")

// errTruncated says that the recording ends inside a frame.
var errTruncated = errors.New("recording ends inside a frame")

// castagnoli is the polynomial of the checksums. Its table is made when it is first asked for, and
// not at each start of ebb.
var castagnoli = sync.OnceValue(func() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) })

// beginFrame appends a frame's head with room for length and checksum, which endFrame fills in.
func beginFrame(b []byte, t frameType) []byte {
	return append(b, byte(t), 0, 0, 0, 0, 0, 0, 0, 0)
}

func endFrame(b []byte, start int) []byte {
	payload := b[start+frameHeadLen:]
	binary.LittleEndian.PutUint32(b[start+1:], uint32(len(payload)))
	binary.LittleEndian.PutUint32(b[start+5:], crc32.Checksum(payload, castagnoli()))
	return b
}

// frameReader reads frames one after another into one buffer.
type frameReader struct {
	r   io.Reader
	buf []byte
	n   int // frames read
	// many says that the recording has several tenants.
	many bool
}

// next returns the next frame. Its payload is valid until the following call. The error is io.EOF
// behind a whole frame.
func (f *frameReader) next() (frameType, []byte, error) {
	var head [frameHeadLen]byte
	if _, err := io.ReadFull(f.r, head[:]); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return 0, nil, errTruncated
		}
		return 0, nil, err
	}
	size := binary.LittleEndian.Uint32(head[1:])
	most := uint32(maxPayload)
	if f.n == 0 && f.many {
		most = maxHeader
	}
	if size > most {
		return 0, nil, fmt.Errorf("frame %d claims %d bytes, more than %d: %w", f.n, size, most,
			ErrFormat)
	}
	if cap(f.buf) < int(size) {
		f.buf = make([]byte, size)
	}
	payload := f.buf[:size]
	if _, err := io.ReadFull(f.r, payload); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
			return 0, nil, errTruncated
		}
		return 0, nil, err
	}
	if crc32.Checksum(payload, castagnoli()) != binary.LittleEndian.Uint32(head[5:]) {
		return 0, nil, fmt.Errorf("frame %d has a wrong checksum: %w", f.n, ErrFormat)
	}
	f.n++
	return frameType(head[0]), payload, nil
}
