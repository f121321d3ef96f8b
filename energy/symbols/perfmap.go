package symbols

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Bounds of what is read of a perf map, which any program can write.
const (
	maxPerfMap = 256 << 20
	maxSymbol  = 1 << 30 // bytes of code in one entry
	maxName    = 1024
)

// parsePerfMap reads the perf map of a process: lines of START SIZE NAME, the numbers hexadecimal
// (tools/perf/Documentation/jit-interface.txt in the kernel). Lines that are none are passed over and counted.
func parsePerfMap(r io.Reader) (t table, skipped int, err error) {
	var list []symbol
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 64<<10), 1<<20)
	for lines.Scan() {
		s, ok := parsePerfLine(lines.Text())
		if !ok {
			skipped++
			continue
		}
		list = append(list, s)
	}
	if err := lines.Err(); err != nil {
		return newTable(list), skipped, fmt.Errorf("read perf map: %w", err)
	}
	return newTable(list), skipped, nil
}

func parsePerfLine(line string) (s symbol, ok bool) {
	first, rest, ok1 := strings.Cut(line, " ")
	second, name, ok2 := strings.Cut(rest, " ")
	start, err1 := strconv.ParseUint(strings.TrimPrefix(first, "0x"), 16, 64)
	size, err2 := strconv.ParseUint(strings.TrimPrefix(second, "0x"), 16, 64)
	name = strings.TrimSpace(name)
	if !ok1 || !ok2 || err1 != nil || err2 != nil || name == "" || size == 0 || size > maxSymbol || start+size < start {
		return symbol{}, false
	}
	return symbol{start: start, end: start + size, name: stable(methodName(printable(name)))}, true
}

// printable cuts a name to a bearable length and replaces what is no text.
func printable(name string) string {
	name = strings.ToValidUTF8(name, "?")
	name = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == utf8.RuneError {
			return '?'
		}
		return r
	}, name)
	if len(name) > maxName {
		name = strings.ToValidUTF8(name[:maxName], "")
	}
	return name
}

// stable takes off the names of a Java program's hidden classes what is different in each run: where they are in memory, as in
// "java.lang.invoke.LambdaForm$MH/0x0000000800066400.invoke", or, by the machine's own name of the class, behind a plus sign.
func stable(name string) string {
	at := max(strings.Index(name, "/0x"), strings.Index(name, "+0x"))
	if at <= 0 {
		return name
	}
	end := at + 3
	for end < len(name) && strings.IndexByte("0123456789abcdef", name[end]) >= 0 {
		end++
	}
	if end == at+3 || end == len(name) || name[end] != '.' {
		return name
	}
	return name[:at] + name[end:]
}

// methodName takes return type and parameters off a Java method as HotSpot lists it, "int java.lang.String.hashCode()", so
// that a name is a name. Other names stay as they are.
func methodName(s string) string {
	open := strings.IndexByte(s, '(')
	if open <= 0 || s[len(s)-1] != ')' {
		return s
	}
	head := s[:open]
	space := strings.LastIndexByte(head, ' ')
	name := head[space+1:]
	if space < 0 || !strings.Contains(name, ".") {
		return s
	}
	return name
}
