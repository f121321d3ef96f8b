package hostile

import (
	"debug/elf"
	"encoding/binary"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Where a forged Java machine has its libjvm.so, its code cache and the cache's map of segments.
const (
	jvmBase     = 0x4800_0000_0000
	cacheBase   = 0x4800_4000_0000
	cacheSize   = 64 << 20
	segmentBase = 0x4800_8000_0000
	shift       = 7
)

// forgery is a libjvm.so that describes a code cache as HotSpot's does for debuggers
// (runtime/vmStructs.cpp). The description lies in the page of the file at dataAt and behind.
type forgery struct {
	data    []byte
	symbols []byte
	names   []byte
}

func (f *forgery) word(v uint64) (addr uint64) {
	addr = jvmBase + dataAt + uint64(len(f.data))
	f.data = binary.LittleEndian.AppendUint64(f.data, v)
	return addr
}

func (f *forgery) text(s string) (addr uint64) {
	addr = jvmBase + dataAt + uint64(len(f.data))
	f.data = append(append(f.data, s...), 0)
	for len(f.data)%8 != 0 {
		f.data = append(f.data, 0)
	}
	return addr
}

// export makes a variable with this value.
func (f *forgery) export(name string, value uint64) {
	addr := f.word(value) - jvmBase
	f.symbols = appendSymbol(f.symbols, uint32(len(f.names)), elf.STT_OBJECT, addr, 8)
	f.names = append(append(f.names, name...), 0)
}

func forge(t *testing.T, path string) {
	t.Helper()
	f := &forgery{symbols: make([]byte, elf.Sym64Size), names: []byte{0}}
	// VirtualSpace::_low, _high_boundary, segments' _low, log2 of a segment's size
	heap := f.word(cacheBase)
	f.word(cacheBase + cacheSize)
	f.word(segmentBase)
	f.word(shift)
	heaps := f.word(heap)
	array := f.word(1) // GrowableArray
	f.word(heaps)
	static := f.word(array)
	type entry struct {
		kind, name, of string
		static         uint64
		offset, at     uint64
	}
	entries := []entry{
		{"CodeCache", "_heaps", "GrowableArray<CodeHeap*>*", 1, 0, static},
		{"GrowableArrayBase", "_len", "int", 0, 0, 0},
		{"GrowableArray<int>", "_data", "int*", 0, 8, 0},
		{"CodeHeap", "_memory", "VirtualSpace", 0, 0, 0},
		{"CodeHeap", "_segmap", "VirtualSpace", 0, 16, 0},
		{"CodeHeap", "_log2_segment_size", "int", 0, 24, 0},
		{"VirtualSpace", "_low", "char*", 0, 0, 0},
		{"VirtualSpace", "_high_boundary", "char*", 0, 8, 0},
		{"CodeBlob", "_name", "char*", 0, 0, 0}, {"CodeBlob", "_size", "int", 0, 8, 0},
		{"CodeBlob", "_code_begin", "address", 0, 16, 0},
		{"CodeBlob", "_frame_size", "int", 0, 24, 0},
		{"CodeBlob", "_frame_complete_offset", "int", 0, 28, 0},
	}
	var table []uint64
	for _, e := range entries {
		table = append(table, f.text(e.kind), f.text(e.name), f.text(e.of), e.static, e.offset,
			e.at)
	}
	structs := jvmBase + dataAt + uint64(len(f.data))
	for _, w := range append(table, 0, 0, 0, 0, 0, 0) {
		f.word(w)
	}
	block := f.text("HeapBlock")
	types := f.word(block)
	f.word(16)
	f.word(0)
	f.word(0)
	f.export("gHotSpotVMStructs", structs)
	f.export("gHotSpotVMTypes", types)
	for name, v := range map[string]uint64{
		"StructEntryArrayStride": 48, "StructEntryTypeNameOffset": 0,
		"StructEntryFieldNameOffset": 8, "StructEntryTypeStringOffset": 16,
		"StructEntryIsStaticOffset": 24, "StructEntryOffsetOffset": 32,
		"StructEntryAddressOffset": 40,
		"TypeEntryArrayStride":     16, "TypeEntryTypeNameOffset": 0, "TypeEntrySizeOffset": 8,
	} {
		f.export("gHotSpotVM"+name, v)
	}
	craft(t, path, section{name: ".data", kind: elf.SHT_PROGBITS, addr: dataAt, data: f.data},
		section{name: ".dynsym", kind: elf.SHT_DYNSYM, data: f.symbols, link: 4},
		section{name: ".dynstr", kind: elf.SHT_STRTAB, data: f.names})
}

// segments LIB SECONDS is a forged Java machine whose map of segments leads back one segment at a
// time, and whose stacks are deep and never the same.
func segments(args []string) {
	mapAt(args[0], jvmBase, loaded, unix.PROT_READ|unix.PROT_EXEC, unix.MAP_PRIVATE)
	p, err := mmap(segmentBase, cacheSize>>shift, unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_ANON|unix.MAP_PRIVATE, -1)
	check(err)
	back := unsafe.Slice((*byte)(pointer(p)), cacheSize>>shift)
	for i := range back {
		back[i] = 1
	}
	anonymous(cacheBase, cacheSize)
	base, words := fakeStack()
	r := numbers()
	for end := time.Now().Add(seconds(args[1])); time.Now().Before(end); {
		chained(base, words, func() uint64 {
			return cacheBase + cacheSize/2 +
				r.Uint64N(cacheSize/2-64)
		})
		call(cacheBase, base, base, perLook/4)
	}
}

// forger LIB SECONDS READY is a forged Java machine that does nothing but be one.
func forger(args []string) {
	code := mapAt(args[0], jvmBase, loaded, unix.PROT_READ|unix.PROT_EXEC, unix.MAP_PRIVATE)
	base, words := fakeStack()
	returns(words, func() uint64 { return uint64(code) + codeAt + 64 })
	ready(args[2])
	for end := time.Now().Add(seconds(args[1])); time.Now().Before(end); {
		call(code+codeAt, base, 0, perLook)
	}
}

// silent LIB SECONDS looks like a Java machine that can be attached to, works for so long and never
// answers.
func silent(args []string) {
	mapAt(args[0], 0, 4096, unix.PROT_READ|unix.PROT_EXEC, unix.MAP_PRIVATE)
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGQUIT)
	burn(seconds(args[1]))
	time.Sleep(maxLife)
}

