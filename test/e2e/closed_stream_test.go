package e2e

import (
	"strings"
	"testing"
)

// TestClosedStreams: ebb does not take a closed standard stream for /dev/null, as Go's runtime
// does: what cannot be printed is an error with a status, ebb's or the command's that it runs.
// A closed standard error hides the sentences alone.
func TestClosedStreams(t *testing.T) {
	needRoot(t)
	const bad = "bad file descriptor"
	run := func(argv ...string) []string {
		return append([]string{"run", "--shadow", "-q", "--"}, argv...)
	}
	type ending struct {
		streams string
		args    []string
		code    int
		says    string // in any case; empty: nothing is said
	}
	var all []ending
	for _, streams := range []string{">&-", "1</dev/null", "<&- >&-"} {
		for _, args := range [][]string{{"version"}, {"--version"}, {"doctor"}, {"--help"},
			{"help", "run"}, {"completion", "bash"}, {"restore", "--run-dir", t.TempDir()},
			run("/bin/echo", "lost")} {
			all = append(all, ending{streams, args, 1, bad})
		}
	}
	all = append(all,
		ending{">&-", run("true"), 0, ""},
		ending{">&-", run("sh", "-c", "exit 7"), 7, ""},
		ending{">/dev/null", run("/bin/echo", "lost"), 0, ""},
		ending{"<&-", run("cat"), 1, bad},
		ending{"<&-", []string{"version"}, 0, ""},
		ending{"2>&-", []string{"version"}, 0, ""},
		ending{"2>&-", []string{"nothing"}, 2, ""},
		ending{"2>&-", run("sh", "-c", "/bin/echo lost >&2"), 1, ""},
		ending{"<&- >&- 2>&-", []string{"version"}, 1, ""},
		ending{"<&- >&- 2>&-", run("true"), 0, ""})
	for _, c := range all {
		cmd := command(t)
		cmd.Path = "/bin/sh"
		cmd.Args = append([]string{"sh", "-c", `exec "$@" ` + c.streams, "sh", ebbPath(t)}, c.args...)
		r := finish(t, cmd)
		said := strings.ToLower(r.stderr)
		if r.code != c.code || c.says == "" && said != "" || !strings.Contains(said, c.says) ||
			c.says != "" && strings.Count(said, "\n") != 1 {
			t.Errorf("%s, %q: status %d, %q; want %d, %q", c.streams, c.args, r.code, r.stderr,
				c.code, c.says)
		}
	}
}

// TestClosedStreamsOfTheLaboratory: the same is true of ebb-lab.
func TestClosedStreamsOfTheLaboratory(t *testing.T) {
	for _, streams := range []string{">&-", "1</dev/null"} {
		cmd := labCommand(t, "help")
		cmd.Args = []string{"sh", "-c", `exec "$0" help ` + streams, cmd.Path}
		cmd.Path = "/bin/sh"
		if r := finish(t, cmd); r.code != 1 || !strings.Contains(r.stderr, "bad file descriptor") {
			t.Errorf("%s: status %d, %q", streams, r.code, r.stderr)
		}
	}
}
