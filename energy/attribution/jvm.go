package attribution

import (
	"path/filepath"
	"slices"
	"strings"
)

// JVMOptions have a Java machine write down where its compiled code lies when it ends (HotSpot from
// JDK 17 on; those that do not know an option start without it): for those whose code cannot be
// told from their memory.
var JVMOptions = []string{
	"-XX:+IgnoreUnrecognizedVMOptions", "-XX:+UnlockDiagnosticVMOptions", "-XX:+DumpPerfMapAtExit",
}

// FramePointers has a Java machine keep frame pointers. Samples are walked without; but what is
// sent and received is counted in the kernel, by call stack, and there callers are told apart by
// frame pointers.
const FramePointers = "-XX:+PreserveFramePointer"

// JVMVariable is the environment variable by which a Java machine takes options that are not on its
// command line. It says so on its standard error.
const JVMVariable = "JAVA_TOOL_OPTIONS"

// Arrange prepares a command to be launched for sampling. The java launcher gets the options on its
// command line. Any other command, which may start one, gets none that it can do without; Callers
// says that stacks are to be told apart in the kernel, and for that the value is returned that
// JVMVariable is to have, given the present one.
func Arrange(argv []string, present string, callers bool) (arranged []string, variable string) {
	java := filepath.Base(argv[0]) == "java"
	if !java && !callers {
		return argv, ""
	}
	options := slices.Clone(JVMOptions)
	if callers {
		options = append(options, FramePointers)
	}
	if java {
		return append(append([]string{argv[0]}, options...), argv[1:]...), ""
	}
	if present != "" {
		options = append([]string{present}, options...)
	}
	return argv, strings.Join(options, " ")
}
