package guardian

import (
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// beginEnv has a ward only begin: it sets a frequency when its standard input ends, and says what
// comes of it.
const beginEnv = "GUARDIAN_TEST_BEGIN"

// TestStoppedWhileItBegins: an ebb that has set the clocks and takes its time to begin keeps them.
// Where it is stopped, its guardian puts them back, or its deputy if the guardian stands still as
// well, and it sets none when it goes on.
func TestStoppedWhileItBegins(t *testing.T) {
	t.Setenv(beginEnv, "1")
	var wards []*ward
	for _, d := range drivers {
		w := startWard(t, d)
		w.governs(t)
		wards = append(wards, w)
	}
	set := []string{wards[0].controls(t), wards[1].controls(t)}
	time.Sleep(beginTime + 2*lookEvery)
	for i, w := range wards {
		if now := w.controls(t); now != set[i] || now == w.before {
			t.Errorf("%s: while it began, the controls became %s, were %s", w.actuator, now, set[i])
		}
	}
	for _, pid := range append(wards[1].sentries(t, command), wards[0].cmd.Process.Pid,
		wards[1].cmd.Process.Pid) {
		if err := unix.Kill(pid, unix.SIGSTOP); err != nil {
			t.Fatal(err)
		}
	}
	stopped := time.Now()
	for _, w := range wards {
		for w.controls(t) != w.before {
			if time.Since(stopped) > hung {
				t.Fatalf("%s: the controls are %s, were %s", w.actuator, w.controls(t), w.before)
			}
			time.Sleep(5 * time.Millisecond)
		}
		t.Logf("%s: back after %v", w.actuator, time.Since(stopped))
	}
	for _, w := range wards {
		if err := w.cmd.Process.Signal(unix.SIGCONT); err != nil {
			t.Fatal(err)
		}
		_ = w.stdin.Close()
		if line, _ := w.stdout.ReadString('\n'); !strings.Contains(line, errStalled.Error()) {
			t.Errorf("%s: its next frequency: %q, %s", w.actuator, line, &w.stderr)
		}
		if left := w.left(t); left != "" {
			t.Errorf("%s: %s", w.actuator, left)
		}
	}
}
