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
	for flag, least := range map[string]int{"-v": 1 << 20, "-d": 1 << 17, "-n": 16} {
		for limit, begins := range map[int]bool{least / 10: false, least / 3: false,
			least - 1: false, least: true, 1 << 13 * least: true} {
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
