package attribution

import (
	"path/filepath"
	"strings"
)

// JVMOptions have a Java machine keep frame pointers, by which the kernel walks stacks, and write down where its compiled
// code lies when it ends (HotSpot from JDK 17 on; those that do not know an option start without it).
var JVMOptions = []string{
	"-XX:+IgnoreUnrecognizedVMOptions", "-XX:+PreserveFramePointer", "-XX:+UnlockDiagnosticVMOptions", "-XX:+DumpPerfMapAtExit",
}

// JVMVariable is the environment variable by which a Java machine takes options that are not on its command line. It says
// so on its standard error.
const JVMVariable = "JAVA_TOOL_OPTIONS"

// Arrange prepares a command to be launched for sampling. The java launcher gets the options on its command line; for
// any other command, which may start one, they are returned as the value that JVMVariable is to have, given the present
// one.
func Arrange(argv []string, present string) (arranged []string, variable string) {
	options := JVMOptions
	if filepath.Base(argv[0]) == "java" {
		return append(append([]string{argv[0]}, options...), argv[1:]...), ""
	}
	if present != "" {
		options = append([]string{present}, options...)
	}
	return argv, strings.Join(options, " ")
}
