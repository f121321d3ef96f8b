package unwind

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"debug/elf"
	"encoding/gob"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

var (
	machineID = flag.Int("machine", 0, "a Java machine that runs testdata/Inlined.java: TestReal "+
		"writes what it reads of it to testdata/NAME.gz, and what it finds to testdata/NAME.txt")
	machineName = flag.String("name", "", "the NAME for -machine")
)

// captured is what was read of a real machine's memory: pages of which all else is zero.
type captured struct {
	Symbols map[string]uint64
	Pages   map[uint64][]byte
	Method  uint64 // where the code of Inlined.run begins
}

func (c *captured) ReadAt(b []byte, at int64) (n int, err error) {
	for n < len(b) {
		page, ok := c.Pages[(uint64(at)+uint64(n))&^(pageSize-1)]
		if !ok {
			return n, io.EOF
		}
		n += copy(b[n:], page[(uint64(at)+uint64(n))%pageSize:])
	}
	return n, nil
}

// capturing keeps what is read.
type capturing struct {
	from io.ReaderAt
	captured
}

func (c *capturing) ReadAt(b []byte, at int64) (int, error) {
	n, err := c.from.ReadAt(b, at)
	for i, v := range b[:n] {
		a := uint64(at) + uint64(i)
		page := c.Pages[a&^(pageSize-1)]
		if page == nil {
			page = make([]byte, pageSize)
			c.Pages[a&^(pageSize-1)] = page
		}
		page[a%pageSize] = v
	}
	return n, err
}

// listing has the methods at each place of a method's code, and in between.
func listing(t *testing.T, m *HotSpot, code uint64) string {
	m.Stack()
	b := m.find(code)
	if b.debug.id == 0 {
		t.Fatal("no debug information")
	}
	var out bytes.Buffer
	for n := range (b.debug.behind - b.debug.places) / m.layout.place {
		m.Stack()
		end, ok := m.integer(b.debug.places+n*m.layout.place+m.layout.placeCode.offset, 4)
		if !ok || end <= 0 || end > 1<<20 {
			continue
		}
		for _, at := range []uint64{uint64(end) - 1, uint64(end) + 1} {
			fmt.Fprintf(&out, "%d: %s\n", at, namesAt(m, b.begin+at))
		}
	}
	return out.String()
}

func openWith(t testing.TB, from io.ReaderAt, symbols map[string]uint64) *HotSpot {
	t.Helper()
	m, err := OpenHotSpot(from, func(name string) (uint64, bool) {
		at, ok := symbols[name]
		return at, ok
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestReal finds the methods that real machines inlined into Inlined.run, in what was read of their
// memory.
func TestReal(t *testing.T) {
	if *machineID != 0 {
		capture(t)
	}
	files, err := filepath.Glob("testdata/*.gz")
	if err != nil || len(files) == 0 {
		t.Fatal("nothing was read", err)
	}
	for _, path := range files {
		c := readCaptured(t, path)
		want, err := os.ReadFile(strings.TrimSuffix(path, ".gz") + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		got := listing(t, openWith(t, c, c.Symbols), c.Method)
		if got != string(want) {
			t.Errorf("%s: found\n%s\nand not\n%s", path, got, want)
		}
		if !strings.Contains(got, "mix heavy go run") || !strings.Contains(got, "light go run") {
			t.Errorf("%s lacks methods that were inlined:\n%s", path, got)
		}
	}
}

func readCaptured(t testing.TB, path string) *captured {
	t.Helper()
	raw, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	z, err := gzip.NewReader(raw)
	if err != nil {
		t.Fatal(err)
	}
	var c captured
	if err := gob.NewDecoder(z).Decode(&c); err != nil {
		t.Fatal(err)
	}
	return &c
}

// BenchmarkOpenHotSpot: to find in a machine's description of itself what is needed of it.
func BenchmarkOpenHotSpot(b *testing.B) {
	files, err := filepath.Glob("testdata/*.gz")
	if err != nil || len(files) == 0 {
		b.Fatal("nothing was read", err)
	}
	c := readCaptured(b, files[0])
	for b.Loop() {
		openWith(b, c, c.Symbols)
	}
}

// blobSkip leads from the beginning of a piece into it.
const blobSkip = 128

// capture reads a machine, and keeps that. The machine should have a small code cache
// (-XX:ReservedCodeCacheSize=8m), which is searched.
func capture(t *testing.T) {
	dir := filepath.Join("/proc", strconv.Itoa(*machineID))
	maps, err := os.Open(filepath.Join(dir, "maps"))
	if err != nil {
		t.Fatal(err)
	}
	defer maps.Close()
	c := capturing{captured: captured{Symbols: map[string]uint64{}, Pages: map[uint64][]byte{}}}
	for lines := bufio.NewScanner(maps); lines.Scan() && len(c.Symbols) == 0; {
		f := strings.Fields(lines.Text())
		if len(f) < 6 || !strings.HasSuffix(f[5], "/libjvm.so") {
			continue
		}
		start, _, _ := strings.Cut(f[0], "-")
		base, err := strconv.ParseUint(start, 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		e, err := elf.Open(f[5])
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		symbols, err := e.DynamicSymbols()
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range symbols {
			if strings.HasPrefix(s.Name, "gHotSpotVM") {
				c.Symbols[s.Name] = base + s.Value
			}
		}
	}
	memory, err := os.Open(filepath.Join(dir, "mem"))
	if err != nil {
		t.Fatal(err)
	}
	defer memory.Close()
	// Its newest and largest code is the one that the second compiler made.
	m := openWith(t, memory, c.Symbols)
	newest := uint32(0)
	for _, h := range m.heaps {
		for at := h.low; at < h.high; {
			m.reads = maxReads
			p, ok := m.piece(at)
			if !ok {
				at += 1 << h.shift
				continue
			}
			at = p.End
			b := m.find(p.Start + blobSkip)
			if b.debug.id > newest && m.codes[b.mark&(1<<32-1)].Name == "Inlined.run" &&
				strings.Contains(listing(t, m, b.begin), "mix heavy") {
				newest, c.Method = b.debug.id, b.begin
			}
		}
	}
	c.from = memory
	found := listing(t, openWith(t, &c, c.Symbols), c.Method)
	var packed bytes.Buffer
	z, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err := gob.NewEncoder(z).Encode(&c.captured); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	for suffix, b := range map[string][]byte{".gz": packed.Bytes(), ".txt": []byte(found)} {
		path := filepath.Join("testdata", *machineName+suffix)
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
