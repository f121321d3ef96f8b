package protocol

import "encoding/binary"

// Event is an event that a file reports: where it begins and ends, as offsets in the file.
type Event struct {
	Name         string
	Begins, Ends []uint64
}

// Places holds the events of a file. Where they could not be found it has a reason.
type Places struct {
	Seq    uint64
	Reason string
	Events []Event
}

// leastEvent is the least size of an event, in bytes: three lengths.
const leastEvent = 6

// Encode encodes the places. Events that a packet has no room for give way to a reason.
func (p *Places) Encode() []byte {
	b := binary.LittleEndian.AppendUint64([]byte{byte(KindPlaces)}, p.Seq)
	head := len(b)
	b = binary.LittleEndian.AppendUint16(appendText(b, p.Reason), uint16(len(p.Events)))
	for _, e := range p.Events {
		b = appendWords(appendWords(appendText(b, e.Name), e.Begins), e.Ends)
	}
	if len(b) <= MaxPacket {
		return b
	}
	return append(appendText(b[:head], "more events than a packet has room for"), 0, 0)
}

// DecodePlaces decodes a packet of Places.
func DecodePlaces(packet []byte) (p Places, err error) {
	c := open(packet, KindPlaces)
	p.Seq, p.Reason = c.u64(), c.text()
	for range c.count(leastEvent) {
		p.Events = append(p.Events, Event{c.text(), c.words(nil), c.words(nil)})
	}
	return p, c.end("places")
}
