package methods

import (
	"os"
	"testing"

	"github.com/ebb-energy/ebb/governor/live"
)

// TestEnvironment: what a command alone is to have is gone afterwards, and what was there is back.
func TestEnvironment(t *testing.T) {
	const was, new = "EBB_TEST_WAS", "EBB_TEST_NEW"
	t.Setenv(was, "before")
	var e environment
	for _, s := range [][2]string{{was, "a"}, {was, "b"}, {new, "c"}} {
		if err := e.set(s[0], s[1]); err != nil || os.Getenv(s[0]) != s[1] {
			t.Fatalf("%s: %q, %v", s[0], os.Getenv(s[0]), err)
		}
	}
	for range 2 {
		if err := e.restore(); err != nil {
			t.Fatal(err)
		}
	}
	if _, has := os.LookupEnv(new); has || os.Getenv(was) != "before" {
		t.Errorf("%s is %q, and %s is set: %v", was, os.Getenv(was), new, has)
	}
	if e.set("a=b", "c") == nil || e.restore() != nil {
		t.Error("a name with = is taken")
	}
}

// TestPresent: a user's command lacks what ebb's own user alone has.
func TestPresent(t *testing.T) {
	t.Setenv("TOKEN", "secret")
	t.Setenv("KEPT", "a=b")
	other := &live.Identity{UID: 65534, Alone: true, Keep: []string{"KEPT"},
		Before: []string{"TOKEN=secret", "KEPT=a=b"}}
	if present(other, "TOKEN") != "" || present(other, "KEPT") != "a=b" ||
		present(nil, "TOKEN") != "secret" {
		t.Errorf("%q, %q, %q", present(other, "TOKEN"), present(other, "KEPT"),
			present(nil, "TOKEN"))
	}
}
