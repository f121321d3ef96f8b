package unwind

import (
	"bufio"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// files are compared with what binutils reads of them: of this machine, and those that
// EBB_UNWIND_FILES names.
func files() []string {
	return append([]string{
		"/lib/x86_64-linux-gnu/libc.so.6", "/lib/x86_64-linux-gnu/libz.so.1",
		"/lib64/ld-linux-x86-64.so.2",
	}, strings.Fields(os.Getenv("EBB_UNWIND_FILES"))...)
}

// names are readelf's of the registers.
var names = map[string]int{
	"rax": 0, "rdx": 1, "rcx": 2, "rbx": rbx, "rsi": 4, "rdi": 5, "rbp": rbp, "rsp": rsp, "r8": 8,
	"r9": 9, "r10": 10, "r11": 11, "r12": r12,
	"r13": 13, "r14": 14, "r15": r15, "ra": rip,
}

// written is a rule as readelf writes it.
func written(r rule) string {
	switch r.kind {
	case same:
		return "s"
	case atOffset:
		return fmt.Sprintf("c%+d", r.offset)
	case offset:
		return fmt.Sprintf("v%+d", r.offset)
	case atExpression:
		return "exp"
	case expression:
		return "vexp"
	}
	return "u"
}

// TestRowsAgainstReadelf reads the same rules from this machine's C library as binutils does, at
// each place where they change and up to the next.
func TestRowsAgainstReadelf(t *testing.T) {
	if _, err := exec.LookPath("readelf"); err != nil {
		t.Skip("readelf is not installed")
	}
	for _, path := range files() {
		e, err := elf.Open(path)
		if err != nil {
			continue
		}
		defer e.Close()
		table := Read(e)
		cmd := exec.CommandContext(t.Context(), "readelf",
			"--debug-dump=frames-interp,no-follow-links", "--wide", path)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		var p program
		var columns []string
		compared, wrong := 0, 0
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			fields := strings.Fields(lines.Text())
			if len(fields) > 2 && fields[0] == "LOC" {
				columns = fields
				continue
			}
			if len(fields) == 0 || len(fields) > 4 && fields[3] == "FDE" {
				columns = nil
			}
			if len(fields) != len(columns) || len(columns) == 0 {
				continue
			}
			addr, err := strconv.ParseUint(fields[0], 16, 64)
			if err != nil || addr == 0 { // 0: of a common entry
				continue
			}
			compared++
			if p.work = maxWork; !table.rowAt(addr, &p) {
				t.Errorf("%s: no rules at %#x: %s", path, addr, lines.Text())
				wrong++
			}
			for i := 1; i < len(fields) && wrong < 20; i++ {
				got := written(p.row.regs[names[columns[i]]])
				if columns[i] == "CFA" {
					if got = "exp"; p.row.cfa.kind == registerOffset {
						for name, n := range names {
							if n == int(p.row.cfa.register) {
								got = fmt.Sprintf("%s%+d", name, p.row.cfa.offset)
							}
						}
					}
				}
				if got != fields[i] {
					t.Errorf("%s: at %#x %s is %s, not %s", path, addr, columns[i], got, fields[i])
					wrong++
				}
			}
		}
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
		if t.Logf("%s: %d rows, %d KiB", path, compared, table.Size()>>10); compared < 100 {
			t.Errorf("%s: %d rows to compare", path, compared)
		}
	}
}
