package hostile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/calls"
	"github.com/ebb-energy/ebb/internal/instrumented"
)

// shared is the memory in which an instrumented program counts, and its descriptor.
func shared() (memory []byte, fd int) {
	var inode uint64
	var pid int
	_, err := fmt.Sscanf(os.Getenv(calls.SharedVariable), "%d:%d:%d", &fd, &inode, &pid)
	check(err)
	memory, err = unix.Mmap(fd, 0, instrumented.MemorySize, unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_SHARED)
	check(err)
	return memory, fd
}

// cut tries everything that would take the memory from its reader.
func cut(fd int) {
	const sealWrite = 0x8
	for _, size := range []int64{0, 4096, instrumented.SegmentsAt + 1, 1 << 40} {
		if unix.Ftruncate(fd, size) == nil {
			check(fmt.Errorf("the memory was cut to %d bytes", size))
		}
	}
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, sealWrite); err == nil {
		check(fmt.Errorf("the memory was sealed"))
	}
	// Holes may be made: they read as zeros.
	_ = unix.Fallocate(fd, unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, 0,
		instrumented.MemorySize)
}

// scribble SECONDS writes anything everywhere: claims, periods, numbers of records, records.
func scribble(args []string) {
	memory, fd := shared()
	r := numbers()
	words := unsafe.Slice((*uint64)(unsafe.Pointer(&memory[0])), len(memory)/8)
	for end, round := time.Now().Add(seconds(args[0])), 0; time.Now().Before(end); round++ {
		if round%64 == 63 {
			cut(fd)
		}
		for range 100_000 {
			words[r.IntN(len(words))] = scrambled(r)
		}
		for n := range instrumented.Segments {
			words[instrumented.ClaimsAt/8+n] = scrambled(r)
			words[(instrumented.SegmentsAt+n*instrumented.SegmentSize)/8+1] = scrambled(r)
		}
	}
}

// scrambled is a number that is likely to be at a bound of something.
func scrambled(r *rand.Rand) uint64 {
	switch r.IntN(4) {
	case 0:
		return r.Uint64()
	case 1:
		return ^uint64(r.IntN(3))
	case 2:
		return uint64(r.IntN(1<<14)) | uint64(r.IntN(3))<<32
	}
	return 1 << r.IntN(64)
}

// forgeRings FILE SECONDS SEGMENTS writes what a library would write, in so many segments at once:
// in each place a function of its own in FILE's code, and records of them as fast as it can. Some
// are other processes'.
func forgeRings(args []string) {
	memory, _ := shared()
	segments, err := strconv.Atoi(args[2])
	check(err)
	code := mapAt(args[0], 0, loaded, unix.PROT_READ|unix.PROT_EXEC, unix.MAP_PRIVATE)
	le := binary.LittleEndian
	begin := monotonic()
	for n := range segments {
		pid := uint32(os.Getpid())
		if n%8 == 7 {
			pid = []uint32{1, uint32(os.Getppid()), 0, 1 << 31}[n/8%4]
		}
		le.PutUint32(memory[instrumented.ClaimsAt+8*n:], 1)
		le.PutUint32(memory[instrumented.ClaimsAt+8*n+4:], pid)
		at := instrumented.SegmentsAt + n*instrumented.SegmentSize
		segment := memory[at:][:instrumented.SegmentSize]
		le.PutUint64(segment, begin)
		for k := range instrumented.Entries {
			e := segment[instrumented.EntriesAt+k*instrumented.EntrySize:]
			le.PutUint64(e, uint64(code)+codeAt+uint64(n*instrumented.Entries+k)*7%(loaded-codeAt))
			le.PutUint64(e[8:], uint64(k+1))
		}
	}
	tid := uint32(unix.Gettid())
	for end, at := time.Now().Add(seconds(args[1])), uint64(0); time.Now().Before(end); at++ {
		for n := range segments {
			segment := memory[instrumented.SegmentsAt+n*instrumented.SegmentSize:]
			place := int(at % instrumented.Ring)
			record := segment[instrumented.RecordsAt+place*instrumented.RecordSize:]
			now := monotonic()
			function := uint64(code) + codeAt + (at*instrumented.Segments+uint64(n))%(loaded-codeAt)
			for i, v := range []uint64{at + 1, function, at + 1, 1 << 50, begin, now, now - begin} {
				le.PutUint64(record[8*i:], v)
			}
			le.PutUint32(record[56:], tid)
			le.PutUint64(segment[8:], at+1)
		}
	}
}