// asked LIB SECONDS MARK is silent, and makes a file MARK.ID when SIGQUIT asks it to answer.
func asked(args []string) {
	quit := make(chan os.Signal, 1)
	signal.Notify(quit, syscall.SIGQUIT)
	mark := args[2] + "." + strconv.Itoa(os.Getpid())
	go func() {
		for range quit {
			check(os.WriteFile(mark, nil, 0o644))
		}
	}()
	silent(args[:2])
}

// flipSocket LIB SECONDS SOCKET is one whose attach socket is its own and a link to another's in
// turn.
func flipSocket(args []string) {
	mapAt(args[0], 0, 4096, unix.PROT_READ|unix.PROT_EXEC, unix.MAP_PRIVATE)
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGQUIT)
	name := "/tmp/.java_pid" + strconv.Itoa(os.Getpid())
	own, link := filepath.Join(filepath.Dir(args[0]), "own"+strconv.Itoa(os.Getpid())), name+"l"
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	check(err)
	check(unix.Bind(fd, &unix.SockaddrUnix{Name: own}))
	check(unix.Listen(fd, 100)) // and never accept
	defer os.Remove(name)
	go func() {
		for {
			_ = os.Remove(link)
			_ = os.Link(own, link)
			_ = os.Rename(link, name)
			_ = os.Symlink(args[2], link)
			_ = os.Rename(link, name)
		}
	}()
	burn(seconds(args[1]))
	time.Sleep(10 * time.Second)
}
