package symbols

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// byteOrder writes numbers in one of the two orders.
type byteOrder interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

// dumped is a jitdump that a test writes.
type dumped struct {
	order byteOrder
	b     []byte
}

// newDump begins a jitdump of a process.
func newDump(order byteOrder, pid uint32, flags uint64) *dumped {
	d := &dumped{order: order}
	for _, n := range []uint32{0x4A695444, 1, dumpHeader, 62, 0, pid} {
		d.b = order.AppendUint32(d.b, n)
	}
	d.b = order.AppendUint64(d.b, 1)
	d.b = order.AppendUint64(d.b, flags)
	return d
}

func (d *dumped) record(kind uint32, at uint64, body []byte) {
	d.b = d.order.AppendUint32(d.b, kind)
	d.b = d.order.AppendUint32(d.b, uint32(recordHeader+len(body)))
	d.b = append(d.order.AppendUint64(d.b, at), body...)
}

func (d *dumped) load(at uint64, pid uint32, start, size uint64, name string) {
	b := d.order.AppendUint32(nil, pid)
	b = d.order.AppendUint32(b, pid)
	for _, n := range []uint64{start, start, size, 1} {
		b = d.order.AppendUint64(b, n)
	}
	b = append(append(b, name...), 0)
	d.record(codeLoad, at, append(b, make([]byte, min(size, 64))...))
}

func (d *dumped) move(at uint64, pid uint32, from, to, size uint64) {
	b := d.order.AppendUint32(nil, pid)
	b = d.order.AppendUint32(b, pid)
	for _, n := range []uint64{to, from, to, size, 1} {
		b = d.order.AppendUint64(b, n)
	}
	d.record(codeMove, at, b)
}

func parseBytes(b []byte) (dumpRecords, error) {
	return parseJitdump(bytes.NewReader(b), newBudget())
}

// TestJitdump: what lay at an address is what was made there last before the time asked for, in
// both byte orders.
func TestJitdump(t *testing.T) {
	for _, order := range []byteOrder{binary.LittleEndian, binary.BigEndian} {
		d := newDump(order, 7, 0)
		d.record(4, 90, make([]byte, 24)) // how to unwind
		d.load(100, 7, 0x1000, 0x100, "first")
		d.record(2, 110, make([]byte, 40)) // lines
		d.load(200, 7, 0x1000, 0x80, "second")
		d.load(150, 7, 0x3000, 0x10, "JS:*late in the file")
		d.move(300, 7, 0x3000, 0x4000, 0x10)
		d.load(400, 7, 0x3000, 0x10, "third")
		d.move(410, 7, 0x9000, 0x9100, 0x10) // of what nobody made
		d.load(500, 8, 0x1000, 0x80, "the child's")
		d.record(codeClose, 600, nil)
		records, err := parseBytes(d.b)
		if err != nil || records.skipped != 0 {
			t.Fatal(err, records.skipped)
		}
		c := records.arrange()
		for _, q := range []struct {
			addr, at uint64
			pid      uint32
			want     string
		}{
			{0x1000, 150, 7, "first"},
			{0x10ff, 150, 7, "first"},
			{0x1100, 150, 7, ""},
			{0xfff, 150, 7, ""},
			{0x1010, 99, 7, "first"}, // dated a little later than it began to run
			{0x1010, 250, 7, "second"},
			{0x1010, 200, 7, "second"},
			{0x3008, 299, 7, "JS:*late in the file"},
			{0x4008, 350, 7, "JS:*late in the file"},
			{0x3008, 450, 7, "third"},
			{0x9100, 450, 7, ""},
			{0x1010, 550, 7, "second"},
			{0x1010, 550, 8, "the child's"},
			{0x3008, 550, 8, "third"}, // it had it when it was forked
			{0x1010, 600, 7, ""},      // closed
			{0x1010, 650, 8, "the child's"},
			{0x1010, 550, 9, "second"}, // forked as well
			{0x1010, 550, 0, "the child's"},
			{0x3008, 0, 7, ""},      // no time is known
			{0x10ff, 0, 7, "first"}, // no other lay there
		} {
			if got, _ := c.find(q.addr, q.at, q.pid); got != q.want {
				t.Errorf("%v: at %#x, time %d, process %d: %q, want %q",
					order, q.addr, q.at, q.pid, got, q.want)
			}
		}
	}
}

