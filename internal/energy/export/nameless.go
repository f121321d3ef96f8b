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
	const command, server = "to name them: ", "to name them by a server"
	i := -1
	for _, begin := range []string{command, server} {
		if i < 0 {
			i = slices.IndexFunc(lines, func(s string) bool { return strings.HasPrefix(s, begin) })
		}
	}
	i = max(i, 0)
	return strings.TrimPrefix(lines[i], command), slices.Delete(slices.Clone(lines), i, i+1)
}
