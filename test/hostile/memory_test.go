package hostile

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// sampled has ebb run a hostile program and name its methods.
func (b *bed) sampled(t *testing.T, argv []string, flags ...string) *running {
	t.Helper()
	args := append(b.nobodys(append([]string{"--methods", "--report",
		filepath.Join(b.own, "r.json")}, flags...)...), "--")
	return b.start(t, append(args, argv...)...)
}

// runsFile has a hostile program execute a crafted file for two seconds.
func (b *bed) runsFile(t *testing.T, stack string, sections ...section) *running {
	t.Helper()
	path := b.crafted("evil.so")
	craft(t, path, sections...)
	return b.sampled(t, attacker("within", path, "2", stack))
}

// attackSymbol168: one mangled symbol of 168 bytes that names itself twice, again and again.
func attackSymbol168(t *testing.T) {
	b := lay(t)
	name := doubling(168)
	b.runsFile(t, "none", symbolTable(2, name)...).finish(20 * time.Second)
}

// doubling is a mangled name whose every part is a pair of the part before.
func doubling(size int) string {
	// A lambda in a lambda in ..., each of which takes two of the one before: parameters of lambdas
	// are always written out.
	s, sub := "_ZNUlvE_", "S_"
	for i := 0; len(s) < size-8; i++ {
		s += "Ul" + sub + sub + "E_"
		sub = "S" + strings.ToUpper(strconv.FormatInt(int64(i), 36)) + "_"
	}
	return s + "1fEv"
}

// attackSymbolNested: one mangled symbol of 2 MB, a conversion to a pointer to a pointer to ...
func attackSymbolNested(t *testing.T) {
	b := lay(t)
	b.runsFile(t, "none", symbolTable(2,
		"_ZN1Acv"+strings.Repeat("P", 2<<20)+"iEv")...).finish(20 * time.Second)
}

// attackSymbolExpression: the nesting is of template arguments.
func attackSymbolExpression(t *testing.T) {
	b := lay(t)
	b.runsFile(t, "none", symbolTable(2,
		"_ZN1AcvDT"+strings.Repeat("ng", 1<<20)+"Li1EEEv")...).finish(20 * time.Second)
}

// attackSymbolRust: a Rust symbol whose references back double what it becomes.
func attackSymbolRust(t *testing.T) {
	b := lay(t)
	s, ref := "_RNvMC1aT", "i"
	for len(s) < 240 {
		at := len(s) - 2 // references count behind _R
		s += "T" + ref + ref + "E"
		ref = "B" + base62(at) + "_"
	}
	b.runsFile(t, "none", symbolTable(2, s+"E1f")...).finish(20 * time.Second)
}

func base62(n int) string {
	const digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	if n == 0 {
		return ""
	}
	n--
	out := ""
	for {
		out = string(digits[n%62]) + out
		if n /= 62; n == 0 {
			return out
		}
	}
}

// attackSymbolTable: 60 MB of symbols of one letter.
func attackSymbolTable(t *testing.T) {
	b := lay(t)
	one := appendSymbol(nil, 1, elf.STT_FUNC, codeAt, 16)
	b.runsFile(t, "none", section{name: ".symtab", kind: elf.SHT_SYMTAB,
		data: bytes.Repeat(one, 60<<20/len(one)), link: 3},
		section{name: ".strtab", kind: elf.SHT_STRTAB,
			data: []byte("\x00a\x00")}).finish(25 * time.Second)
}

// attackCounted: 60 MB of symbols of one name that takes long to read, and of the name that is
// asked for, in the middle of instructions.
func attackCounted(t *testing.T) {
	b := lay(t)
	path := b.crafted("evil")
	name := doubling(168)
	table := make([]byte, elf.Sym64Size)
	for i := uint64(0); len(table) < 60<<20; i++ {
		at := 1 + uint32(i%2)*uint32(len(name)+1)
		table = appendSymbol(table, at, elf.STT_FUNC, codeAt+i%64, 16)
	}
	craft(t, path, section{name: ".symtab", kind: elf.SHT_SYMTAB, data: table, link: 3},
		section{name: ".strtab", kind: elf.SHT_STRTAB, data: []byte("\x00" + name + "\x00f\x00")})
	args := append(b.nobodys(), "--count", path+":f,"+path+":a::f", "--count-stepped", "--")
	b.start(t, append(args, "sleep", "1")...).finish(25 * time.Second)
}

