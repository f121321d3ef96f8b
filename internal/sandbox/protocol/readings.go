package protocol

import (
	"encoding/binary"
	"math"
)

// MaxReadings bounds the readings of a packet.
const MaxReadings = 3800

// AskReadings asks for readings of a meter's log, from a time to a time (s), leaving out the first
// Skip of them. The first question comes with the file.
type AskReadings struct {
	Seq      uint64
	From, To float64
	Skip     uint32
}

// Encode encodes the question.
func (q *AskReadings) Encode() []byte {
	b := binary.LittleEndian.AppendUint64([]byte{byte(KindAskReadings)}, q.Seq)
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(q.From))
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(q.To))
	return binary.LittleEndian.AppendUint32(b, q.Skip)
}

// DecodeAskReadings decodes a packet of AskReadings.
func DecodeAskReadings(packet []byte) (q AskReadings, err error) {
	c := open(packet, KindAskReadings)
	q = AskReadings{Seq: c.u64(), From: math.Float64frombits(c.u64()),
		To: math.Float64frombits(c.u64()), Skip: c.u32()}
	return q, c.end("question about a log")
}

// Reading is a time (s since 1970) and a power (W) of a log. Nothing is promised of them.
type Reading struct{ At, Power float64 }

// Readings holds a part of the readings that were asked for.
type Readings struct {
	Seq    uint64
	Total  uint32  // number of readings from From to To
	Last   float64 // time of the log's last reading
	Few    bool    // the log has fewer than two readings
	Reason string  // why there are no readings
	List   []Reading
}

// Encode encodes the answer.
func (r *Readings) Encode() []byte {
	b := binary.LittleEndian.AppendUint64([]byte{byte(KindReadings)}, r.Seq)
	b = binary.LittleEndian.AppendUint32(b, r.Total)
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(r.Last))
	few := byte(0)
	if r.Few {
		few = 1
	}
	b = appendText(append(b, few), r.Reason)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(r.List)))
	for _, x := range r.List {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x.At))
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x.Power))
	}
	return b
}

// DecodeReadings decodes a packet of Readings.
func DecodeReadings(packet []byte) (r Readings, err error) {
	c := open(packet, KindReadings)
	r.Seq, r.Total, r.Last = c.u64(), c.u32(), math.Float64frombits(c.u64())
	r.Few, r.Reason = c.u8() == 1, c.text()
	for range c.count(16) {
		r.List = append(r.List, Reading{math.Float64frombits(c.u64()),
			math.Float64frombits(c.u64())})
	}
	return r, c.end("readings")
}
