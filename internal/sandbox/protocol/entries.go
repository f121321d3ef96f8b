package protocol

import "encoding/binary"

// Bounds of a question for functions by their names, and of its answer.
const (
	maxEntryNames = 64
	MaxEntries    = 32 // places of one name
	MaxStepped    = 4  // bytes of an instruction
	maxReason     = 256
)

// AskEntries encodes a question where functions begin in a file.
func AskEntries(seq uint64, names []string) []byte {
	b := binary.LittleEndian.AppendUint64([]byte{byte(KindAskEntries)}, seq)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(names)))
	for _, n := range names {
		b = appendText(b, n[:min(len(n), MaxName)])
	}
	return b
}

// DecodeAskEntries decodes a packet of AskEntries.
func DecodeAskEntries(packet []byte) (seq uint64, names []string, err error) {
	c := open(packet, KindAskEntries)
	seq = c.u64()
	for range c.count(2) {
		names = append(names, c.text())
	}
	if len(names) > maxEntryNames {
		c.bad = true
	}
	return seq, names, c.end("question for functions")
}

// Entry says where breakpoints go at the functions of a name, as offsets in the file. Shown is the
// name that samples have for the first of them. Stepped holds the first bytes of the first function
// at which the kernel stops a thread twice; it is empty where the kernel does so at no function.
// Without offsets there is a reason.
type Entry struct {
	Offsets []uint64
	Shown   string
	Stepped string
	Reason  string
}

// Entries answers an AskEntries: an entry for each name, or a reason why the file has none at all.
type Entries struct {
	Seq    uint64
	Reason string
	List   []Entry
}

// leastEntry is the least size of an entry, in bytes: four lengths.
const leastEntry = 8

// Encode makes the packet.
func (e *Entries) Encode() []byte {
	b := binary.LittleEndian.AppendUint64([]byte{byte(KindEntries)}, e.Seq)
	b = appendText(b, e.Reason[:min(len(e.Reason), maxReason)])
	list := e.List[:min(len(e.List), maxEntryNames)]
	b = binary.LittleEndian.AppendUint16(b, uint16(len(list)))
	for i := range list {
		x := &list[i]
		b = appendWords(b, x.Offsets[:min(len(x.Offsets), MaxEntries)])
		b = appendText(b, x.Shown[:min(len(x.Shown), MaxName)])
		b = appendText(b, x.Stepped[:min(len(x.Stepped), MaxStepped)])
		b = appendText(b, x.Reason[:min(len(x.Reason), maxReason)])
	}
	return b
}

// DecodeEntries decodes a packet of Entries.Encode.
func DecodeEntries(packet []byte) (p Entries, err error) {
	c := open(packet, KindEntries)
	p.Seq, p.Reason = c.u64(), c.text()
	for range c.count(leastEntry) {
		x := Entry{c.words(nil), c.text(), c.text(), c.text()}
		if len(x.Offsets) > MaxEntries || len(x.Shown) > MaxName || len(x.Stepped) > MaxStepped {
			c.bad = true
		}
		p.List = append(p.List, x)
	}
	if len(p.List) > maxEntryNames {
		c.bad = true
	}
	return p, c.end("functions")
}