// entries are call frame information for as many functions as fit, one behind the other.
func entries(size int) []byte {
	b := commonEntry(nil)
	for i := uint32(0); len(b) < size; i++ {
		b = frameEntry(b, codeAt+i*4, 4, nil)
	}
	return b
}

// commonEntry is one whose pointers are four bytes, absolute: the stack pointer is 8 below what
// called.
func commonEntry(program []byte) []byte {
	body := append([]byte{0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x03, 0x0c, 7, 8, 0x90, 1},
		program...)
	return record(nil, body)
}

func frameEntry(b []byte, start, size uint32, program []byte) []byte {
	// back to the common entry, which is the first
	body := binary.LittleEndian.AppendUint32(nil, uint32(len(b)+4))
	body = binary.LittleEndian.AppendUint32(body, start)
	body = binary.LittleEndian.AppendUint32(body, size)
	return record(b, append(append(body, 0), program...))
}

func record(b, body []byte) []byte {
	for len(body)%4 != 0 {
		body = append(body, 0)
	}
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(body))), body...)
}

// attackEhFrame: 60 MB of call frame information without an index.
func attackEhFrame(t *testing.T) {
	b := lay(t)
	b.runsFile(t, "none", section{name: ".eh_frame", kind: elf.SHT_PROGBITS, addr: 0x10_0000,
		data: entries(60 << 20)}).finish(25 * time.Second)
}

// attackGoTable: a Go program's table of 24 MB, in which all functions are one.
func attackGoTable(t *testing.T) {
	b := lay(t)
	const functions = 3 << 20
	le := binary.LittleEndian
	data := []byte{0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8}
	const head = 8 + 8*8
	table := uint64(functions*8 + 4)
	names := head + table + 64
	for _, v := range []uint64{functions, 1, codeAt, names, names, names, names, head} {
		data = le.AppendUint64(data, v)
	}
	about := uint32(functions*8 + 8)
	for i := range uint32(functions) {
		data = le.AppendUint32(data, i)
		data = le.AppendUint32(data, about)
	}
	data = le.AppendUint32(data, functions)
	data = append(data, make([]byte, 64+64)...)
	copy(data[names:], "f\x00")
	b.runsFile(t, "none", section{name: ".gopclntab", kind: elf.SHT_PROGBITS,
		data: data}).finish(25 * time.Second)
}

// attackSectionHeaders: a file of 12 KB on the disk that says it has four million sections.
func attackSectionHeaders(t *testing.T) {
	b := lay(t)
	path := b.crafted("evil.so")
	craft(t, path)
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	must(t, err)
	defer f.Close()
	const sections, at = 4 << 20, 1 << 20
	var head [64]byte
	_, err = f.ReadAt(head[:], 0)
	must(t, err)
	le := binary.LittleEndian
	le.PutUint64(head[40:], at)
	le.PutUint16(head[60:], 0) // the number is in the first section's size
	le.PutUint16(head[62:], 1)
	_, err = f.WriteAt(head[:], 0)
	must(t, err)
	first, second := make([]byte, 64), make([]byte, 64)
	le.PutUint64(first[32:], sections)
	le.PutUint32(second[4:], uint32(elf.SHT_STRTAB))
	le.PutUint64(second[24:], 0x8000)
	le.PutUint64(second[32:], 16)
	_, err = f.WriteAt(append(first, second...), at)
	must(t, err)
	must(t, f.Truncate(at+64*sections))
	b.sampled(t, attacker("within", path, "2", "none")).finish(25 * time.Second)
}

// perfMap MIB SECONDS writes a perf map of its own with lines as short as can be.
func perfMap(args []string) {
	n, err := strconv.Atoi(args[0])
	check(err)
	path := fmt.Sprintf("/tmp/perf-%d.map", os.Getpid())
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	check(err)
	block := bytes.Repeat([]byte("1 1 a\n"), 1<<20/6)
	for range n {
		_, err = f.Write(block)
		check(err)
	}
	check(os.WriteFile(args[2], []byte(path), 0o644))
	code := anonymous(0, 4096)
	base, _ := fakeStack()
	for end := time.Now().Add(seconds(args[1])); time.Now().Before(end); {
		call(code, base, 0, perLook)
	}
}

