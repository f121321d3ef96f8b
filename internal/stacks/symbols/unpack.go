package symbols

import (
	"bytes"
	"errors"
	"io"

	"github.com/ulikunitz/xz/lzma"
)

// maxUnpacked bounds the unpacked bytes, and the memory that a stream may ask for to be unpacked.
const maxUnpacked = 16 << 20

var errNotXZ = errors.New("not an xz stream that ebb can read")

// unpack returns the content of an xz stream (The .xz File Format 1.2.1), the first if there are
// several. More than most bytes are an error. Only the blocks' content is read by the library, and
// the container here: the library's own reader of containers allocates as much memory as the stream
// asks for, which can be 4 GiB. Checksums are not verified, since the reader checks what comes out.
func unpack(packed []byte, most int, budget *budget) ([]byte, error) {
	const headerSize = 12
	if len(packed) < headerSize || !bytes.HasPrefix(packed, []byte("\xfd7zXZ\x00")) {
		return nil, errNotXZ
	}
	sumSize := [16]int{0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64}[packed[7]&15]
	var out bytes.Buffer
	for at := headerSize; ; {
		if at >= len(packed) {
			return nil, io.ErrUnexpectedEOF
		}
		if packed[at] == 0 { // the index, behind all blocks
			return out.Bytes(), nil
		}
		size := 4 * (int(packed[at]) + 1)
		if at+size > len(packed) {
			return nil, io.ErrUnexpectedEOF
		}
		dictionary, err := blockHeader(packed[at : at+size])
		if err != nil {
			return nil, err
		}
		r := bytes.NewReader(packed[at+size:])
		l, err := lzma.Reader2Config{DictCap: dictionary}.NewReader2(r)
		if err == nil {
			_, err = io.Copy(stepping{&out, budget}, io.LimitReader(l, int64(most+1-out.Len())))
		}
		if err != nil && !errors.Is(err, io.EOF) { // EOF: a block of nothing
			return nil, err
		}
		if out.Len() > most {
			return nil, errors.New("it is too large")
		}
		block := size + int(r.Size()) - r.Len()
		at += (block+3)&^3 + sumSize
	}
}

// stepping takes a step with each write, which has 32 KiB at most.
type stepping struct {
	io.Writer
	budget *budget
}

func (s stepping) Write(b []byte) (int, error) {
	s.budget.step()
	return s.Writer.Write(b)
}

// blockHeader returns the size in bytes of the dictionary that a block is unpacked with (section
// 3.1), at most maxUnpacked. A block with another filter than LZMA2 alone is an error.
func blockHeader(b []byte) (dictionary int, err error) {
	const lzma2 = 0x21
	flags, rest := b[1], b[2:]
	if flags&0x3f != 0 {
		return 0, errNotXZ // several filters, or what does not exist yet
	}
	for _, has := range []byte{0x40, 0x80} { // optional fields: the packed and the unpacked size
		if flags&has == 0 {
			continue
		}
		n := 0
		for n < len(rest) && rest[n]&0x80 != 0 {
			n++
		}
		if n >= len(rest) {
			return 0, errNotXZ
		}
		rest = rest[n+1:]
	}
	if len(rest) < 3 || rest[0] != lzma2 || rest[1] != 1 || rest[2] > 40 {
		return 0, errNotXZ
	}
	bits := uint64(rest[2]) // section 5.3.1
	size := (2 | bits&1) << (bits/2 + 11)
	return int(max(min(size, maxUnpacked), lzma.MinDictCap)), nil
}
