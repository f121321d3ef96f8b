package attribution

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestParseStatus(t *testing.T) {
	for text, want := range map[string]int{
		"Name:\tjava\nNSpid:\t100\t7\nSigCgt:\t2000000181005ccf\n": 7,
		"NSpid:\t100\nSigCgt:\t0000000000000004\n":                 100,
		"NSpid:\t100\nSigCgt:\t0000000000000000\n":                 0,
		"NSpid:\tx\nSigCgt:\t0000000000000004\n":                   0,
		"SigCgt:\t0000000000000004\n":                              0,
		"":                                                         0,
	} {
		got, err := parseStatus(text)
		if got != want || (err == nil) != (want > 0) {
			t.Errorf("%q: %d, %v; want %d", text, got, err, want)
		}
	}
}

// TestNoJVM: a process that is none gets no signal: sleep would be ended by it.
func TestNoJVM(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "sleep", "30")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := WritePerfMap(cmd.Process.Pid); !errors.Is(err, ErrNoJVM) {
		t.Errorf("got %v", err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Errorf("it has ended: %v", err)
	}
	_ = cmd.Wait()
	if err := WritePerfMap(cmd.Process.Pid); err == nil {
		t.Error("a process that is gone was asked")
	}
	if err := WritePerfMap(os.Getpid()); !errors.Is(err, ErrNoJVM) {
		t.Errorf("this program, which catches the signal but is no Java machine: %v", err)
	}
}

// TestTemporaryStaysInTheRoot: what a container has for /tmp is not followed to where the host has something of that name.
func TestTemporaryStaysInTheRoot(t *testing.T) {
	host := t.TempDir()
	for link, inside := range map[string]bool{"var/tmp": true, host: false, "../" + filepath.Base(host): false} {
		root := t.TempDir()
		if err := os.MkdirAll(filepath.Join(root, "var/tmp"), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(link, filepath.Join(root, "tmp")); err != nil {
			t.Fatal(err)
		}
		tmp, err := temporary(root)
		if (err == nil) != inside {
			t.Errorf("/tmp -> %s: %v", link, err)
		}
		if err != nil {
			continue
		}
		defer tmp.Close()
		l, err := net.Listen("unix", filepath.Join(root, "var/tmp/.java_pid1"))
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		if err := os.Symlink(".java_pid1", filepath.Join(root, "var/tmp/.java_pid2")); err != nil {
			t.Fatal(err)
		}
		if !listens(tmp, ".java_pid1") || listens(tmp, ".java_pid2") || listens(tmp, ".java_pid3") {
			t.Error("a socket listens; no link to one, and nothing")
		}
		c, err := dial(tmp, ".java_pid1")
		if err != nil {
			t.Fatal(err)
		}
		_ = c.Close()
	}
}

func TestArrange(t *testing.T) {
	argv, variable := Arrange([]string{"/usr/bin/java", "-jar", "a.jar"}, "", false)
	if variable != "" || argv[0] != "/usr/bin/java" || argv[1] != "-XX:+IgnoreUnrecognizedVMOptions" || argv[len(argv)-1] != "a.jar" {
		t.Errorf("%q, %q", argv, variable)
	}
	if argv, variable = Arrange([]string{"./run.sh"}, "-Xmx1g", false); len(argv) != 1 || variable != "" {
		t.Errorf("a command that is no Java launcher: %q, %q", argv, variable)
	}
	argv, variable = Arrange([]string{"./run.sh"}, "-Xmx1g", true)
	if len(argv) != 1 || variable != "-Xmx1g -XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit -XX:+PreserveFramePointer" {
		t.Errorf("%q, %q", argv, variable)
	}
	_, variable = Arrange([]string{"./run.sh"}, "", true)
	if variable != "-XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit -XX:+PreserveFramePointer" {
		t.Errorf("for stacks that the kernel tells apart: %q", variable)
	}
}
