package attribution

import (
	"errors"
	"os"
	"os/exec"
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

func TestArrange(t *testing.T) {
	argv, variable := Arrange([]string{"/usr/bin/java", "-jar", "a.jar"}, "")
	if variable != "" || argv[0] != "/usr/bin/java" || argv[1] != "-XX:+IgnoreUnrecognizedVMOptions" || argv[len(argv)-1] != "a.jar" {
		t.Errorf("%q, %q", argv, variable)
	}
	argv, variable = Arrange([]string{"./run.sh"}, "-Xmx1g")
	if len(argv) != 1 || variable != "-Xmx1g -XX:+IgnoreUnrecognizedVMOptions -XX:+PreserveFramePointer -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit" {
		t.Errorf("%q, %q", argv, variable)
	}
}
