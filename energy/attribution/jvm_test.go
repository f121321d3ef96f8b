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
	argv, variable = Arrange([]string{"./run.sh"}, "-Xmx1g", true)
	if len(argv) != 1 || variable != "-Xmx1g -XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit -XX:+PreserveFramePointer" {
		t.Errorf("%q, %q", argv, variable)
	}
	_, variable = Arrange([]string{"./run.sh"}, "", true)
	if variable != "-XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit -XX:+PreserveFramePointer" {
		t.Errorf("for stacks that the kernel tells apart: %q", variable)
	}
}
