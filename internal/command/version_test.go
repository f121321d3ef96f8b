package command

import (
	"os"
	"runtime/debug"
	"strings"
	"testing"
)

func TestVersion(t *testing.T) {
	for _, tc := range []struct {
		settings []debug.BuildSetting
		want     string
	}{
		{nil, Release},
		{[]debug.BuildSetting{{Key: "vcs.modified", Value: "true"}}, Release},
		{[]debug.BuildSetting{{Key: "vcs.revision", Value: "8cb6302be9d5ffff"}},
			Release + "+8cb6302be9d5"},
		{[]debug.BuildSetting{{Key: "vcs.revision", Value: "8cb6302be9d5ffff"},
			{Key: "vcs.modified", Value: "true"}}, Release + "+8cb6302be9d5.changed"},
	} {
		if got := version(tc.settings); got != tc.want {
			t.Errorf("%v: %q, want %q", tc.settings, got, tc.want)
		}
	}
}

// TestVersionFile: the file at the top, which packagers read, has the release's number.
func TestVersionFile(t *testing.T) {
	b, err := os.ReadFile("../../VERSION")
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.TrimSpace(string(b)); got != Release {
		t.Errorf("VERSION has %q, the binary %q", got, Release)
	}
}
