package devtest

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// ScriptCommand runs one line of a script and returns its output: lines, or "".
type ScriptCommand func(word string, args map[string]string) (string, error)

// RunScripts runs every script in testdata/*.txt with the ScriptCommand that begin returns for it.
// A line is a word and arguments, as in "look at=5ms free"; free is an argument without a value.
func RunScripts(t *testing.T, begin func() ScriptCommand) {
	t.Helper()
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got, err := play(string(want), begin())
			if err != nil {
				t.Fatal(err)
			}
			Golden(t, file, []byte(got))
		})
	}
}

// play returns the script with the output that c gives.
func play(script string, c ScriptCommand) (string, error) {
	var out strings.Builder
	in := bufio.NewScanner(strings.NewReader(script))
	skipping := false
	for in.Scan() {
		line := in.Text()
		switch {
		case line == "----":
			skipping = true
		case line == "":
			skipping = false
			out.WriteString("\n")
		case skipping:
		case strings.HasPrefix(line, "#"):
			out.WriteString(line + "\n")
		default:
			out.WriteString(line + "\n")
			words := strings.Fields(line)
			args := map[string]string{}
			for _, w := range words[1:] {
				k, v, _ := strings.Cut(w, "=")
				args[k] = v
			}
			res, err := c(words[0], args)
			if err != nil {
				return "", fmt.Errorf("%q: %w", line, err)
			}
			if res != "" {
				out.WriteString("----\n" + res)
			}
		}
	}
	return out.String(), in.Err()
}
