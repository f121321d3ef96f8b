package symbols

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// parseKernel reads /proc/kallsyms. Where addresses are hidden (kernel.kptr_restrict) all are zero,
// and the table is empty.
func parseKernel(r io.Reader, budget *budget) (table, error) {
	l, text := &list{budget: budget}, words{}
	lines := bufio.NewScanner(r)
	var err error
	for lines.Scan() {
		start, rest, ok := hexadecimal(lines.Bytes())
		kind, rest, _ := bytes.Cut(rest, []byte{' '})
		if !ok || start == 0 || len(kind) != 1 || !bytes.ContainsAny(kind, "tTwW") {
			continue
		}
		name, _, _ := bytes.Cut(rest, []byte{'\t'}) // the module's name comes behind it
		if name = bytes.TrimSpace(name); len(name) == 0 {
			continue
		}
		s := span{start: start, end: start, name: uint32(len(text))}
		if len(text)+maxName >= maxWords || !l.add(s) {
			err = fmt.Errorf("read the kernel's symbols: %w", errTooMany)
			break
		}
		if bytes.ContainsFunc(name, special) || len(name) > maxName {
			name = []byte(printable(string(name)))
		}
		text = append(append(text, name...), 0)
	}
	l.source(text)
	return l.done(), errors.Join(err, lines.Err())
}
