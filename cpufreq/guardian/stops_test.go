package guardian

import (
	"strings"
	"testing"
	"time"
	"unicode"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// stops are what befalls the three processes, one after the other: a small letter stops one, a
// capital kills it. Behind the blank are those that go on. g is the guardian, d the deputy, and w
// the ward, which is killed in each.
var stops = []string{"gW g", "dW d", "gdW gd", "gdW dg", "wgdW gd", "wgdW dg", "wgW g", "wdW d",
	"dGW d", "gDW g", "wdGW d", "wgDW g"}

// TestStopped: whichever of the three are stopped before the ward is killed, when they go on all is
// put back, and nothing is left.
func TestStopped(t *testing.T) {
	for i, what := range stops[:devtest.Cases(len(stops), 4)] {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			w := startWard(t, drivers[i%len(drivers)])
			w.governs(t)
			pids := map[rune]int{'w': w.cmd.Process.Pid}
			for letter, role := range map[rune]string{'g': command, 'd': deputyCommand} {
				found := w.sentries(t, role)
				if len(found) != 1 {
					t.Fatalf("%s: %v", role, found)
				}
				pids[letter] = found[0]
			}
			send := func(letter rune, s unix.Signal) {
				if err := unix.Kill(pids[unicode.ToLower(letter)], s); err != nil {
					t.Fatalf("%c: %v", letter, err)
				}
			}
			held, goOn, _ := strings.Cut(what, " ")
			for _, letter := range held {
				if unicode.IsUpper(letter) {
					send(letter, unix.SIGKILL)
				} else {
					send(letter, unix.SIGSTOP)
				}
				time.Sleep(10 * time.Millisecond)
			}
			for _, letter := range goOn {
				send(letter, unix.SIGCONT)
			}
			if left := w.left(t); left != "" {
				t.Error(left)
			}
		})
	}
}

// TestNoDescriptorIsFree: a guardian, or a deputy, that can open no file any more puts all back: it
// cannot find out in which boot the machine is, and takes none for another one.
func TestNoDescriptorIsFree(t *testing.T) {
	for _, role := range []string{command, deputyCommand} {
		w := startWard(t, drivers[0])
		w.governs(t)
		guardians := w.sentries(t, command)
		for _, pid := range w.sentries(t, role) {
			if err := unix.Prlimit(pid, unix.RLIMIT_NOFILE, &unix.Rlimit{}, nil); err != nil {
				t.Fatal(err)
			}
		}
		for _, pid := range guardians {
			if err := unix.Kill(pid, unix.SIGSTOP); err != nil { // else a killed one is replaced
				t.Fatal(err)
			}
		}
		if err := w.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		then := unix.SIGCONT
		if role == deputyCommand {
			then = unix.SIGKILL
		}
		for _, pid := range guardians {
			if err := unix.Kill(pid, then); err != nil {
				t.Fatal(err)
			}
		}
		if left := w.left(t); left != "" {
			t.Errorf("%s: %s", role, left)
		}
	}
}
