package protocol

import "encoding/binary"

// AskPlaces is a question about code of an image, which is a process.
type AskPlaces struct {
	Image Image
	PID   uint32
	// Functions asks for the function at each of the addresses; else all files that are mapped are
	// asked for, after the mappings were read again if they lack an address.
	Functions bool
	Addrs     []uint64
}

// MaxPlaces is the number of places in a packet, and of addresses that a packet asks about.
const MaxPlaces = 96

// Encode makes the packet.
func (a *AskPlaces) Encode() []byte {
	le := binary.LittleEndian
	b := le.AppendUint32([]byte{byte(KindAskPlaces)}, uint32(a.Image))
	b = append(le.AppendUint32(b, a.PID), flag(a.Functions, 1))
	return appendWords(b, a.Addrs)
}

// DecodeAskPlaces decodes a packet of AskPlaces.Encode.
func DecodeAskPlaces(packet []byte) (a AskPlaces, err error) {
	c := open(packet, KindAskPlaces)
	a.Image, a.PID, a.Functions = Image(c.u32()), c.u32(), c.u8() == 1
	a.Addrs = c.words(nil)
	if len(a.Addrs) > MaxPlaces {
		c.bad = true
	}
	return a, c.end("question for places")
}

// Place is code of a file, from Start to End in the process. Addr is Start in the file's own
// numbering.
type Place struct {
	Start, End, Addr uint64
	BuildID          string // as hexadecimal digits; "" where the file has none
	Module           string // the file's name without its directory
	Function         string // "" for a mapping of a file
}

// Places answers an AskPlaces. It has no place for code of no file, and as many as it has room for.
type Places struct {
	Image Image
	List  []Place
}

// placeBytes is the least size of a place in a packet.
const placeBytes = 3*8 + 3*2

// Encode makes the packet.
func (p *Places) Encode() []byte {
	le := binary.LittleEndian
	b := le.AppendUint32([]byte{byte(KindPlaces)}, uint32(p.Image))
	list := p.List[:min(len(p.List), MaxPlaces)]
	b = le.AppendUint16(b, uint16(len(list)))
	for i := range list {
		x := &list[i]
		b = le.AppendUint64(le.AppendUint64(le.AppendUint64(b, x.Start), x.End), x.Addr)
		b = appendText(b, x.BuildID[:min(len(x.BuildID), 2*MaxBuildID)])
		b = appendText(b, x.Module[:min(len(x.Module), MaxModule)])
		b = appendText(b, x.Function[:min(len(x.Function), MaxName)])
	}
	return b
}

// DecodePlaces decodes a packet of Places.Encode.
func DecodePlaces(packet []byte) (p Places, err error) {
	c := open(packet, KindPlaces)
	p.Image = Image(c.u32())
	for range c.count(placeBytes) {
		x := Place{Start: c.u64(), End: c.u64(), Addr: c.u64(), BuildID: c.text(),
			Module: c.text(), Function: c.text()}
		if x.End <= x.Start || x.Addr+(x.End-x.Start) < x.Addr || len(x.BuildID) > 2*MaxBuildID ||
			len(x.Module) > MaxModule || len(x.Function) > MaxName {
			c.bad = true
		}
		p.List = append(p.List, x)
	}
	if len(p.List) > MaxPlaces {
		c.bad = true
	}
	return p, c.end("places")
}
