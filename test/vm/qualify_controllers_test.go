package vm

import (
	"fmt"
	"math"
	"testing"
	"time"
)

// streamed makes the platform's memory controllers count what the program "stream" of ebb qualify
// reads: the platform counts the lines of a ms of waiting, so it needs to know how many the
// program reads in one.
func streamed(t *testing.T) {
	t.Helper()
	const mib, lines, waits = 200, 1 << 20 / 64, 0.9 // for "stream@900"
	keep(t, 4000000)
	took := func(mib int) time.Duration {
		begin := time.Now()
		if r := command(t, "/bin/ebb", "qualify-program", "stream", fmt.Sprint(mib),
			"1"); r.code != 0 {
			t.Fatalf("%+v", r)
		}
		return time.Since(begin)
	}
	little := took(mib)
	much := took(2 * mib)
	ms := (much - little).Seconds() * 1e3 / mib // of a MiB
	t.Logf("%v for %d MiB, %v for %d, %.0f lines in a ms of waiting", little, mib, much, 2*mib,
		lines/ms/waits)
	fault(t, "lines_read", fmt.Sprint(math.Round(lines/ms/waits)))
}

// TestQualifyControllers: memory controllers that count what is read are believed, and found where
// one of the two counts twice.
func TestQualifyControllers(t *testing.T) {
	settle(t)
	fault(t, "controllers", "2")
	streamed(t)
	for _, c := range []struct{ name, doubled, answer string }{
		{"right", "0", believed}, {"one counts twice", "2", not}, {"both count twice", "3", not},
	} {
		t.Run(c.name, func(t *testing.T) {
			settle(t)
			fault(t, "channel_doubled", c.doubled)
			q, _ := qualify(t, "--quick", "--each", "100ms", "--steps", "3")
			const question = "Do the memory controllers"
			got, found := q.check(3, question)
			t.Log(found)
			if got != c.answer {
				t.Errorf("%q: %s", got, found)
			}
		})
	}
}