// attackPerfMap: 100 MB of perf map, of six bytes a line.
func attackPerfMap(t *testing.T) {
	b := lay(t)
	where := b.crafted("where")
	t.Cleanup(func() {
		if path, err := os.ReadFile(where); err == nil &&
			strings.HasPrefix(string(path), "/tmp/perf-") {
			os.Remove(string(path))
		}
	})
	b.sampled(t, attacker("perfmap", "100", "1.5", where)).finish(30 * time.Second)
}

// mappings FILE N SECONDS maps a file so often, each time apart, and executes it.
func mappings(args []string) {
	n, err := strconv.Atoi(args[1])
	check(err)
	code := uintptr(0)
	for range n {
		code = mapAt(args[0], 0, 4096, unix.PROT_READ|unix.PROT_EXEC, unix.MAP_PRIVATE)
	}
	_ = code
	run := mapAt(args[0], 0, loaded, unix.PROT_READ|unix.PROT_EXEC, unix.MAP_PRIVATE)
	base, _ := fakeStack()
	for end := time.Now().Add(seconds(args[2])); time.Now().Before(end); {
		call(run+codeAt, base, 0, perLook)
	}
}

// attackMappings: 60,000 mappings of a file with a path of 4000 bytes.
func attackMappings(t *testing.T) {
	b := lay(t)
	path := b.dir
	for len(path) < 3800 {
		path = filepath.Join(path, strings.Repeat("d", min(250, 3900-len(path))))
	}
	must(t, os.MkdirAll(path, 0o755))
	path = filepath.Join(path, "evil.so")
	craft(t, path)
	b.sampled(t, attacker("mappings", path, "60000", "2.5")).finish(25 * time.Second)
}

// attackStacks: deep stacks of which no two are the same, ten thousand times a second, from four
// threads.
func attackStacks(t *testing.T) {
	b := lay(t)
	b.sampled(t, attacker("family", "2", "stacks", "6"), "--rate", "10000").finish(35 * time.Second)
}

// attackUnwindPrograms: programs of the greatest length for each of 512 frames.
func attackUnwindPrograms(t *testing.T) {
	b := lay(t)
	const length = 60 << 10
	table := commonEntry(bytes.Repeat([]byte{0x16, 0, 1, 0x96}, length/4)[:length/4*4])
	table = frameEntry(table, codeAt, loaded-codeAt, bytes.Repeat([]byte{0x0a, 0x0b}, length/2))
	table = append(table, 0, 0, 0, 0)
	b.runsFile(t, "returns", section{name: ".eh_frame", kind: elf.SHT_PROGBITS, addr: 0x10_0000,
		data: table}).finish(20 * time.Second)
}

// chain N SECONDS executes code that is always in a mapping that was not there before, beside many
// others.
func chain(args []string) {
	n, err := strconv.Atoi(args[0])
	check(err)
	page, err := mmap(0, uintptr(2*n)*4096, unix.PROT_NONE, unix.MAP_ANON|unix.MAP_PRIVATE, -1)
	check(err)
	for i := range n {
		_, _, errno := unix.Syscall(unix.SYS_MPROTECT, page+uintptr(2*i)*4096, 4096,
			unix.PROT_READ|unix.PROT_EXEC)
		if errno != 0 {
			check(errno)
		}
	}
	base, words := fakeStack()
	for end := time.Now().Add(seconds(args[1])); time.Now().Before(end); {
		code := anonymous(0, 4096)
		returns(words, func() uint64 { return uint64(code) + 64 })
		call(code, base, 0, perLook/4) // and left there: the next one is at another address
	}
}

// attackChain: each sample is in a mapping that is new, and there are 30,000 others.
func attackChain(t *testing.T) {
	b := lay(t)
	b.sampled(t, attacker("chain", "30000", "3"), "--rate", "1000").finish(25 * time.Second)
}

// attackSegments: a Java machine's map of segments, to be followed 4096 times for each of 512
// frames.
func attackSegments(t *testing.T) {
	b := lay(t)
	lib := b.crafted("libjvm.so")
	forge(t, lib)
	b.sampled(t, attacker("segments", lib, "3")).finish(25 * time.Second)
}
