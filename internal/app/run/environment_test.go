package run

import (
	"os"
	"testing"
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