// TestJitdumpCut: a dump that is being written has its whole records, wherever it ends.
func TestJitdumpCut(t *testing.T) {
	d := newDump(binary.LittleEndian, 7, 0)
	ends := []int{}
	for i := range 20 {
		d.load(uint64(i), 7, uint64(i+1)<<12, 32, fmt.Sprint("f", i))
		ends = append(ends, len(d.b))
	}
	for cut := range d.b {
		records, err := parseBytes(d.b[:cut])
		if (err != nil) != (cut < dumpHeader) {
			t.Fatal(cut, err)
		}
		whole := 0
		for _, end := range ends {
			if end <= cut {
				whole++
			}
		}
		if len(records.changes) != whole {
			t.Fatalf("%d bytes have %d records, and %d were read", cut, whole, len(records.changes))
		}
	}
	if _, err := parseBytes(nil); err != errUnwritten {
		t.Error(err)
	}
}

// TestJitdumpLies: what makes no sense is left out, and the error says why the rest is.
func TestJitdumpLies(t *testing.T) {
	with := func(change func(d *dumped)) []byte {
		d := newDump(binary.LittleEndian, 7, 0)
		d.load(1, 7, 0x1000, 16, "good")
		change(d)
		return d.b
	}
	set := func(at int, n uint32) []byte {
		return with(func(d *dumped) { binary.LittleEndian.PutUint32(d.b[at:], n) })
	}
	for name, c := range map[string]struct {
		b             []byte
		good, skipped int
		err           string
	}{
		"version":      {set(4, 2), 0, 0, "it is of version 2, and ebb reads version 1"},
		"header":       {set(8, 1<<31), 0, 0, "its header claims 2147483648 bytes"},
		"small header": {set(8, 39), 0, 0, "its header claims 39 bytes"},
		"no header":    {with(func(d *dumped) { d.b[0] = 'X' }), 0, 0, "does not begin"},
		"huge record":  {set(dumpHeader+4, 1<<32-1), 0, 0, ""},
		"small record": {set(dumpHeader+4, 15), 0, 0, "its record at byte 40 claims 15 bytes"},
		"no time":      {set(dumpHeader+4, 0), 0, 0, "its record at byte 40 claims 0 bytes"},
		"other kind":   {set(dumpHeader, 77), 0, 0, ""},
		"huge code": {with(func(d *dumped) {
			d.load(2, 7, 0x2000, 1<<40, "huge")
			d.load(2, 7, 1<<63-1, 16, "of the kernel")
			d.load(2, 7, ^uint64(0), 16, "around")
			d.load(2, 7, 0x2000, 0, "none")
			d.load(2, 7, 0x2000, 16, "")
			d.load(2, 7, 0x2000, 16, "after them")
		}), 2, 5, ""},
		"short load": {with(func(d *dumped) { d.record(codeLoad, 2, make([]byte, 30)) }), 1, 1, ""},
		"short move": {with(func(d *dumped) { d.record(codeMove, 2, make([]byte, 47)) }), 1, 1, ""},
	} {
		records, err := parseBytes(c.b)
		if len(records.changes) != c.good || records.skipped != c.skipped ||
			(err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %d good, %d skipped, %v", name, len(records.changes), records.skipped,
				err)
		}
	}
}

// TestJitdumpNames: a name is text of a bearable length, whatever was written.
func TestJitdumpNames(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	for name, want := range map[string]string{
		"py::f:/a.py":                 "py::f:/a.py",
		"\x1b[2J\xffevil\n":           "?[2J?evil",
		long:                          long[:maxName],
		"int java.lang.A.b(int, int)": "java.lang.A.b",
	} {
		d := newDump(binary.LittleEndian, 7, 0)
		d.load(1, 7, 0x1000, 16, name)
		records, err := parseBytes(d.b)
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := records.arrange().find(0x1000, 5, 7); got != want {
			t.Errorf("%.40q: %.40q", name, got)
		}
	}
}

