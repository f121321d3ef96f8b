package calls

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
)

// CheckJava refuses patterns of Java methods that no class has, or that would be other options of a
// Java machine.
func CheckJava(patterns []string) error {
	wanted := false
	for _, p := range patterns {
		name := strings.TrimPrefix(p, "!")
		wanted = wanted || name == p
		odd := func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) &&
				!strings.ContainsRune("_$.*<>-", r)
		}
		if name == "" || strings.ContainsFunc(name, odd) {
			return fmt.Errorf("%q is no pattern of classes or methods, such as com.app.*", p)
		}
	}
	if !wanted {
		return errors.New("all patterns exclude methods, and none names any")
	}
	return nil
}

// JavaOptions returns the options by which a Java machine loads the library and the agent. The
// agent could load the library, but later machines warn of programs that load any.
func JavaOptions(library, agent string, patterns []string) []string {
	return []string{"-agentpath:" + library,
		"-javaagent:" + agent + "=" + strings.Join(patterns, ",")}
}
