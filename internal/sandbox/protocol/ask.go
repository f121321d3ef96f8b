package protocol

import "encoding/binary"

// Ask encodes a question about one image (KindUnbind, KindAttach, KindMapsJVM, KindRuntimes,
// KindCommand, KindSwitches), or about none (KindNameless, KindProbes, KindEvents, KindRings,
// KindMarks).
func Ask(kind Kind, seq uint64, image Image) []byte {
	b := binary.LittleEndian.AppendUint64([]byte{byte(kind)}, seq)
	return binary.LittleEndian.AppendUint32(b, uint32(image))
}

// DecodeAsk decodes a packet of Ask.
func DecodeAsk(packet []byte, kind Kind) (seq uint64, image Image, err error) {
	c := open(packet, kind)
	seq, image = c.u64(), Image(c.u32())
	return seq, image, c.end("question")
}

// PerfMaps encodes the order to read the perf maps of images.
func PerfMaps(seq uint64, images []Image) []byte {
	b := binary.LittleEndian.AppendUint64([]byte{byte(KindPerfMaps)}, seq)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(images)))
	for _, n := range images {
		b = binary.LittleEndian.AppendUint32(b, uint32(n))
	}
	return b
}

// DecodePerfMaps decodes a packet of PerfMaps.
func DecodePerfMaps(packet []byte) (seq uint64, images []Image, err error) {
	c := open(packet, KindPerfMaps)
	seq = c.u64()
	for range c.count(4) {
		images = append(images, Image(c.u32()))
	}
	return seq, images, c.end("perf maps")
}

// Text encodes a text that was asked for, or the reason why there is none.
func Text(seq uint64, text, reason string) []byte {
	b := binary.LittleEndian.AppendUint64([]byte{byte(KindText)}, seq)
	return appendText(appendText(b, text), reason)
}

// DecodeText decodes a packet of Text.
func DecodeText(packet []byte) (seq uint64, text, reason string, err error) {
	c := open(packet, KindText)
	seq, text, reason = c.u64(), c.text(), c.text()
	return seq, text, reason, c.end("text")
}

// Problem encodes a sentence for the report.
func Problem(text string) []byte { return appendText([]byte{byte(KindProblem)}, text) }

// DecodeProblem decodes a packet of Problem.
func DecodeProblem(packet []byte) (text string, err error) {
	c := open(packet, KindProblem)
	text = c.text()
	return text, c.end("problem")
}

// Range is a range of addresses at which a file is mapped.
type Range struct{ Start, End uint64 }

// Ranges encodes where libraries are mapped, and whether these are all.
func Ranges(seq uint64, list []Range, all bool) []byte {
	b := binary.LittleEndian.AppendUint64([]byte{byte(KindRanges)}, seq)
	flag := byte(0)
	if all {
		flag = 1
	}
	b = binary.LittleEndian.AppendUint16(append(b, flag), uint16(len(list)))
	for _, r := range list {
		b = binary.LittleEndian.AppendUint64(b, r.Start)
		b = binary.LittleEndian.AppendUint64(b, r.End)
	}
	return b
}

// DecodeRanges decodes a packet of Ranges.
func DecodeRanges(packet []byte) (seq uint64, list []Range, all bool, err error) {
	c := open(packet, KindRanges)
	seq, all = c.u64(), c.u8() == 1
	for range c.count(16) {
		list = append(list, Range{c.u64(), c.u64()})
	}
	return seq, list, all, c.end("ranges")
}

// Offsets encodes where a file's probes at the begin and end of collections are, as offsets in the
// file, or the reason why that could not be found out.
func Offsets(seq uint64, begins, ends []uint64, reason string) []byte {
	b := binary.LittleEndian.AppendUint64([]byte{byte(KindOffsets)}, seq)
	return appendWords(appendWords(appendText(b, reason), begins), ends)
}

// DecodeOffsets decodes a packet of Offsets.
func DecodeOffsets(packet []byte) (seq uint64, begins, ends []uint64, reason string, err error) {
	c := open(packet, KindOffsets)
	seq, reason = c.u64(), c.text()
	begins, ends = c.words(nil), c.words(nil)
	return seq, begins, ends, reason, c.end("offsets")
}