func monotonic() uint64 {
	var t unix.Timespec
	check(unix.ClockGettime(unix.CLOCK_MONOTONIC, &t))
	return uint64(t.Nano())
}

// counted has ebb run a hostile program and count its calls.
func (b *bed) counted(t *testing.T, argv []string) *running {
	t.Helper()
	return b.sampled(t, argv, "--functions=period=10ms")
}

// attackScribbled: the program writes anything into the memory that it shares with ebb, and tries
// to take it away.
func attackScribbled(t *testing.T) {
	b := lay(t)
	r := b.counted(t, attacker("scribble", "1.5"))
	r.governs()
	r.finish(25 * time.Second)
	b.shown(t, r)
	b.shownFunctions(t)
}

// attackForged: millions of functions, with names that a terminal would obey, and more records than
// any reader takes, some as of other processes.
func attackForged(t *testing.T) {
	b := lay(t)
	path := b.crafted("evil.so")
	craft(t, path, manyFunctions(escape)...)
	r := b.counted(t, attacker("rings", path, "2", strconv.Itoa(instrumented.Segments)))
	r.governs()
	r.finish(30 * time.Second)
	b.shown(t, r)
	b.shownFunctions(t)
}

// manyFunctions is a symbol table of a function for each byte of the code.
func manyFunctions(name string) []section {
	text, table := []byte{0}, make([]byte, 24)
	for at := uint64(codeAt); at < loaded; at++ {
		table = appendSymbol(table, uint32(len(text)), 2, at, 1)
		text = fmt.Appendf(text, "%s%d\x00", name, at)
	}
	return []section{{name: ".symtab", kind: 2, data: table, link: 3},
		{name: ".strtab", kind: 3, data: text}}
}

// attackHooked: a file whose code is nothing but calls of the compiler's hook, with 120 MB of code
// behind, and with 200 GB.
func attackHooked(t *testing.T) {
	const hook = "__cyg_profile_func_enter"
	for _, size := range []uint64{loaded, 120 << 20, 200 << 30} {
		b := lay(t)
		path := b.crafted("evil.so")
		code := bytes.Clone(stub)
		for at := codeAt + len(stub); at+5 <= loaded; at = codeAt + len(code) {
			code = binary.LittleEndian.AppendUint32(append(code, 0xe8), uint32(codeAt-at-5))
		}
		symbols := manyFunctions(escape)
		symbols[1].data = append(symbols[1].data, hook+"\x00"...)
		symbols[0].data = appendSymbol(symbols[0].data,
			uint32(len(symbols[1].data)-len(hook)-1), 2, codeAt, 1)
		craftCode(t, path, code, symbols...)
		if size > loaded {
			f, err := os.OpenFile(path, os.O_RDWR, 0)
			must(t, err)
			must(t, f.Truncate(int64(size)))
			const fileSize = 64 + 32 // of the first segment, in the file
			_, err = f.WriteAt(binary.LittleEndian.AppendUint64(nil, size), fileSize)
			must(t, err)
			must(t, f.Close())
		}
		r := b.counted(t, attacker("rings", path, "0.5", "1"))
		r.finish(30 * time.Second)
		b.shown(t, r)
		b.shownFunctions(t)
	}
}

// shownFunctions checks what ebb prints of calls, in each format.
func (b *bed) shownFunctions(t *testing.T) {
	t.Helper()
	for _, format := range []string{"text", "csv", "json", "html"} {
		out, err := exec.Command(ebbPath(), "report", filepath.Join(b.own, "r.json"), "--by",
			"function", "--format", format).CombinedOutput()
		if err != nil || len(out) < 100 {
			t.Errorf("report as %s: %v, %d bytes: %.200s", format, err, len(out), out)
		}
		clean(t, "report as "+format, string(out))
	}
}
