package protocol

import "encoding/binary"

// Event is an event that a file reports: where it begins and ends, as offsets in the file.
type Event struct {
	Name         string
	Begins, Ends []uint64
}

// FileEvents holds the events of a file. Where they could not be found it has a reason.
type FileEvents struct {
	Seq    uint64
	Reason string
	Events []Event
}

// leastEvent is the least size of an event, in bytes: three lengths.
const leastEvent = 6

// Encode encodes the events. Events that a packet has no room for give way to a reason.
func (f *FileEvents) Encode() []byte {
	b := binary.LittleEndian.AppendUint64([]byte{byte(KindFileEvents)}, f.Seq)
	head := len(b)
	b = binary.LittleEndian.AppendUint16(appendText(b, f.Reason), uint16(len(f.Events)))
	for _, e := range f.Events {
		b = appendWords(appendWords(appendText(b, e.Name), e.Begins), e.Ends)
	}
	if len(b) <= MaxPacket {
		return b
	}
	return append(appendText(b[:head], "more events than a packet has room for"), 0, 0)
}

// DecodeFileEvents decodes a packet of FileEvents.
func DecodeFileEvents(packet []byte) (p FileEvents, err error) {
	c := open(packet, KindFileEvents)
	p.Seq, p.Reason = c.u64(), c.text()
	for range c.count(leastEvent) {
		p.Events = append(p.Events, Event{c.text(), c.words(nil), c.words(nil)})
	}
	return p, c.end("places")
}
