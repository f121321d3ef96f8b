package attribution

import "testing"

func TestArrange(t *testing.T) {
	argv, variable := Arrange([]string{"/usr/bin/java", "-jar", "a.jar"}, "", false)
	if variable != "" || argv[0] != "/usr/bin/java" ||
		argv[1] != "-XX:+IgnoreUnrecognizedVMOptions" || argv[len(argv)-1] != "a.jar" {
		t.Errorf("%q, %q", argv, variable)
	}
	if argv, variable = Arrange([]string{"./run.sh"}, "-Xmx1g", false); len(argv) != 1 ||
		variable != "" {
		t.Errorf("a command that is no Java launcher: %q, %q", argv, variable)
	}
	const all = "-XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions " +
		"-XX:+DumpPerfMapAtExit -XX:+PreserveFramePointer"
	argv, variable = Arrange([]string{"./run.sh"}, "-Xmx1g", true)
	if len(argv) != 1 || variable != "-Xmx1g "+all {
		t.Errorf("%q, %q", argv, variable)
	}
	_, variable = Arrange([]string{"./run.sh"}, "", true)
	if variable != all {
		t.Errorf("for stacks that the kernel distinguishes: %q", variable)
	}
}
