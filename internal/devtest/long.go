package devtest

import (
	"os"
	"testing"
	"time"
)

// LongReason is the reason with which a test is skipped that make test leaves to make test-all.
const LongReason = "long: make test-all runs it"

// Long skips a test that make test (-short) leaves to make test-all: one of several of a kind, of
// which another one stays.
func Long(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip(LongReason)
	}
}

// Cases returns the number of cases to try: all of them, or some in make test (-short).
func Cases(all, some int) int {
	if testing.Short() {
		return some
	}
	return all
}

// Hung is a time that only a hang reaches, also on a slow host with much else to do: what a test
// waits for has come long before.
const Hung = 3 * time.Minute

// idleEnv, where it is not empty, says that nothing else runs on the machine: make soak sets it.
const idleEnv = "EBB_IDLE"

// Bound returns the time that ebb promises where the machine is idle, else Hung: on a busy one what
// a test sees late may be the machine's.
func Bound(promised time.Duration) time.Duration {
	if os.Getenv(idleEnv) == "" {
		return Hung
	}
	return promised
}
