package command

import (
	"runtime/debug"
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
