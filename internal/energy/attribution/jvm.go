package attribution

import (
	"path/filepath"
	"slices"
	"strings"
)

// JVMOptions make a Java machine write down the places of its compiled code when it ends (HotSpot
// from JDK 17 on; a machine that does not know an option starts without it). They serve where its
// code cannot be named from its memory. They also make it record, for all compiled code and not
// only for calls and loops, which method each instruction is of.
var JVMOptions = []string{
	"-XX:+IgnoreUnrecognizedVMOptions", "-XX:+UnlockDiagnosticVMOptions", "-XX:+DumpPerfMapAtExit",
	"-XX:+DebugNonSafepoints",
}

// framePointers makes a Java machine keep frame pointers. Samples are walked without them. But the
// kernel counts traffic by call stack, and distinguishes callers by frame pointers.
const framePointers = "-XX:+PreserveFramePointer"

// JVMVariable is the environment variable by which a Java machine takes options that are not on its
// command line. The machine mentions it on its standard error.
const JVMVariable = "JAVA_TOOL_OPTIONS"

// Arrange prepares a command to be launched for sampling. The java launcher gets the options on its
// command line. Any other command, which may start one, gets only the options that it needs: with
// callers, the kernel is to distinguish stacks, and Arrange returns the value that JVMVariable
// needs for that, given the present one. Every Java machine gets the options in agents besides.
func Arrange(
	argv []string, present string, callers bool, agents []string,
) (arranged []string, variable string) {
	java := filepath.Base(argv[0]) == "java"
	var options []string
	if java || callers {
		options = slices.Clone(JVMOptions)
	}
	if callers {
		options = append(options, framePointers)
	}
	options = append(options, agents...)
	if len(options) == 0 {
		return argv, ""
	}
	if java {
		return append(append([]string{argv[0]}, options...), argv[1:]...), ""
	}
	if present != "" {
		options = append([]string{present}, options...)
	}
	return argv, strings.Join(options, " ")
}
