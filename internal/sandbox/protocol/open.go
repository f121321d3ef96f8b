package protocol

import "encoding/binary"

// A What is the kind of file that the opener is to open.
type What uint8

// The things that the opener opens. All but KernelSymbols belong to an image's process.
const (
	Maps        What = iota + 1 // its mappings (/proc/PID/maps)
	Memory                      // its memory (/proc/PID/mem)
	CommandLine                 // /proc/PID/cmdline
	Mapped                      // the regular file that is mapped at Start to End
	Debug                       // the file with the symbols of the file that is mapped there
	PerfMap                     // /tmp/perf-PID.map
	Attached                    // a connection to a Java machine's attach socket
	// Runtime is the file that is mapped at Start to End, if no reading of it can stall
	Runtime
	Status        // /proc/PID/status
	KernelSymbols // /proc/kallsyms
	Auxiliary     // /proc/PID/auxv
	Program       // the process's program, of which nothing can be read, if a path leads to it
	Release       // the os-release file of its root
)

// Open asks for something to be opened. It names no path: a process and a range of its addresses
// say which file, and for its symbols also a build id and a file name without directories. Program
// has a path, and is a question whether that leads to a file which is known without it.
type Open struct {
	ID         uint64
	What       What
	Image      Image
	Start, End uint64 // for Mapped, Runtime, Debug
	BuildID    []byte // for Debug
	Link       string // for Debug: the name in .gnu_debuglink; for Program: the path
	Nth        uint8  // for Debug: which of the files that exist
}

// Bounds of what Open carries, in bytes.
const (
	MaxBuildID = 64
	MaxLink    = 255
)

// Encode makes the packet.
func (o *Open) Encode() []byte {
	le := binary.LittleEndian
	b := le.AppendUint64([]byte{byte(KindOpen)}, o.ID)
	b = append(b, byte(o.What), o.Nth)
	b = le.AppendUint32(b, uint32(o.Image))
	b = le.AppendUint64(b, o.Start)
	b = le.AppendUint64(b, o.End)
	b = appendText(b, string(o.BuildID))
	return appendText(b, o.Link)
}

// DecodeOpen decodes a packet of Open.Encode.
func DecodeOpen(packet []byte) (o Open, err error) {
	c := open(packet, KindOpen)
	o.ID, o.What, o.Nth, o.Image = c.u64(), What(c.u8()), c.u8(), Image(c.u32())
	o.Start, o.End = c.u64(), c.u64()
	o.BuildID, o.Link = []byte(c.text()), c.text()
	if o.What < Maps || o.What > Release || len(o.BuildID) > MaxBuildID ||
		len(o.Link) > MaxLink && o.What != Program || len(o.Link) > maxText {
		c.bad = true
	}
	return o, c.end("open")
}

// Opened answers an Open. A descriptor stands beside it unless Reason says why there is none.
type Opened struct {
	ID     uint64
	Reason string
	Absent bool // there is no such thing
}

// Encode makes the packet.
func (o *Opened) Encode() []byte {
	b := binary.LittleEndian.AppendUint64([]byte{byte(KindOpened)}, o.ID)
	flag := byte(0)
	if o.Absent {
		flag = 1
	}
	return appendText(append(b, flag), o.Reason)
}

// DecodeOpened decodes a packet of Opened.Encode.
func DecodeOpened(packet []byte) (o Opened, err error) {
	c := open(packet, KindOpened)
	o.ID, o.Absent, o.Reason = c.u64(), c.u8() == 1, c.text()
	return o, c.end("opened")
}

// Bind encodes that an image is a process.
func Bind(image Image, pid uint32) []byte {
	b := binary.LittleEndian.AppendUint32([]byte{byte(KindBind)}, uint32(image))
	return binary.LittleEndian.AppendUint32(b, pid)
}

// DecodeBind decodes a packet of Bind.
func DecodeBind(packet []byte) (image Image, pid uint32, err error) {
	c := open(packet, KindBind)
	image, pid = Image(c.u32()), c.u32()
	return image, pid, c.end("bind")
}

// Forget encodes that an image is not wanted any more.
func Forget(image Image) []byte {
	return binary.LittleEndian.AppendUint32([]byte{byte(KindForget)}, uint32(image))
}

// DecodeForget decodes a packet of Forget.
func DecodeForget(packet []byte) (image Image, err error) {
	c := open(packet, KindForget)
	image = Image(c.u32())
	return image, c.end("forget")
}
