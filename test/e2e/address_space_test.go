package e2e

import (
	"fmt"
	"strings"
	"testing"
)

// TestTooLittleAddressSpace: where Go's runtime could not begin, one sentence says so. Where the
// limit is as high as the sentence wants, ebb begins. Where it is higher, it runs a program.
func TestTooLittleAddressSpace(t *testing.T) {
	needRoot(t)
	const least = 1 << 20 // KiB
	for kib, begins := range map[int]bool{100_000: false, 300_000: false, least - 1: false,
		least: true, 1 << 40: true} {
		for _, args := range [][]string{{"version"}, {"run", "--shadow", "-q", "--", "true"}} {
			if kib == least && args[0] == "run" {
				continue // what it maps for each CPU may need more
			}
			cmd := command(t)
			cmd.Path, cmd.Args = "/bin/sh", append([]string{"sh", "-c",
				fmt.Sprintf(`ulimit -v %d && exec "$@"`, kib), "sh", ebbPath(t)}, args...)
			r := finish(t, cmd)
			said := strings.HasPrefix(r.stderr, "ebb: ulimit -v leaves too little") &&
				strings.Count(r.stderr, "\n") == 1
			if begins && (r.code != 0 || r.stderr != "") || !begins && (r.code != 1 || !said) {
				t.Errorf("%d KiB, %q: status %d, %q", kib, args, r.code, r.stderr)
			}
		}
	}
}
