package attribution

import "testing"

func TestArrange(t *testing.T) {
	argv, variable := Arrange([]string{"/usr/bin/java", "-jar", "a.jar"}, "", false, nil)
	if variable != "" || argv[0] != "/usr/bin/java" ||
		argv[1] != "-XX:+IgnoreUnrecognizedVMOptions" || argv[len(argv)-1] != "a.jar" {
		t.Errorf("%q, %q", argv, variable)
	}
	if argv, variable = Arrange([]string{"./run.sh"}, "-Xmx1g", false, nil); len(argv) != 1 ||
		variable != "" {
		t.Errorf("a command that is no Java launcher: %q, %q", argv, variable)
	}
	const all = "-XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions " +
		"-XX:+DumpPerfMapAtExit -XX:+DebugNonSafepoints -XX:+PreserveFramePointer"
	argv, variable = Arrange([]string{"./run.sh"}, "-Xmx1g", true, nil)
	if len(argv) != 1 || variable != "-Xmx1g "+all {
		t.Errorf("%q, %q", argv, variable)
	}
	_, variable = Arrange([]string{"./run.sh"}, "", true, nil)
	if variable != all {
		t.Errorf("for stacks that the kernel distinguishes: %q", variable)
	}
	agent := []string{"-javaagent:a.jar=x.*"}
	argv, variable = Arrange([]string{"./run.sh"}, "-Xmx1g", false, agent)
	if len(argv) != 1 || variable != "-Xmx1g -javaagent:a.jar=x.*" {
		t.Errorf("an agent for a command that is no Java launcher: %q, %q", argv, variable)
	}
	argv, variable = Arrange([]string{"java", "A"}, "", false, agent)
	if variable != "" || argv[len(argv)-2] != "-javaagent:a.jar=x.*" {
		t.Errorf("an agent: %q, %q", argv, variable)
	}
}
