package devtest

import (
	"flag"
	"hash/fnv"
	"math/rand/v2"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
)

var given *uint64

func init() {
	flag.Func("seed", "repeat random tests with the seed `N` that a run of them printed",
		func(text string) error {
			n, err := strconv.ParseUint(text, 10, 64)
			given = &n
			return err
		})
}

// GivenSeed returns the seed that the flag -seed names, and whether it names one.
func GivenSeed() (seed uint64, ok bool) {
	if given == nil {
		return 0, false
	}
	return *given, true
}

// Seed returns the seed of a test: the given one, else a new one. The test's log has it.
func Seed(t testing.TB) uint64 {
	t.Helper()
	s, ok := GivenSeed()
	if !ok {
		s = rand.Uint64()
	}
	t.Logf("seed %d: repeat with %s", s, SeedCommand(t.Name(), s))
	return s
}

// Rand returns the random numbers of a test, which depend on its seed and its name: tests that
// share a seed draw different numbers.
func Rand(t testing.TB) *rand.Rand {
	t.Helper()
	return numbers(Seed(t), t.Name())
}

func numbers(seed uint64, name string) *rand.Rand {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name))
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}

// repeated returns the command by which a test's executable is run with a seed; nil: go test does.
var repeated func(test string, seed uint64) string

// RepeatBy sets the command that repeats a test, where go test alone does not run it. A TestMain
// calls it.
func RepeatBy(command func(test string, seed uint64) string) { repeated = command }

// SeedCommand returns the command that repeats a test of this package with a seed.
func SeedCommand(test string, seed uint64) string {
	if repeated != nil {
		return repeated(test, seed)
	}
	pkg := "."
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Path != "" {
		// The path of a test's executable is its package's with ".test" at the end.
		rel := strings.TrimPrefix(strings.TrimSuffix(info.Path, ".test"), info.Main.Path)
		pkg += rel
	}
	return "go test " + pkg + " -run '^" + strings.ReplaceAll(test, "/", "$/^") + "$' -seed " +
		strconv.FormatUint(seed, 10)
}
