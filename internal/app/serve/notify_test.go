package serve

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestEnvironment: what systemd's variables mean, and what of them is of no use.
func TestEnvironment(t *testing.T) {
	own := strconv.Itoa(os.Getpid())
	for name, c := range map[string]struct {
		socket, usec, pid string
		hears             bool
		patience          time.Duration
		problem           string // how it begins
	}{
		"nothing":         {},
		"no socket":       {"", "1000000", "", false, 0, ""},
		"nonsense":        {"nonsense", "", "", false, 0, "NOTIFY_SOCKET"},
		"a letter":        {"@", "", "", false, 0, "NOTIFY_SOCKET"},
		"a path":          {"/run/notify", "", "", true, 0, ""},
		"an abstract one": {"@notify", "30000000", own, true, 30 * time.Second, ""},
		"too long":        {"/" + strings.Repeat("x", 300), "", "", true, 0, ""},
		"negative":        {"@notify", "-5s", "", true, 0, "WATCHDOG_USEC"},
		"too short":       {"@notify", "1", "", true, 0, "WATCHDOG_USEC"},
		"no time":         {"@notify", "0", "", true, 0, "WATCHDOG_USEC"},
		"another's":       {"@notify", "x", "1", true, 0, ""},
		"for ever":        {"@notify", "9223372036854775807", "", true, 1000 * time.Hour, ""},
		"beyond":          {"@notify", "9223372036854775808", "", true, 0, "WATCHDOG_USEC"},
	} {
		n, problem := newNotifier(func(key string) string {
			return map[string]string{"NOTIFY_SOCKET": c.socket, "WATCHDOG_USEC": c.usec,
				"WATCHDOG_PID": c.pid}[key]
		})
		if (n.fd >= 0) != c.hears || n.Patience() != c.patience ||
			!strings.HasPrefix(problem, c.problem) || (problem == "") != (c.problem == "") {
			t.Errorf("%s: hears %t, %v, %q", name, n.fd >= 0, n.Patience(), problem)
		}
		n.Alive() // whoever hears it, nothing waits
		n.close()
	}
}
