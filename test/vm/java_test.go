package vm

import (
	"os"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// javaFlags are those of a JVM that starts soon on a slow processor.
var javaFlags = []string{"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx64m"}

// methods is alternating as a program in Java. Its methods take turns in each of two threads, and
// the threads wait for each other: the one that waits for memory has a lock.
func methods(visit, total time.Duration) load {
	const (
		perSecond = long / 3 // iterations of the compiled methods at the highest frequency
		threads   = 2
	)
	return load{java: true, threads: threads, iterations: int(visit.Seconds() * perSecond),
		times: int(total / (2 * threads * visit))}
}

// TestJavaMethods: with counters ebb records a table of a real JVM's methods, which are compiled as
// it runs, and their shares are near the truth. Without counters the table saves at least four
// fifths of what counters save, within the budget and a point. It needs a JVM in the virtual
// machine: make test-vm RUN=TestJavaMethods.
func TestJavaMethods(t *testing.T) {
	if _, err := os.Stat("/java"); err != nil {
		t.Skip("only with RUN=TestJavaMethods: there is no JVM in the virtual machine")
	}
	settle(t)
	keep(t, states(t)[0])
	const visit = 30 * time.Millisecond
	file, table := recorded(t, methods(visit, 6*time.Second))
	for name, truth := range map[string]float64{"memory": 0.9, "compute": 0} {
		x := table.method(t, name)
		low, share := x["share_low"].(float64), x["share"].(float64)
		t.Logf("governed: %s: %.3f, %.3f to %.3f, of %v slices", name, share, low, x["share_high"],
			x["n"])
		if share > truth+0.05 || low < truth-0.1 {
			t.Errorf("%s: a share of %.3f, and %.1f waits", name, share, truth)
		}
	}
	l := alone(t, methods(visit, 9*time.Second))
	_, counted, _ := governedBy(t, l, 1, "counters")
	fault(t, "event_error", strconv.Itoa(int(unix.EBUSY)))
	_, by, dropped := governedBy(t, l, 1, "the table", "--sensitivity", file)
	if by < 0.8*counted {
		t.Errorf("%.2f %% saved, with counters %.2f; dropped after %.2f s", 100*by, 100*counted,
			dropped)
	}
}

// method is the table's entry of a method of java/Alternating.java.
func (f *functionTable) method(t *testing.T, name string) map[string]any {
	t.Helper()
	for _, x := range f.Functions {
		if x["class"] == "Alternating" && x["name"] == name && x["signature"] == "(JI)J" {
			return x
		}
	}
	t.Fatalf("no method %s in %+v", name, f.Functions)
	return nil
}
