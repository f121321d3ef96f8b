package cgroup

import (
	"testing"
	"time"
)

func TestUsed(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"usage_usec 1500\nuser_usec 1000\nsystem_usec 500\n": 1500 * time.Microsecond,
		"user_usec 1\nusage_usec 0":                          0,
		"user_usec 1\n":                                      -1,
		"usage_usec x\n":                                     -1,
		"":                                                   -1,
	} {
		got, ok := used(text)
		if ok != (want >= 0) || ok && got != want {
			t.Errorf("%q: %v, %v", text, got, ok)
		}
	}
}
