package export

import (
	"slices"
	"strings"
)

// nameless splits lines into the command that would give names, else the first sentence, and the
// rest.
func nameless(lines []string) (naming string, others []string) {
	if len(lines) == 0 {
		return "", nil
	}
	const command = "to name them: "
	i := max(slices.IndexFunc(lines, func(s string) bool {
		return strings.HasPrefix(s, command)
	}), 0)
	return strings.TrimPrefix(lines[i], command), slices.Delete(slices.Clone(lines), i, i+1)
}
