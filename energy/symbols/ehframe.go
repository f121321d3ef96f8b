package symbols

import (
	"debug/elf"
	"encoding/binary"
	"errors"
)

// Bounds of what is read of one section of a file, which any program can have mapped.
const maxSection = 256 << 20

// errFrames: a file's call frame information can not be read. What came before is good.
var errFrames = errors.New("malformed call frame information")

// frameRanges are the functions that a file's .eh_frame describes, by place alone: compilers write an entry for each, for
// unwinding, and it stays in files whose symbols are stripped (Linux Standard Base, Exception Frames). Entries of
// length zero, as of functions that the linker dropped, are passed over.
func frameRanges(e *elf.File) []symbol {
	section := e.Section(".eh_frame")
	if section == nil || section.Type == elf.SHT_NOBITS || section.Size > maxSection {
		return nil
	}
	data, err := section.Data()
	if err != nil {
		return nil
	}
	list, _ := parseFrames(data, section.Addr, e.ByteOrder, e.Class)
	return list
}

// parseFrames reads an .eh_frame section that is mapped at base.
func parseFrames(data []byte, base uint64, order binary.ByteOrder, class elf.Class) (list []symbol, err error) {
	r := frameReader{data: data, base: base, order: order, address: 8}
	if class == elf.ELFCLASS32 {
		r.address = 4
	}
	encodings := map[int]byte{} // by a common entry's offset, how its functions' places are written
	for at := 0; at+4 <= len(data); {
		r.at, r.end = at, len(data)
		length := r.fixed(4)
		if length == 0xffffffff {
			length = r.fixed(8)
		}
		if length == 0 || r.bad {
			break // the end
		}
		if length > uint64(len(data)-r.at) {
			return list, errFrames
		}
		begin, end := r.at, r.at+int(length)
		r.end = end
		common := r.fixed(4)
		switch {
		case r.bad:
			return list, errFrames
		case common == 0:
			encodings[at] = r.encoding()
		case common <= uint64(begin):
			if encoding, ok := encodings[begin-int(common)]; ok {
				start := r.pointer(encoding)
				size := r.pointer(encoding & 0x0f)
				if !r.bad && size > 0 && start+size > start {
					list = append(list, symbol{start: start, end: start + size})
				}
			}
		}
		r.bad = false // a bad entry costs itself alone: the next one's place is known
		at = end
	}
	return list, nil
}

// frameReader reads an entry. After a read beyond its end it is bad, and reads zeros.
type frameReader struct {
	data    []byte
	base    uint64
	order   binary.ByteOrder
	address int // bytes
	at, end int
	bad     bool
}

func (r *frameReader) fixed(n int) uint64 {
	if r.end-r.at < n {
		r.bad = true
		return 0
	}
	b := r.data[r.at : r.at+n]
	r.at += n
	switch n {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(r.order.Uint16(b))
	case 4:
		return uint64(r.order.Uint32(b))
	}
	return r.order.Uint64(b)
}

// leb128 reads a number of variable length.
func (r *frameReader) leb128() (v uint64, shift int, last byte) {
	for {
		last = byte(r.fixed(1))
		if shift < 64 {
			v |= uint64(last&0x7f) << shift
		}
		shift += 7
		if last < 0x80 || r.bad {
			return v, shift, last
		}
	}
}

// encoding reads a common entry after its id, and says how the places of its functions are written (DW_EH_PE).
func (r *frameReader) encoding() byte {
	const absolute = 0x00
	version := r.fixed(1)
	begin := r.at
	for r.fixed(1) != 0 && !r.bad {
	}
	if r.bad {
		return absolute
	}
	augmentation := string(r.data[begin : r.at-1])
	r.leb128() // code alignment
	r.leb128() // data alignment
	if version == 1 {
		r.fixed(1) // the return address's register
	} else {
		r.leb128()
	}
	if augmentation == "" || augmentation[0] != 'z' {
		return absolute
	}
	r.leb128()
	for _, c := range augmentation[1:] {
		switch c {
		case 'R':
			return byte(r.fixed(1))
		case 'L':
			r.fixed(1)
		case 'P':
			r.pointer(byte(r.fixed(1)))
		}
	}
	return absolute
}

// pointer reads a place: the low four bits of encoding say how it is written, the next three what it is relative to. Only
// the entry's own place is used for that in .eh_frame.
func (r *frameReader) pointer(encoding byte) uint64 {
	here := r.base + uint64(r.at)
	var v uint64
	switch encoding & 0x0f {
	case 0x00:
		v = r.fixed(r.address)
	case 0x01:
		v, _, _ = r.leb128()
	case 0x02:
		v = r.fixed(2)
	case 0x03:
		v = r.fixed(4)
	case 0x04, 0x0c:
		v = r.fixed(8)
	case 0x09:
		var shift int
		var last byte
		if v, shift, last = r.leb128(); shift < 64 && last&0x40 != 0 {
			v |= ^uint64(0) << shift
		}
	case 0x0a:
		v = uint64(int16(r.fixed(2)))
	case 0x0b:
		v = uint64(int32(r.fixed(4)))
	default:
		r.bad = true
	}
	switch encoding & 0x70 {
	case 0x00:
	case 0x10:
		v += here
	default:
		r.bad = true
	}
	if r.address == 4 {
		v &= 0xffffffff
	}
	return v
}
