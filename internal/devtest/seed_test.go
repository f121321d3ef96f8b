package devtest

import (
	"flag"
	"fmt"
	"strings"
	"testing"
)

// TestGivenSeedRepeats: a seed from the flag gives a test the same numbers again, and another test
// others.
func TestGivenSeedRepeats(t *testing.T) {
	before := given
	defer func() { given = before }()
	if err := flag.Set("seed", "18446744073709551615"); err != nil {
		t.Fatal(err)
	}
	if s := Seed(t); s != 1<<64-1 {
		t.Errorf("New returns %d with -seed 18446744073709551615", s)
	}
	first, again := Rand(t).Uint64(), Rand(t).Uint64()
	if first != again {
		t.Errorf("the same seed gives %d and %d", first, again)
	}
	t.Run("another", func(t *testing.T) {
		if other := Rand(t).Uint64(); other == first {
			t.Errorf("two tests draw the same number, %d", other)
		}
	})
	for _, bad := range []string{"-1", "x", "18446744073709551616"} {
		if err := flag.Set("seed", bad); err == nil {
			t.Errorf("-seed %s is accepted", bad)
		}
	}
}

// TestNewSeeds: without the flag every run has another seed.
func TestNewSeeds(t *testing.T) {
	before := given
	defer func() { given = before }()
	given = nil
	if a, b := Seed(t), Seed(t); a == b {
		t.Errorf("two runs have the seed %d", a)
	}
}

func TestCommandNamesPackageAndTest(t *testing.T) {
	got := SeedCommand("TestA/b", 7)
	if !strings.HasPrefix(got, "go test ./internal/devtest -run '^TestA$/^b$'") ||
		!strings.HasSuffix(got, " -seed 7") {
		t.Errorf("%s", got)
	}
}

// TestRepeatBy: where a test's executable runs in another way, so does the command.
func TestRepeatBy(t *testing.T) {
	defer RepeatBy(nil)
	RepeatBy(func(test string, seed uint64) string { return fmt.Sprint("elsewhere ", test, seed) })
	if got := SeedCommand("TestX", 7); got != "elsewhere TestX7" {
		t.Errorf("got %q", got)
	}
}
