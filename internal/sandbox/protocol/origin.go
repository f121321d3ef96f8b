package protocol

import "encoding/binary"

// AskOrigins is a question about code of an image, which is a process.
type AskOrigins struct {
	Image Image
	PID   uint32
	// Functions asks for the function at each of the addresses; else all files that are mapped are
	// asked for, after the mappings were read again if they lack an address. Both ways code that a
	// Java virtual machine made is asked for by its addresses. An answer that has nothing else says
	// nothing of files.
	Functions bool
	Addrs     []uint64
}

// MaxOrigins is the number of places in a packet, and of addresses that a packet asks about.
const MaxOrigins = 96

// Encode makes the packet.
func (a *AskOrigins) Encode() []byte {
	le := binary.LittleEndian
	b := le.AppendUint32([]byte{byte(KindAskOrigins)}, uint32(a.Image))
	b = append(le.AppendUint32(b, a.PID), flag(a.Functions, 1))
	return appendWords(b, a.Addrs)
}

// DecodeAskOrigins decodes a packet of AskOrigins.Encode.
func DecodeAskOrigins(packet []byte) (a AskOrigins, err error) {
	c := open(packet, KindAskOrigins)
	a.Image, a.PID, a.Functions = Image(c.u32()), c.u32(), c.u8() == 1
	a.Addrs = c.words(nil)
	if len(a.Addrs) > MaxOrigins {
		c.bad = true
	}
	return a, c.end("question for places")
}

// Origin is code of a file, from Start to End in the process. Addr is Start in the file's own
// numbering.
//
// Code that a Java virtual machine made is Made. It has no file, and holds for as long as the
// machine leaves it there.
type Origin struct {
	Start, End, Addr uint64
	BuildID          string // as hexadecimal digits; "" where the file has none
	Module           string // the file's name without its directory
	Function         string // "" for a mapping of a file, and for made code of no method
	Made             bool
	Class, Signature string // class and signature of a made method
}

// named reports whether a place has the names that it can have: a file's code may have a function,
// and code that a JVM made has either all three names of a method or none.
func (o *Origin) named() bool {
	method := o.Class != "" && o.Function != "" && o.Signature != ""
	none := o.Class == "" && o.Signature == ""
	if !o.Made {
		return none
	}
	return o.BuildID == "" && o.Module == "" && (method || none && o.Function == "")
}

// Origins answers an AskOrigins. It leaves out addresses in no file, unless code was made there,
// and places for which there is no room.
type Origins struct {
	Image Image
	List  []Origin
}

// originBytes is the least size of a place in a packet.
const originBytes = 3*8 + 1 + 5*2

// Encode makes the packet.
func (o *Origins) Encode() []byte {
	le := binary.LittleEndian
	b := le.AppendUint32([]byte{byte(KindOrigins)}, uint32(o.Image))
	count := len(b)
	b = le.AppendUint16(b, 0)
	for i := range o.List[:min(len(o.List), MaxOrigins)] {
		x, before := &o.List[i], len(b)
		b = le.AppendUint64(le.AppendUint64(le.AppendUint64(b, x.Start), x.End), x.Addr)
		b = appendText(b, x.BuildID[:min(len(x.BuildID), 2*MaxBuildID)])
		b = appendText(b, x.Module[:min(len(x.Module), maxModule)])
		b = append(b, flag(x.Made, 1))
		for _, text := range []string{x.Function, x.Class, x.Signature} {
			b = appendText(b, text[:min(len(text), MaxName)])
		}
		if len(b) > MaxPacket {
			return b[:before]
		}
		le.PutUint16(b[count:], uint16(i+1))
	}
	return b
}

// DecodeOrigins decodes a packet of Origins.Encode.
func DecodeOrigins(packet []byte) (p Origins, err error) {
	c := open(packet, KindOrigins)
	p.Image = Image(c.u32())
	for range c.count(originBytes) {
		x := Origin{Start: c.u64(), End: c.u64(), Addr: c.u64(), BuildID: c.text(),
			Module: c.text(), Made: c.u8() == 1, Function: c.text(), Class: c.text(),
			Signature: c.text()}
		if x.End <= x.Start || x.Addr+(x.End-x.Start) < x.Addr || len(x.BuildID) > 2*MaxBuildID ||
			len(x.Module) > maxModule ||
			max(len(x.Function), len(x.Class), len(x.Signature)) > MaxName || !x.named() {
			c.bad = true
		}
		p.List = append(p.List, x)
	}
	if len(p.List) > MaxOrigins {
		c.bad = true
	}
	return p, c.end("places")
}
