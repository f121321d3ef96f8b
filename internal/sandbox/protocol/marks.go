package protocol

import (
	"encoding/binary"

	"github.com/ebb-energy/ebb/internal/instrumented"
	"github.com/ebb-energy/ebb/units"
)

// MaxMarks bounds the number of marks in a packet.
const MaxMarks = 512

// NewMarks holds marks of a program, the number of lines that were none, and whether there are
// more.
type NewMarks struct {
	Bad  uint64
	More bool
	List []instrumented.Mark
}

// markBytes is the least size of a mark in a packet.
const markBytes = 1 + 8 + 2

// Encode makes the packet.
func (m *NewMarks) Encode() []byte {
	le := binary.LittleEndian
	b := append(le.AppendUint64([]byte{byte(KindMarked)}, m.Bad), flag(m.More, 1))
	list := m.List[:min(len(m.List), MaxMarks)]
	b = le.AppendUint16(b, uint16(len(list)))
	for i := range list {
		x := &list[i]
		b = le.AppendUint64(append(b, flag(x.End, 1)), uint64(x.At))
		b = appendText(b, x.Name)
	}
	return b
}

// DecodeNewMarks decodes a packet of NewMarks.Encode. Its names are those that regions can have.
func DecodeNewMarks(packet []byte) (m NewMarks, err error) {
	c := open(packet, KindMarked)
	m.Bad, m.More = c.u64(), c.u8() == 1
	for range c.count(markBytes) {
		x := instrumented.Mark{End: c.u8() == 1, At: units.Instant(c.u64()), Name: c.text()}
		if x.At < 0 || instrumented.CheckRegion(x.Name) != nil {
			c.bad = true
		}
		m.List = append(m.List, x)
	}
	if len(m.List) > MaxMarks {
		c.bad = true
	}
	return m, c.end("marks")
}
