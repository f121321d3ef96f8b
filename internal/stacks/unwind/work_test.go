package unwind

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"math"
	"testing"
	"time"
)

// TestWork: no walk takes more steps than it has, whatever the instructions of its functions are;
// it ends, and says that it is lost.
func TestWork(t *testing.T) {
	long := append([]byte{0x0c, 7, 8, 0x90, 1},
		bytes.Repeat([]byte{0x0a, 0x0b}, maxProgram/2-16)...)
	table, err := parse(program{}.section(long...), 0x400, binary.LittleEndian, elf.ELFCLASS64)
	if err != nil {
		t.Fatal(err)
	}
	stack := make([]byte, 64<<10)
	for i := range len(stack) / 8 {
		binary.LittleEndian.PutUint64(stack[8*i:], 0x1081)
	}
	var w Walker
	lookup := func(uint64) (Code, *Table, uint64) { return Described, table, 0 }
	from := time.Now()
	got := w.Walk(&Thread{Registers: Registers{rsp: 8, rip: 0x1080}, Base: 8, Stack: stack}, lookup)
	t.Logf("%d frames of %d instructions each in %v", len(got.Frames), len(long), time.Since(from))
	if got.End != Lost || len(got.Frames) > 2 || w.program.work > 0 {
		t.Errorf("%d frames, end %d, %d steps left", len(got.Frames), got.End, w.program.work)
	}
}

// TestLongestProgram: a stack of the functions of this machine's libraries that have the most
// instructions is walked to its end.
func TestLongestProgram(t *testing.T) {
	most, sum, count := 0, 0, 0
	for _, path := range files() {
		e, err := elf.Open(path)
		if err != nil {
			continue
		}
		defer e.Close()
		table := readFrames(e)
		p := program{}
		for i := range table.entries {
			p.work = math.MaxInt32
			table.rowAt(table.entries[i].start+uint64(table.entries[i].size)-1, &p)
			most, sum, count = max(most, math.MaxInt32-int(p.work)), sum+
				math.MaxInt32-int(p.work), count+1
		}
	}
	if count == 0 {
		t.Skip("no library to read")
	}
	t.Logf("%d functions: %d steps on average, %d at most", count, sum/count, most)
	if most > maxWork/8 || sum/count*maxFrames > maxWork {
		t.Errorf("%d steps on average, %d at most: a walk has %d", sum/count, most, maxWork)
	}
}
