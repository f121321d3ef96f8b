package protocol

import "encoding/binary"

// MaxSymbols is the number of addresses that a packet asks a file of symbols for, at most.
const MaxSymbols = 128

// AskSymbols is a question for the names of functions by a file of symbols, which stands beside the
// first packet. Packets without a file are about the one before.
type AskSymbols struct {
	Seq     uint64
	BuildID string   // build id of the file that the symbols are of, as hexadecimal digits
	Addrs   []uint64 // addresses in that file's own numbering
}

// Encode makes the packet.
func (a *AskSymbols) Encode() []byte {
	b := binary.LittleEndian.AppendUint64([]byte{byte(KindAskSymbols)}, a.Seq)
	return appendWords(appendText(b, a.BuildID), a.Addrs)
}

// DecodeAskSymbols decodes a packet of AskSymbols.Encode.
func DecodeAskSymbols(packet []byte) (a AskSymbols, err error) {
	c := open(packet, KindAskSymbols)
	a.Seq, a.BuildID = c.u64(), c.text()
	a.Addrs = c.words(nil)
	if len(a.Addrs) > MaxSymbols || len(a.BuildID) > 2*MaxBuildID {
		c.bad = true
	}
	return a, c.end("question for symbols")
}

// Symbols answers an AskSymbols: a name for each address, "" where the file has none, or a reason
// why it has none at all.
type Symbols struct {
	Seq    uint64
	Reason string
	Names  []string
}

// Encode makes the packet.
func (s *Symbols) Encode() []byte {
	b := binary.LittleEndian.AppendUint64([]byte{byte(KindSymbols)}, s.Seq)
	b = appendText(b, s.Reason[:min(len(s.Reason), maxReason)])
	list := s.Names[:min(len(s.Names), MaxSymbols)]
	b = binary.LittleEndian.AppendUint16(b, uint16(len(list)))
	for _, n := range list {
		b = appendText(b, n[:min(len(n), MaxName)])
	}
	return b
}

// DecodeSymbols decodes a packet of Symbols.Encode.
func DecodeSymbols(packet []byte) (s Symbols, err error) {
	c := open(packet, KindSymbols)
	s.Seq, s.Reason = c.u64(), c.text()
	for range c.count(2) {
		n := c.text()
		if len(n) > MaxName {
			c.bad = true
		}
		s.Names = append(s.Names, n)
	}
	if len(s.Names) > MaxSymbols {
		c.bad = true
	}
	return s, c.end("symbols")
}
