// Package seed gives random tests their seeds. A test gets a new seed in every run and prints it
// with the command that repeats the run; the flag -seed takes it back.
//
// Tests whose seeds are constants in their source do not need it.
package seed

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

// Given returns the seed that the flag -seed names, and whether it names one.
func Given() (seed uint64, ok bool) {
	if given == nil {
		return 0, false
	}
	return *given, true
}

// New returns the seed of a test: the given one, else a new one. The test's log has it.
func New(t testing.TB) uint64 {
	t.Helper()
	s, ok := Given()
	if !ok {
		s = rand.Uint64()
	}
	t.Logf("seed %d: repeat with %s", s, Command(t.Name(), s))
	return s
}

// Rand returns the random numbers of a test, which depend on its seed and its name: tests that
// share a seed draw different numbers.
func Rand(t testing.TB) *rand.Rand {
	t.Helper()
	return numbers(New(t), t.Name())
}

func numbers(seed uint64, name string) *rand.Rand {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name))
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}

// repeated is the command by which a test's executable is run with a seed; nil for go test.
var repeated func(test string, seed uint64) string

// RepeatBy sets the command that repeats a test, where go test alone does not run it. A TestMain
// calls it.
func RepeatBy(command func(test string, seed uint64) string) { repeated = command }

// Command returns the command that repeats a test of this package with a seed.
func Command(test string, seed uint64) string {
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
