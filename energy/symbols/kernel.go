package symbols

import (
	"bufio"
	"io"
	"strconv"
	"strings"
)

// parseKernel reads /proc/kallsyms. Where addresses are hidden (kernel.kptr_restrict) all are zero, and the table empty.
func parseKernel(r io.Reader) (table, error) {
	var list []symbol
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 3 || len(fields[1]) != 1 || !strings.Contains("tTwW", fields[1]) {
			continue
		}
		start, err := strconv.ParseUint(fields[0], 16, 64)
		if err != nil || start == 0 {
			continue
		}
		list = append(list, symbol{start: start, end: start, name: printable(fields[2])})
	}
	return newTable(list), lines.Err()
}
