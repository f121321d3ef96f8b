package e2e

import (
	"fmt"
	"strings"
	"testing"
)

// TestTooLittleForTheRuntime: where Go's runtime could not begin, one sentence says so. Where the
// limit is as high as the sentence wants, ebb begins. Where it is higher, it runs a program.
func TestTooLittleForTheRuntime(t *testing.T) {
	needRoot(t)
	// With less than the lowest the kernel, or the shell, executes nothing.
	for flag, of := range map[string]struct{ lowest, least, most int }{
		"-v": {100_000, 1 << 20, 1 << 40}, "-d": {70_000, 1 << 17, 1 << 40}, "-n": {4, 16, 1024},
	} {
		least := of.least
		for limit, begins := range map[int]bool{of.lowest: false, least / 4 * 3: false,
			least - 1: false, least: true, of.most: true} {
			for _, args := range [][]string{{"version"}, {"run", "--shadow", "-q", "--", "true"}} {
				if args[0] == "run" && (limit == least || flag == "-n" && begins) {
					continue // for each CPU it may need more
				}
				cmd := command(t)
				cmd.Path, cmd.Args = "/bin/sh", append([]string{"sh", "-c",
					fmt.Sprintf(`ulimit %s %d && exec "$@"`, flag, limit), "sh", ebbPath(t)}, args...)
				r := finish(t, cmd)
				said := strings.HasPrefix(r.stderr, "ebb: ulimit leaves Go's runtime too little") &&
					strings.Count(r.stderr, "\n") == 1
				if begins && (r.code != 0 || r.stderr != "") || !begins && (r.code != 1 || !said) {
					t.Errorf("%s %d, %q: status %d, %q", flag, limit, args, r.code, r.stderr)
				}
			}
		}
	}
}
