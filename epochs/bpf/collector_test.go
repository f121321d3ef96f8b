package bpf

import (
	"bufio"
	"bytes"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/epochs/usdt"
	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/linux/proc"
	"github.com/ebb-energy/ebb/internal/safefile"
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

// follow has a runtime's collector followed.
func follow(t testing.TB, tr *Tracer, path string, pid int) {
	t.Helper()
	if err := tryFollow(tr, path, pid); err != nil {
		t.Fatal(err)
	}
}

func tryFollow(tr *Tracer, path string, pid int) error {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	f, err := safefile.OpenRegular(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	at, err := usdt.FindCollector(f, info.Size())
	if err != nil {
		return err
	}
	return tr.FollowCollector(f, at, pid)
}

// collectionsOf runs an allocating JVM and returns the phases of its collections, and the number of
// pauses in its own log. It runs the JVM again, for twice as long, until it has paused ten times:
// where others have the CPUs it allocates little in a second.
func collectionsOf(t *testing.T, followed bool, option string) (phases []epochs.Event, logged int) {
	t.Helper()
	argv := compileJava(t, "../../test/workloads/java/Contend.java")
	for seconds := 1; seconds <= 64 && logged < 10; seconds *= 2 {
		tr := openTracer(t, Config{Quantum: 5 * time.Millisecond})
		if followed {
			follow(t, tr, libjvm(t), 0)
		}
		phases = nil
		r := drain(tr, func(ev *epochs.Event) {
			switch ev.Kind {
			case epochs.Phase:
				phases = append(phases, *ev)
			case epochs.Lost:
				t.Errorf("%d records lost", ev.Count)
			}
		})
		args := append([]string{option, "-Xmx64m", "-Xlog:gc"}, argv[1:]...)
		cmd := exec.Command(argv[0], append(args, "4", strconv.Itoa(seconds), "alloc")...)
		var out bytes.Buffer
		cmd.Stdout = &out
		launch(t, tr, cmd)
		r.finish(t)
		logged = bytes.Count(out.Bytes(), []byte(" Pause "))
		if followed && len(phases) != 2*logged {
			break
		}
	}
	return phases, logged
}

// TestEachCollectionIsReportedOnce: each pause that the JVM logs is reported once, with its begin
// and its end, whichever its collector is.
func TestEachCollectionIsReportedOnce(t *testing.T) {
	collectors := []string{"-XX:+UseG1GC", "-XX:+UseSerialGC", "-XX:+UseParallelGC"}
	for _, option := range collectors[:devtest.Cases(3, 1)] {
		phases, logged := collectionsOf(t, true, option)
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

// TestCollectionsOfOthersAreNotReported: nothing is reported unasked, and nothing of a JVM that is
// not the target's.
func TestCollectionsOfOthersAreNotReported(t *testing.T) {
	devtest.Long(t)
	if phases, logged := collectionsOf(t, false, "-XX:+UseSerialGC"); len(phases) != 0 ||
		logged < 10 {
		t.Errorf("not asked for: %d phases, %d pauses", len(phases), logged)
	}
	tr := openTracer(t, Config{Quantum: 5 * time.Millisecond})
	follow(t, tr, libjvm(t), 0)
	n := 0
	r := drain(tr, func(ev *epochs.Event) {
		if ev.Kind == epochs.Phase {
			n++
		}
	})
	argv := compileJava(t, "../../test/workloads/java/Contend.java")
	if out, err := exec.Command(argv[0],
		append(argv[1:], "2", "1", "alloc")...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	launch(t, tr, exec.Command("true"))
	r.finish(t)
	if n != 0 {
		t.Errorf("%d phases of a JVM that is not followed", n)
	}
}

// TestCollectionsOfARunningJVM: a JVM that runs already reports each of its collections as well, by
// breakpoints that no other process has: none of its collections is on the thread that the process
// is named for. Where others have the CPUs it collects little, so it runs for longer then.
func TestCollectionsOfARunningJVM(t *testing.T) {
	devtest.Long(t)
	argv := compileJava(t, "../../test/workloads/java/Contend.java")
	for seconds := 3; ; seconds *= 2 {
		phases, main, logged := collectionsAttached(t, argv, seconds)
		if phases < 20 && phases <= 2*logged && main == 0 && seconds < 96 {
			continue
		}
		if phases < 20 || phases > 2*logged || main != 0 {
			t.Errorf("%d phases, %d of them on the first thread; the JVM logged %d pauses", phases,
				main, logged)
		}
		return
	}
}

// collectionsAttached attaches to a JVM once it has collected. It returns the phases from then on,
// how many of them were on the first thread, and the pauses in its log. Lines that were logged
// while ebb attached may have been waiting in the pipe.
func collectionsAttached(t *testing.T, argv []string, seconds int) (phases, main, logged int) {
	t.Helper()
	cmd := exec.Command(argv[0],
		append([]string{"-XX:+UseSerialGC", "-Xmx64m", "-Xlog:gc"},
			append(argv[1:], "4", strconv.Itoa(seconds), "alloc")...)...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	pause := func() bool { // whether the JVM logs another one
		for lines.Scan() {
			if strings.Contains(lines.Text(), " Pause ") {
				return true
			}
		}
		return false
	}
	if !pause() {
		_ = cmd.Wait() // it has ended
		return 0, 0, 0
	}
	tr := openTracer(t, Config{Quantum: 5 * time.Millisecond})
	err = tryFollow(tr, libjvm(t), cmd.Process.Pid)
	if err == nil {
		err = tr.Attach(cmd.Process.Pid)
	}
	if err != nil && proc.IsOver(cmd.Process.Pid) {
		_ = cmd.Wait() // it has ended before it was attached to
		return 0, 0, 0
	}
	if err != nil {
		t.Fatal(err)
	}
	r := drain(tr, func(ev *epochs.Event) {
		if ev.Kind == epochs.Phase {
			phases++
			if int(ev.Thread) == cmd.Process.Pid {
				main++
			}
		}
	})
	for pause() {
		logged++
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	r.finish(t)
	return phases, main, logged
}
