package unwind

import "encoding/binary"

// reader reads a section. A read beyond its end sets bad and returns zeros.
type reader struct {
	data    []byte
	base    uint64 // where the section is mapped
	order   binary.ByteOrder
	address int // bytes of an address
	at, end int
	bad     bool
	from    *section // source that fills data as it is needed; nil: all of data is there
}

// need makes sure that the bytes of data from begin to end are there.
func (r *reader) need(begin, end int) {
	if r.from != nil {
		r.from.need(begin, min(end, len(r.data)))
	}
}

func (r *reader) fixed(n int) uint64 {
	if n > r.end-r.at {
		r.bad, r.at = true, r.end
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

// skip passes over n bytes and returns where they begin.
func (r *reader) skip(n uint64) (from int) {
	from = r.at
	if n > uint64(r.end-r.at) {
		r.bad, r.at = true, r.end
		return from
	}
	r.at += int(n)
	return from
}

// uleb reads an unsigned number of variable length.
func (r *reader) uleb() uint64 {
	v, _, _ := r.leb128()
	return v
}

// sleb reads a signed number of variable length.
func (r *reader) sleb() int64 {
	v, shift, last := r.leb128()
	if shift < 64 && last&0x40 != 0 {
		v |= ^uint64(0) << shift
	}
	return int64(v)
}

// maxNumber bounds the bytes of a number of variable length. 64 bits take ten.
const maxNumber = 16

func (r *reader) leb128() (v uint64, shift int, last byte) {
	for n := 1; ; n++ {
		last = byte(r.fixed(1))
		if shift < 64 {
			v |= uint64(last&0x7f) << shift
		}
		shift += 7
		if r.bad = r.bad || n == maxNumber && last >= 0x80; last < 0x80 || r.bad {
			return v, shift, last
		}
	}
}

// pointer reads an address. The low four bits of encoding are its form, the next three what it is
// relative to (DW_EH_PE). In .eh_frame that is only the entry's own place.
func (r *reader) pointer(encoding byte) uint64 {
	here := r.base + uint64(r.at)
	var v uint64
	switch encoding & 0x0f {
	case 0x00:
		v = r.fixed(r.address)
	case 0x01:
		v = r.uleb()
	case 0x02:
		v = r.fixed(2)
	case 0x03:
		v = r.fixed(4)
	case 0x04, 0x0c:
		v = r.fixed(8)
	case 0x09:
		v = uint64(r.sleb())
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
