package protocol

import (
	"encoding/binary"
	"fmt"
)

// cursor reads a packet. After the first number or text that is not there, it reads zeros and empty
// texts.
type cursor struct {
	b   []byte
	bad bool
}

// open returns a cursor behind a packet's kind. A packet of another kind is bad.
func open(packet []byte, kind Kind) cursor {
	if len(packet) == 0 || Kind(packet[0]) != kind || len(packet) > MaxPacket {
		return cursor{bad: true}
	}
	return cursor{b: packet[1:]}
}

func (c *cursor) bytes(n int) []byte {
	if c.bad || n < 0 || n > len(c.b) {
		c.bad = true
		return nil
	}
	out := c.b[:n:n]
	c.b = c.b[n:]
	return out
}

func (c *cursor) u8() uint8 {
	if b := c.bytes(1); b != nil {
		return b[0]
	}
	return 0
}

func (c *cursor) u16() uint16 {
	if b := c.bytes(2); b != nil {
		return binary.LittleEndian.Uint16(b)
	}
	return 0
}

func (c *cursor) u32() uint32 {
	if b := c.bytes(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (c *cursor) u64() uint64 {
	if b := c.bytes(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// text reads a text behind its length.
func (c *cursor) text() string { return string(c.bytes(int(c.u16()))) }

// words reads 64-bit numbers behind their count.
func (c *cursor) words(into []uint64) []uint64 {
	n := int(c.u16())
	b := c.bytes(8 * n)
	if b == nil {
		return into
	}
	for i := range n {
		into = append(into, binary.LittleEndian.Uint64(b[8*i:]))
	}
	return into
}

// count reads how many items follow, each of which takes at least size bytes.
func (c *cursor) count(size int) int {
	n := int(c.u16())
	if n*size > len(c.b) {
		c.bad = true
		return 0
	}
	return n
}

// end returns the error of a packet that lacks something, or has something behind its end.
func (c *cursor) end(what string) error {
	if c.bad || len(c.b) > 0 {
		return fmt.Errorf("%w: %s", ErrMalformed, what)
	}
	return nil
}

// maxText bounds a text, in bytes. Longer ones are cut where they are written.
const maxText = 4096

func appendText(b []byte, s string) []byte {
	s = s[:min(len(s), maxText)]
	return append(binary.LittleEndian.AppendUint16(b, uint16(len(s))), s...)
}

func appendWords(b []byte, words []uint64) []byte {
	b = binary.LittleEndian.AppendUint16(b, uint16(len(words)))
	for _, w := range words {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return b
}
