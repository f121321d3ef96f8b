package methods

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/ebb-energy/ebb/internal/calls"
	"github.com/ebb-energy/ebb/internal/command"
)

// agents returns the options with which Java machines load the agent that counts calls, and the
// library that it calls. There are none where no Java method is to be counted.
func (c *counting) agents(argv []string) (options []string, err error) {
	if c == nil || c.options.Java == nil {
		return nil, nil
	}
	if c.library == "" {
		return nil, command.Usagef("--java: the agent needs libebb-functions.so, which is not " +
			"beside ebb: make functions makes it")
	}
	jar := calls.JavaAgent(c.library)
	if jar == "" {
		return nil, command.Usagef("--java: there is no ebb-functions.jar beside ebb: make " +
			"functions makes it where there are a JDK and libasm-java")
	}
	paths := []string{c.library, jar}
	for i := range paths {
		if paths[i], err = filepath.Abs(paths[i]); err != nil {
			return nil, fmt.Errorf("find the agent for Java programs: %w", err)
		}
		if strings.ContainsAny(paths[i], " \t\"'=") {
			return nil, command.Usagef("--java: a Java machine takes no agent whose path has "+
				"blanks, quotes or =: %s", paths[i])
		}
	}
	if err := instruments(argv[0]); err != nil {
		return nil, err
	}
	return calls.JavaOptions(paths[0], paths[1], c.options.Java), nil
}

// instruments refuses a java launcher of a Java runtime that lacks the module by which agents work.
// Other commands may start any runtime, so they are not refused.
func instruments(program string) error {
	path, err := exec.LookPath(program)
	if err != nil || filepath.Base(program) != "java" {
		return nil // the start of a missing command will fail with its own error
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return nil // as for a missing command
	}
	lib := filepath.Join(filepath.Dir(filepath.Dir(path)), "lib")
	there, err := filepath.Glob(filepath.Join(lib, "lib*.so"))
	if err != nil || len(there) == 0 {
		return nil // no JDK has this layout, and the runtime's own message says more
	}
	for _, file := range there {
		if filepath.Base(file) == "libinstrument.so" {
			return nil
		}
	}
	return command.Usagef("--java: the Java runtime of %s has no module java.instrument, without "+
		"which no agent can count", path)
}