// TestJitdumpTimes: where the times are of another clock, code has a name if no other lay there.
func TestJitdumpTimes(t *testing.T) {
	d := newDump(binary.LittleEndian, 7, foreignTimes)
	d.load(1e15, 7, 0x1000, 16, "first")
	d.load(2e15, 7, 0x1000, 16, "last")
	d.load(3e15, 7, 0x1010, 16, "same")
	d.load(4e15, 7, 0x1010, 16, "same")
	d.load(5e15, 7, 0x2000, 16, "alone")
	records, err := parseBytes(d.b)
	if err != nil {
		t.Fatal(err)
	}
	for addr, want := range map[uint64]string{0x1000: "", 0x1010: "same", 0x2000: "alone"} {
		if got, _ := records.arrange().find(addr, 5, 7); got != want {
			t.Errorf("%#x: %q, want %q", addr, got, want)
		}
	}
}

// TestJitdumpReference: what lay where is what going through all records one by one says.
func TestJitdumpReference(t *testing.T) {
	r := devtest.Rand(t)
	for range 200 {
		d := newDump(binary.LittleEndian, 7, 0)
		n := 1 + r.IntN(40)
		type code struct {
			start, end, begin uint64
			name              string
		}
		var all []code
		for i := range n {
			start, size := uint64(1+r.IntN(100)), uint64(1+r.IntN(20))
			at := uint64(10 * (i + 1))
			if len(all) > 0 && r.IntN(4) == 0 {
				// a move, as a piece that is made elsewhere and one that is gone
				from := all[r.IntN(len(all))]
				gone := -1
				for k, c := range all {
					if c.start == from.start {
						gone = k
					}
				}
				name := all[gone].name
				d.move(at, 7, from.start, start, size)
				for k := range all {
					if all[k].start == from.start {
						all[k].name = "" // nobody asks about earlier times below
					}
				}
				if name != "" {
					all = append(all, code{start, start + size, at, name})
				}
				continue
			}
			name := fmt.Sprint("f", i)
			d.load(at, 7, start, size, name)
			all = append(all, code{start, start + size, at, name})
		}
		records, err := parseBytes(d.b)
		if err != nil {
			t.Fatal(err)
		}
		c := records.arrange()
		for addr := range uint64(130) {
			want, newest := "", map[uint64]int{}
			for k, x := range all {
				newest[x.start] = k
			}
			for k, x := range all {
				if x.name != "" && newest[x.start] == k && x.start <= addr && addr < x.end {
					want = x.name
				}
			}
			if got, _ := c.find(addr, 1e6, 7); got != want {
				t.Fatalf("at %d: %q, want %q", addr, got, want)
			}
		}
	}
}

// TestJitdumpGolden reads the first part of dumps that virtual machines wrote.
func TestJitdumpGolden(t *testing.T) {
	for _, name := range []string{"node", "python"} {
		b, err := os.ReadFile(filepath.Join("testdata", "jitdump", name+".dump"))
		if err != nil {
			t.Fatal(err)
		}
		records, err := parseBytes(b)
		if err != nil {
			t.Fatal(name, err)
		}
		c := records.arrange()
		var out strings.Builder
		for _, x := range c.list {
			fmt.Fprintf(&out, "%x %x %d %s\n", x.start, x.end-x.start, x.pid, c.words.name(x.name))
		}
		golden := filepath.Join("testdata", "jitdump", name+".golden")
		if devtest.Updating() {
			if err := os.WriteFile(golden, []byte(out.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil || string(want) != out.String() {
			t.Errorf("%s: %v: it now has\n%s", name, err, out.String())
		}
	}
}

func FuzzJitdump(f *testing.F) {
	d := newDump(binary.LittleEndian, 7, 0)
	d.load(1, 7, 0x1000, 16, "f")
	d.load(3, 8, 0x1008, 16, "g")
	d.move(2, 7, 0x1000, 0x1004, 16)
	d.record(codeClose, 4, nil)
	f.Add(d.b)
	f.Add(newDump(binary.BigEndian, 7, foreignTimes).b)
	f.Fuzz(func(t *testing.T, b []byte) {
		devtest.BoundedMemory(t, most(1<<20, len(b)), func() {
			records, _ := parseBytes(b)
			records.onClock(clocks{from: 2, until: 9, real: 5})
			c := records.arrange()
			for _, x := range c.list {
				name, ok := c.find(x.start, 0, 0)
				if x.end <= x.start || ok == (len(name) == 0) || len(name) > maxName {
					t.Fatalf("%+v: %q", x, name)
				}
			}
		})
	})
}
