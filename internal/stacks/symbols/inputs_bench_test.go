package symbols

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/stacks/unwind"
)

// measured runs f and returns the most memory in use, beyond that before.
func measured(f func()) (peak uint64) {
	debug.FreeOSMemory()
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	done, stopped := make(chan bool), make(chan bool)
	go func() {
		defer close(stopped)
		var m runtime.MemStats
		for {
			runtime.ReadMemStats(&m)
			if m.HeapInuse+m.StackInuse > before.HeapInuse+before.StackInuse {
				peak = max(peak, m.HeapInuse+m.StackInuse-before.HeapInuse-before.StackInuse)
			}
			select {
			case <-done:
				return
			case <-time.After(2 * time.Millisecond):
			}
		}
	}()
	f()
	done <- true
	<-stopped
	return peak
}

// part is a section of a file that is made by hand.
type part struct {
	name    string
	kind    elf.SectionType
	data    []byte
	address uint64
	link    uint32
}

// imageOf is an ELF file of sections, behind its own; one segment has all of it, at address 0.
func imageOf(parts ...part) []byte {
	names, body := "\x00.shstrtab\x00", []byte{}
	const header = 64 + 56
	sections := []elf.Section64{{}, {Name: 1, Type: uint32(elf.SHT_STRTAB)}}
	for _, p := range parts {
		sections = append(sections, elf.Section64{
			Name: uint32(len(names)), Type: uint32(p.kind), Addr: p.address, Off: uint64(header +
				len(body)), Size: uint64(len(p.data)), Link: p.link, Entsize: 24,
		})
		names += p.name + "\x00"
		body = append(body, p.data...)
	}
	sections[1].Off, sections[1].Size = uint64(header+len(body)), uint64(len(names))
	body = append(body, names...)
	h := elf.Header64{
		Ident: [elf.EI_NIDENT]byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB),
			byte(elf.EV_CURRENT)},
		Type: uint16(elf.ET_DYN), Machine: uint16(elf.EM_X86_64), Version: uint32(elf.EV_CURRENT),
		Ehsize: 64, Shentsize: 64,
		Phoff: 64, Phentsize: 56, Phnum: 1, Shoff: uint64(header +
			len(body)), Shnum: uint16(len(sections)), Shstrndx: 1,
	}
	load := elf.Prog64{Type: uint32(elf.PT_LOAD), Filesz: uint64(header + len(body)),
		Memsz: 1 << 40}
	var out bytes.Buffer
	for _, part := range []any{h, load, body, sections} {
		if err := binary.Write(&out, binary.LittleEndian, part); err != nil {
			panic(fmt.Sprint(err))
		}
	}
	return out.Bytes()
}

// smallFiles are files with a few of everything.
func smallFiles() map[string][]byte { return filesOf(8) }

// hostileFiles are files that become much.
func hostileFiles() map[string][]byte { return filesOf(1 << 20) }

// filesOf are files of so many functions.
func filesOf(n int) map[string][]byte {
	le := binary.LittleEndian
	out := map[string][]byte{}
	var table []byte
	for i := range n {
		table = le.AppendUint32(table, uint32(1+i%1000))
		table = append(table, byte(elf.STT_FUNC), 0, 1, 0)
		table = le.AppendUint64(le.AppendUint64(table, uint64(i+1)), uint64(i%5000))
	}
	out["symbol table, 1 M"] = imageOf(part{".symtab", elf.SHT_SYMTAB, table, 0, 3},
		part{".strtab", elf.SHT_STRTAB, append(bytes.Repeat([]byte("a"), 2000), 0), 0, 0})
	var entries []byte
	entries = append(entries, 12, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x02)
	entries[0] = byte(len(entries) - 4)
	for i := range n {
		entries = le.AppendUint32(entries, 9)
		entries = le.AppendUint32(entries, uint32(len(entries)))
		entries = append(le.AppendUint16(le.AppendUint16(entries, uint16(i)), 1), 0)
	}
	out["eh_frame, 1 M"] = imageOf(part{".eh_frame", elf.SHT_PROGBITS, entries, 0x10000, 0})
	var golang []byte
	golang = append(le.AppendUint32(golang, 0xfffffff1), 0, 0, 1, 8)
	functions := uint64(n)
	for _, field := range []uint64{functions, 0, 0, 72, 0, 0, 72, 128} {
		golang = le.AppendUint64(golang, field)
	}
	golang = append(golang, bytes.Repeat([]byte("a"), 128-len(golang))...)
	for i := range functions + 1 {
		golang = le.AppendUint32(le.AppendUint32(golang, uint32(i)), 8)
	}
	golang = append(golang, make([]byte, 64)...)
	out["gopclntab, 1 M"] = imageOf(part{".gopclntab", elf.SHT_PROGBITS, golang, 0, 0},
		part{".text", elf.SHT_PROGBITS, nil, 0, 0})
	return out
}

