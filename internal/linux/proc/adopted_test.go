package proc

import (
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestAdopted: processes that a process left to others by a second fork are found; its children,
// older ones, those of other sessions and what the adopted started are not among them.
func TestAdopted(t *testing.T) {
	all := map[int]Stat{
		1: {Session: 1}, 10: {Session: 10, Parent: 1, Began: 5},
		20: {Session: 10, Parent: 10, Began: 9},
		21: {Session: 10, Parent: 20, Began: 10}, 22: {Session: 10, Parent: 1, Began: 11},
		23: {Session: 10, Parent: 22, Began: 12}, 24: {Session: 10, Parent: 1, Began: 8},
		25: {Session: 25, Parent: 1, Began: 13}, 26: {Session: 10, Parent: 77, Began: 14},
	}
	for _, c := range []struct {
		pid, most int
		want      []int
	}{{20, 9, []int{22, 26}}, {20, 1, []int{22}}, {10, 9, []int{22, 24, 26}}, {25, 9, nil},
		{99, 9, nil}, {26, 9, nil}} {
		if got := adopted(all, c.pid, c.most); !slices.Equal(got, c.want) {
			t.Errorf("of %d: %v, want %v", c.pid, got, c.want)
		}
	}
}

// TestAdoptedOfAShell: of a shell whose child started a process and ended.
func TestAdoptedOfAShell(t *testing.T) {
	c := exec.CommandContext(t.Context(), "setsid", "-w", "sh", "-c",
		"(sleep 1000 >/dev/null 2>&1 & echo $!); echo $$; read end; kill %1; :")
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	c.Stdout = w
	if err := c.Start(); err != nil {
		t.Skip(err)
	}
	_ = w.Close() // the shell has it
	var text []byte
	for b := make([]byte, 64); strings.Count(string(text), "\n") < 2; {
		n, err := r.Read(b)
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, b[:n]...)
	}
	ids := strings.Fields(string(text))
	child, _ := strconv.Atoi(ids[0])
	shell, _ := strconv.Atoi(ids[1])
	got, err := Adopted(shell, 9)
	if p, e := os.FindProcess(child); e == nil {
		_ = p.Kill() // the test's own, which nothing else ends
	}
	_ = in.Close() // the shell reads its end
	_ = c.Wait()   // it may have ended by a signal
	if err != nil || !slices.Equal(got, []int{child}) {
		t.Errorf("%v, %v; want %d", got, err, child)
	}
}
