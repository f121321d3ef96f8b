package bpf

import (
	"bytes"
	"errors"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
)

// libjvm is the runtime of the java in the search path.
func libjvm(t testing.TB) string {
	t.Helper()
	java, err := exec.LookPath("java")
	if err != nil {
		t.Skip("needs Java: ", err)
	}
	if java, err = filepath.EvalSymlinks(java); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(filepath.Dir(filepath.Dir(java)), "lib/server/libjvm.so")
}

// collectionsOf runs an allocating JVM and returns what it told of its collections, and how many pauses its own log has.
func collectionsOf(t *testing.T, tr *Tracer, option string) (phases []epochs.Event, logged int) {
	t.Helper()
	argv := compileJava(t, "../../workloads/java/Contend.java")
	r := drain(tr, func(ev *epochs.Event) {
		switch ev.Kind {
		case epochs.Phase:
			phases = append(phases, *ev)
		case epochs.Lost:
			t.Errorf("%d records lost", ev.Count)
		}
	})
	args := append([]string{option, "-Xmx64m", "-Xlog:gc"}, argv[1:]...)
	cmd := exec.Command(argv[0], append(args, "4", "1", "alloc")...)
	var out bytes.Buffer
	cmd.Stdout = &out
	launch(t, tr, cmd)
	r.finish(t)
	return phases, bytes.Count(out.Bytes(), []byte(" Pause "))
}

// Each pause that the JVM logs is told once, with its begin and its end, whichever its collector is.
func TestCollectionsAreToldExactly(t *testing.T) {
	for _, option := range []string{"-XX:+UseSerialGC", "-XX:+UseParallelGC", "-XX:+UseG1GC"} {
		tr := openTracer(t, Config{Quantum: 5 * time.Millisecond})
		if err := tr.FollowCollector(libjvm(t)); err != nil {
			t.Fatal(err)
		}
		phases, logged := collectionsOf(t, tr, option)
		slices.SortStableFunc(phases, func(a, b epochs.Event) int { return int(a.At - b.At) })
		for i, ev := range phases {
			want := epochs.CollectionBegins
			if i%2 == 1 {
				want = epochs.CollectionEnds
			}
			if ev.Cause != want || ev.Thread <= 0 {
				t.Fatalf("%s: phase %d is %+v", option, i, ev)
			}
		}
		if logged < 10 || len(phases) != 2*logged {
			t.Errorf("%s: %d phases, the JVM logged %d pauses", option, len(phases), logged)
		}
	}
}

// Nothing is told that was not asked for, and nothing of a JVM that is not the target's.
func TestCollectionsOfOthersAreNotTold(t *testing.T) {
	tr := openTracer(t, Config{Quantum: 5 * time.Millisecond})
	if phases, logged := collectionsOf(t, tr, "-XX:+UseSerialGC"); len(phases) != 0 || logged < 10 {
		t.Errorf("not asked for: %d phases, %d pauses", len(phases), logged)
	}
	tr = openTracer(t, Config{Quantum: 5 * time.Millisecond})
	if err := tr.FollowCollector(libjvm(t)); err != nil {
		t.Fatal(err)
	}
	n := 0
	r := drain(tr, func(ev *epochs.Event) {
		if ev.Kind == epochs.Phase {
			n++
		}
	})
	argv := compileJava(t, "../../workloads/java/Contend.java")
	if out, err := exec.Command(argv[0], append(argv[1:], "2", "1", "alloc")...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	launch(t, tr, exec.Command("true"))
	r.finish(t)
	if n != 0 {
		t.Errorf("%d phases of a JVM that is not followed", n)
	}
}

func TestFollowCollectorRefuses(t *testing.T) {
	tr := openTracer(t, Config{Quantum: 5 * time.Millisecond})
	if err := tr.FollowCollector("/proc/self/exe"); !errors.Is(err, ErrNoProbes) {
		t.Errorf("a program without probes: %v", err)
	}
	if err := tr.FollowCollector(filepath.Join(t.TempDir(), "libjvm.so")); err == nil {
		t.Error("no file: no error")
	}
}