// headersOfNothing is a file whose section headers name parts of a long text; it is hardly anything
// on disk.
func headersOfNothing(t testing.TB, path string, sections int, text int64) {
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	h := elf.Header64{
		Ident: [elf.EI_NIDENT]byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB),
			byte(elf.EV_CURRENT)},
		Type: uint16(elf.ET_DYN), Machine: uint16(elf.EM_X86_64), Version: uint32(elf.EV_CURRENT),
		Ehsize: 64, Shentsize: 64,
		Shoff: 4096, Shnum: uint16(sections), Shstrndx: 1,
	}
	list := make([]elf.Section64, sections)
	list[1] = elf.Section64{Type: uint32(elf.SHT_STRTAB), Off: 1 << 24, Size: uint64(text)}
	var b bytes.Buffer
	for _, part := range []any{h, make([]byte, 4096-64), list} {
		if err := binary.Write(&b, binary.LittleEndian, part); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := f.Write(b.Bytes()); err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(1<<24 + text); err != nil {
		t.Fatal(err)
	}
}

// BenchmarkInputs reports the memory that inputs become at most, in KB and by byte of input: files
// of this machine, hostile ones, and texts.
func BenchmarkInputs(b *testing.B) {
	for _, path := range []string{
		"/usr/lib/jvm/java-17-openjdk-amd64/lib/server/libjvm.so",
		"/lib/x86_64-linux-gnu/libc.so.6", "/usr/lib/chromium/chromium",
		"/usr/lib/x86_64-linux-gnu/libLLVM-14.so.1", "/usr/lib/gcc/x86_64-linux-gnu/12/cc1plus",
	} {
		if info, err := os.Stat(path); err == nil {
			input(b, filepath.Base(path), info.Size(), func() { readAll(path) })
		}
	}
	dir := b.TempDir()
	for what, file := range hostileFiles() {
		path := filepath.Join(dir, "f")
		if err := os.WriteFile(path, file, 0o600); err != nil {
			b.Fatal(err)
		}
		input(b, what, int64(len(file)), func() { readAll(path) })
	}
	sparse := filepath.Join(dir, "sparse")
	headersOfNothing(b, sparse, 100, 1<<30)
	input(b, "section headers", 12<<10, func() { readAll(sparse) })
	perfMap := strings.Repeat("1 1 a\n2 1 b\n", 1<<19)
	input(b, "perf map, 1 M lines", int64(len(perfMap)), func() {
		_, _, _ = parsePerfMap(strings.NewReader(perfMap))
	})
	maps := manyMappings(60000)
	input(b, "60,000 mappings", int64(len(maps)), func() {
		list := parseMaps(strings.Clone(maps))
		runtime.GC() // what is left is the list
		runtime.KeepAlive(list)
	})
	var kernel strings.Builder
	for i := range 200000 {
		fmt.Fprintf(&kernel, "%x t function_number_%d\t[module]\n", 0xffffffff81000000+uint64(i)*64,
			i)
	}
	input(b, "kallsyms, 200,000", int64(kernel.Len()),
		func() { _, _ = parseKernel(strings.NewReader(kernel.String()), newBudget()) })
}

// input measures what f makes of an input of so many bytes.
func input(b *testing.B, what string, size int64, f func()) {
	b.Run(what, func(b *testing.B) {
		most := uint64(0)
		for b.Loop() {
			most = max(most, measured(f))
		}
		b.ReportMetric(float64(most)/1024, "KB")
		b.ReportMetric(float64(most)/float64(size), "B/B")
	})
}

// readAll reads everything of an ELF file that names and walks use.
func readAll(path string) {
	d, err := os.Open(path)
	if err != nil {
		return
	}
	f, err := openELF(d, path, nil)
	if err != nil {
		return // refused: that is the memory it takes
	}
	defer f.close()
	f.frames = unwind.Read(f.elf)
	if len(f.loads) > 0 {
		f.find(f.loads[0].Off + 1)
	}
}

// manyMappings is the maps file of a process with n mappings of long paths.
func manyMappings(n int) string {
	var maps strings.Builder
	long := strings.Repeat("x", 2000)
	for i := range n {
		fmt.Fprintf(&maps, "%x-%x r-xp 00000000 08:01 123 /%s%d\n", 2*i<<12, (2*i+1)<<12, long, i)
	}
	return maps.String()
}
