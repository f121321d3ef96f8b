package symbols

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Bounds of the part of a perf map that is read: any program can write one.
const (
	maxPerfMap = 64 << 20 // bytes: 120 for each function that is kept
	maxWords   = 32 << 20 // bytes of names that are kept of one map
	maxSymbol  = 1 << 30  // bytes of code in one entry
	maxName    = 1024
)

// perfMap holds the functions of a perf map, and their names.
type perfMap struct {
	table
	words words
}

// size returns the bytes of memory that the map takes.
func (m *perfMap) size() int { return m.table.size() + cap(m.words) }

// parsePerfMap reads the perf map of a process: lines of START SIZE NAME, the numbers hexadecimal
// (tools/perf/Documentation/jit-interface.txt in the kernel). Other lines are skipped and counted.
// Code beyond the map's bounds has no names, and the error says so.
func parsePerfMap(r io.Reader) (m perfMap, skipped int, err error) {
	limited := &io.LimitedReader{R: r, N: maxPerfMap}
	lines := bufio.NewScanner(limited)
	lines.Buffer(make([]byte, 0, 64<<10), 1<<20)
	l := &list{}
	for lines.Scan() {
		s, name, ok := parsePerfLine(lines.Bytes())
		if !ok {
			skipped++
			continue
		}
		s.name = uint32(len(m.words))
		if len(m.words)+len(name) >= maxWords || !l.add(s) {
			err = errTooMany
			break
		}
		m.words = append(append(m.words, name...), 0)
	}
	l.source(m.words)
	m.table = l.done()
	if err == nil {
		err = lines.Err()
	}
	if err == nil && limited.N == 0 {
		err = errTooLong
	}
	if err != nil {
		return m, skipped, fmt.Errorf("read perf map: %w", err)
	}
	return m, skipped, nil
}

// parsePerfLine parses a line, and makes no strings of the parts that it drops.
func parsePerfLine(line []byte) (s span, name string, ok bool) {
	start, rest, ok1 := hexadecimal(line)
	size, rest, ok2 := hexadecimal(rest)
	if rest = bytes.TrimSpace(rest); !ok1 || !ok2 || len(rest) == 0 || size == 0 ||
		size > maxSymbol || start+size < start {
		return s, "", false
	}
	return span{start: start, end: start + size},
		stable(methodName(printable(string(rest[:min(len(rest), maxLineName)])))), true
}

// maxLineName bounds the part of a name with its parameters that is read, in bytes.
const maxLineName = 4 * maxName

// hexadecimal parses a number that ends at a space, with or without 0x. Rest is the text behind the
// space.
func hexadecimal(text []byte) (n uint64, rest []byte, ok bool) {
	word, rest, ok := bytes.Cut(text, []byte{' '})
	if !ok || len(word) > len("0x")+16 {
		return 0, nil, false
	}
	n, err := strconv.ParseUint(strings.TrimPrefix(string(word), "0x"), 16, 64)
	return n, rest, err == nil
}

// printable returns a name cut to maxName bytes, with question marks for what is not printable
// text.
func printable(name string) string {
	if len(name) <= maxName && !strings.ContainsFunc(name, special) { // nearly all
		return name
	}
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

// special reports whether a character is none of ASCII's printable ones.
func special(r rune) bool { return r < ' ' || r >= 0x7f }

// stable removes, from the names of a Java program's hidden classes, the part that differs in each
// run. That is the class's place in memory, as in
// "java.lang.invoke.LambdaForm$MH/0x0000000800066400.invoke", or behind a plus sign in the
// machine's own name of the class.
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

// methodName removes return type and parameters from a Java method as HotSpot lists it, "int
// java.lang.String.hashCode()", so that it is named as elsewhere. Other names stay as they are:
// .NET's, "int32 [App] App.Work::Heavy(int32)", begin with their assembly.
func methodName(s string) string {
	open := strings.IndexByte(s, '(')
	if open <= 0 || s[len(s)-1] != ')' {
		return s
	}
	head := s[:open]
	space := strings.LastIndexByte(head, ' ')
	name := head[space+1:]
	if space < 0 || !strings.Contains(name, ".") || strings.Contains(name, "::") {
		return s
	}
	return name
}
