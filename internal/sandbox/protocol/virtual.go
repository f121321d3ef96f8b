package protocol

import "encoding/binary"

// Carrier says where a thread of a virtual machine has the number of the virtual thread that it
// carries (stacks.Carrier).
type Carrier struct{ Block, At, Field, Own uint64 }

// MaxCarriers bounds the carriers of an image.
const MaxCarriers = 1024

// Carriers encodes all carriers of an image, at most MaxCarriers.
func Carriers(image Image, list []Carrier) []byte {
	b := binary.LittleEndian.AppendUint32([]byte{byte(KindCarriers)}, uint32(image))
	list = list[:min(len(list), MaxCarriers)]
	b = binary.LittleEndian.AppendUint16(b, uint16(len(list)))
	for _, c := range list {
		for _, v := range [...]uint64{c.Block, c.At, c.Field, c.Own} {
			b = binary.LittleEndian.AppendUint64(b, v)
		}
	}
	return b
}

// DecodeCarriers decodes a packet of Carriers.
func DecodeCarriers(packet []byte) (image Image, list []Carrier, err error) {
	c := open(packet, KindCarriers)
	image = Image(c.u32())
	n := c.count(4 * 8)
	c.bad = c.bad || n > MaxCarriers
	for range n {
		list = append(list, Carrier{c.u64(), c.u64(), c.u64(), c.u64()})
	}
	return image, list, c.end("carriers")
}

// Virtual is a virtual thread with a name.
type Virtual struct {
	ID   uint64
	Name string
}

// VirtualThreads encodes virtual threads of an image, as many as fit into a packet, and returns
// their number.
func VirtualThreads(image Image, list []Virtual) (packet []byte, n int) {
	b := binary.LittleEndian.AppendUint32([]byte{byte(KindVirtual)}, uint32(image))
	at := len(b)
	b = append(b, 0, 0)
	for n < len(list) && len(b)+10+min(len(list[n].Name), maxText) <= MaxPacket {
		b = appendText(binary.LittleEndian.AppendUint64(b, list[n].ID), list[n].Name)
		n++
	}
	binary.LittleEndian.PutUint16(b[at:], uint16(n))
	return b, n
}

// DecodeVirtualThreads decodes a packet of VirtualThreads.
func DecodeVirtualThreads(packet []byte) (image Image, list []Virtual, err error) {
	c := open(packet, KindVirtual)
	image = Image(c.u32())
	for range c.count(10) {
		list = append(list, Virtual{ID: c.u64(), Name: c.text()})
	}
	return image, list, c.end("virtual threads")
}
