package protocol

import "encoding/binary"

// Address is the address of an instruction in an image. It is never a mark: those the governor
// knows itself.
type Address struct {
	Image Image
	Addr  uint64
}

// MaxAddresses is the number of addresses that one packet asks for, at most.
const MaxAddresses = 64

// Names encodes a question for the names of at most MaxAddresses addresses.
func Names(seq uint64, list []Address) []byte {
	b := binary.LittleEndian.AppendUint64([]byte{byte(KindNames)}, seq)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(list)))
	for _, a := range list {
		b = binary.LittleEndian.AppendUint32(b, uint32(a.Image))
		b = binary.LittleEndian.AppendUint64(b, a.Addr)
	}
	return b
}

// DecodeNames decodes a packet of Names.
func DecodeNames(packet []byte) (seq uint64, list []Address, err error) {
	c := open(packet, KindNames)
	seq = c.u64()
	for range c.count(12) {
		list = append(list, Address{Image(c.u32()), c.u64()})
	}
	return seq, list, c.end("names")
}

// Frame is a function's name. Kind is a symbols.Kind by its name, such as "native".
type Frame struct {
	Name, Module, Kind string
	// BuildID, Near and Addr belong to a function without a name: its file's build id in
	// hexadecimal digits, what lies beside it, and its address in the file's own numbering.
	BuildID, Near string
	Addr          uint64
}

// Bounds of names, in bytes. With them a packet has room for the names of MaxAddresses addresses.
const (
	MaxName   = 384
	maxModule = 96
	maxKind   = 16
	maxNear   = 256

	MaxFrame = MaxName + maxModule + maxKind + 2*MaxBuildID + maxNear + 5*2 + 8 // with lengths
)

// leastFrame is the least size of a frame in a packet, in bytes: five lengths and an address.
const leastFrame = 5*2 + 8

// Frames encodes the names that a question asked for, in its order.
func Frames(seq uint64, list []Frame) []byte {
	return appendFrames(binary.LittleEndian.AppendUint64([]byte{byte(KindFrames)}, seq), list)
}

func appendFrames(b []byte, list []Frame) []byte {
	b = binary.LittleEndian.AppendUint16(b, uint16(len(list)))
	for _, f := range list {
		b = appendText(b, f.Kind)
		b = appendText(b, f.Name[:min(len(f.Name), MaxName)])
		b = appendText(b, f.Module[:min(len(f.Module), maxModule)])
		b = appendText(b, f.BuildID[:min(len(f.BuildID), 2*MaxBuildID)])
		b = appendText(b, f.Near[:min(len(f.Near), maxNear)])
		b = binary.LittleEndian.AppendUint64(b, f.Addr)
	}
	return b
}

// DecodeFrames decodes a packet of Frames.
func DecodeFrames(packet []byte) (seq uint64, list []Frame, err error) {
	c := open(packet, KindFrames)
	seq, list = c.u64(), c.frames()
	return seq, list, c.end("frames")
}

func (c *cursor) frames() (list []Frame) {
	for range c.count(leastFrame) {
		x := Frame{Kind: c.text(), Name: c.text(), Module: c.text(), BuildID: c.text(),
			Near: c.text(), Addr: c.u64()}
		if len(x.Kind) > maxKind || len(x.Name) > MaxName || len(x.Module) > maxModule ||
			len(x.BuildID) > 2*MaxBuildID || len(x.Near) > maxNear {
			c.bad = true
		}
		list = append(list, x)
	}
	return list
}

// Marked is the bit that marks have, which stand in stacks for code that a virtual machine made. No
// address of a program's code has it. The rest of a mark is the code's number in its image.
const Marked = 1 << 63

// Code is the code for which a mark stands: a method, or other code that a virtual machine made.
type Code struct {
	Name        string
	Interpreted bool
}

// Codes encodes what an image's marks stand for, from mark number first on. It takes as many as fit
// into a packet, and returns their number.
func Codes(image Image, first uint32, list []Code) (packet []byte, n int) {
	b := binary.LittleEndian.AppendUint32([]byte{byte(KindCodes)}, uint32(image))
	b = binary.LittleEndian.AppendUint32(b, first)
	at := len(b)
	b = append(b, 0, 0)
	for n < len(list) && len(b)+3+min(len(list[n].Name), maxText) <= MaxPacket && n < 1<<15 {
		flag := byte(0)
		if list[n].Interpreted {
			flag = 1
		}
		b = appendText(append(b, flag), list[n].Name)
		n++
	}
	binary.LittleEndian.PutUint16(b[at:], uint16(n))
	return b, n
}

// DecodeCodes decodes a packet of Codes.
func DecodeCodes(packet []byte) (image Image, first uint32, list []Code, err error) {
	c := open(packet, KindCodes)
	image, first = Image(c.u32()), c.u32()
	for range c.count(3) {
		list = append(list, Code{Interpreted: c.u8() == 1, Name: c.text()})
	}
	return image, first, list, c.end("codes")
}

// File is a file that lacks a name for some of the functions that were asked for.
type File struct {
	Module, Path, BuildID, DebugFile string
	// The distribution of the root that its process has, by its os-release file.
	Distribution, Like, Codename string
}

// texts returns all texts of a file, in their order in a packet.
func (f *File) texts() []*string {
	return []*string{&f.Module, &f.Path, &f.BuildID, &f.DebugFile, &f.Distribution, &f.Like,
		&f.Codename}
}

// Clean replaces every text of the file by what clean makes of it.
func (f *File) Clean(clean func(string) string) {
	for _, s := range f.texts() {
		*s = clean(*s)
	}
}

// Files encodes such files, as many as fit into a packet.
func Files(seq uint64, list []File) []byte {
	b := binary.LittleEndian.AppendUint64([]byte{byte(KindFiles)}, seq)
	at := len(b)
	b = append(b, 0, 0)
	n := 0
	for _, f := range list {
		row := b
		for _, s := range f.texts() {
			row = appendText(row, *s)
		}
		if len(row) > MaxPacket {
			break
		}
		b = row
		n++
	}
	binary.LittleEndian.PutUint16(b[at:], uint16(n))
	return b
}

// DecodeFiles decodes a packet of Files.
func DecodeFiles(packet []byte) (seq uint64, list []File, err error) {
	c := open(packet, KindFiles)
	seq = c.u64()
	for range c.count(2 * len(new(File).texts())) {
		var f File
		for _, s := range f.texts() {
			*s = c.text()
		}
		list = append(list, f)
	}
	return seq, list, c.end("files")
}
