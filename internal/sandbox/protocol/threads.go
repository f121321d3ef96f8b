package protocol

import "encoding/binary"

// Thread is a thread of a virtual machine, as the machine knows it.
type Thread struct {
	ID   uint32 // the kernel's id, in the PID namespace of the machine
	Name string
}

// Threads encodes threads of an image, as many as fit into a packet, and returns their number.
func Threads(image Image, list []Thread) (packet []byte, n int) {
	b := binary.LittleEndian.AppendUint32([]byte{byte(KindThreads)}, uint32(image))
	at := len(b)
	b = append(b, 0, 0)
	for n < len(list) && len(b)+6+min(len(list[n].Name), maxText) <= MaxPacket && n < 1<<15 {
		b = appendText(binary.LittleEndian.AppendUint32(b, list[n].ID), list[n].Name)
		n++
	}
	binary.LittleEndian.PutUint16(b[at:], uint16(n))
	return b, n
}

// DecodeThreads decodes a packet of Threads.
func DecodeThreads(packet []byte) (image Image, list []Thread, err error) {
	c := open(packet, KindThreads)
	image = Image(c.u32())
	for range c.count(6) {
		list = append(list, Thread{ID: c.u32(), Name: c.text()})
	}
	return image, list, c.end("threads")
}
