package e2e

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// onTerminal runs ebb on a terminal of 80 columns of its own, and returns what it wrote there.
func onTerminal(t *testing.T, environment []string, args ...string) string {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no terminal: %v", err)
	}
	defer master.Close()
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(int(master.Fd()), unix.TIOCSWINSZ,
			&unix.Winsize{Row: 24, Col: 80})
	}
	if err != nil {
		t.Fatal(err)
	}
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no terminal: %v", err)
	}
	cmd := command(t, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.Env = append(append(cmd.Environ(), "TERM=xterm", "NO_COLOR="), environment...)
	cmd.SysProcAttr.Setctty = true // in the foreground of the terminal
	var out bytes.Buffer
	var reader sync.WaitGroup
	reader.Go(func() { _, _ = io.Copy(&out, master) }) // ends with an error: nobody has it open
	err = cmd.Run()
	slave.Close()
	reader.Wait()
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		t.Fatal(err)
	}
	return out.String()
}

// TestRunOnATerminal: a run prints there two lines and at most eight rows, whose lines fit 80
// columns; the bottom rows show how it goes and are given back; -v prints all.
func TestRunOnATerminal(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	busy := []string{"--shadow", "--", "timeout", "2", "sh", "-c", "while :; do :; done"}
	control := regexp.MustCompile("\x1b(\\[[0-9;]*[A-Za-z]|[78D])")
	cases := []struct {
		environment []string
		flags       []string
		own         int // bottom rows
		brief       bool
		colour      string
	}{
		{nil, nil, 7, true, "\x1b[33mcannot say\x1b[0m"},
		{[]string{"NO_COLOR=1"}, []string{"--live", "row"}, 1, true, "ebb: cannot say"},
		{nil, []string{"--live", "none"}, 0, true, "\x1b[33mcannot say\x1b[0m"},
		{[]string{"TERM=dumb"}, nil, 0, true, "ebb: cannot say"},
		{nil, []string{"-v"}, 7, false, "ebb: timeout (process"},
	}
	for _, c := range cases[:devtest.Cases(len(cases), 2)] {
		args := append(append([]string{"run"}, c.flags...), busy...)
		text := onTerminal(t, c.environment, args...)
		live := c.own > 0
		region := strings.Contains(text, fmt.Sprintf("\x1b[1;%dr", 24-c.own))
		back := strings.LastIndex(text, "\x1b[r")
		if region != live || (back > 0) != live ||
			live && strings.LastIndex(text, fmt.Sprintf("\x1b[%d;1H\x1b[J", 25-c.own)) < back {
			t.Errorf("%v: the bottom rows are set apart: %v\n%q", c, region, text)
		}
		if got := strings.Contains(text, "% slower of 5.0 %"); got != live {
			t.Errorf("%v: progress: %v\n%q", c, got, text)
		}
		if got := strings.Contains(text, "CPU  thread"); got != (c.own > 1) {
			t.Errorf("%v: threads: %v\n%q", c, got, text)
		}
		if !strings.Contains(text, c.colour) || !strings.Contains(text, "Ctrl-C ends it") {
			t.Errorf("%v: no %q in %q", c, c.colour, text)
		}
		// The live rows are drawn in place and are no lines of the output.
		text = regexp.MustCompile("\x1b\\[(1[89]|2[0-4]);1H\x1b\\[2K[^\x1b]*").
			ReplaceAllString(text, "")
		lines := strings.Split(strings.TrimSpace(control.ReplaceAllString(text, "")), "\r\n")
		if brief := len(lines) <= 18; brief != c.brief {
			t.Errorf("%v: %d lines\n%s", c, len(lines), text)
		}
		for _, line := range lines {
			if utf8.RuneCountInString(line) > 80 {
				t.Errorf("%v: longer than the terminal: %q", c, line)
			}
		}
	}
}
