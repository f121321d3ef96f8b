package proc

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestSeal: a process inherits no descriptor of the caller's unless it is handed on, and then at
// its number.
func TestSeal(t *testing.T) {
	var p [2]int
	if err := unix.Pipe(p[:]); err != nil { // inherited, as a caller's can be
		t.Fatal(err)
	}
	fd := 40
	if err := unix.Dup2(p[0], fd); err != nil {
		t.Fatal(err)
	}
	list := func(files []*os.File) string {
		t.Helper()
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		files[1] = w
		process, err := os.StartProcess("/bin/ls", []string{"ls", "/proc/self/fd"},
			&os.ProcAttr{Files: files, Env: []string{"PATH=/bin:/usr/bin"}})
		w.Close()
		if err != nil {
			t.Fatal(err)
		}
		var b [4096]byte
		n, _ := r.Read(b[:])
		_, _ = process.Wait()
		return " " + strings.Join(strings.Fields(string(b[:n])), " ") + " "
	}
	if _, err := exec.LookPath("/bin/ls"); err != nil {
		t.Skip(err)
	}
	std := []*os.File{os.Stdin, os.Stdout, os.Stderr}
	if got := list(std); !strings.Contains(got, " 40 ") {
		t.Fatalf("no descriptor was left to be inherited: %s", got)
	}
	if err := SealInherited(); err != nil {
		t.Fatal(err)
	}
	if got := list([]*os.File{os.Stdin, os.Stdout, os.Stderr}); strings.Contains(got, " 40 ") {
		t.Errorf("it was inherited: %s", got)
	}
	if got := list(InheritedFiles()); !strings.Contains(got, " 40 ") {
		t.Errorf("it was not handed on: %s", got)
	}
}
