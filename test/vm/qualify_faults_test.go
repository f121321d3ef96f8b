package vm

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestQualifyDrivers: on drivers that only limits hold, requests are found to take effect, and
// everything is as it was after kill -9.
func TestQualifyDrivers(t *testing.T) {
	for _, d := range limitDrivers {
		t.Run(d.name, func(t *testing.T) {
			settle(t)
			underDriver(t, d.name)
			q, r := qualify(t, "--quick", "--each", "50ms", "--steps", "1,2,8")
			says(t, r.err+r.out, "Does the clock follow requests?")
			for _, c := range []struct {
				step     int
				question string
			}{{2, "Does the clock follow"}, {2, "Does each frequency domain"},
				{8, "Is everything as it was after kill -9?"},
				{8, "Is the machine as it was found?"}} {
				if got, found := q.check(c.step, c.question); got != believed {
					t.Errorf("step %d, %s %q: %s", c.step, c.question, got, found)
				}
			}
		})
	}
}

// wattsLog writes the log of a plug until the returned function is called: a quarter more than the
// package's zones show in each stretch, with meters that count whole.
func wattsLog(t *testing.T, path string, permille float64) (end func()) {
	t.Helper()
	zones := []string{"intel-rapl:0", "intel-rapl:0:0"}
	total := func() (j float64) {
		for _, z := range zones {
			var uj float64
			b, err := os.ReadFile("/sys/class/powercap/" + z + "/energy_uj")
			if err == nil {
				fmt.Sscan(string(b), &uj)
			}
			j += uj / 1e6
		}
		return j
	}
	stop, done := make(chan bool), make(chan bool)
	go func() {
		defer close(done)
		var log strings.Builder
		log.WriteString("time,watts\n")
		last, at := total(), time.Now()
		for {
			select {
			case <-stop:
				return
			case <-time.After(50 * time.Millisecond):
			}
			now, joules := time.Now(), total()
			if joules > last { // else the counter has wrapped
				fmt.Fprintf(&log, "%.3f,%.3f\n", float64(now.UnixNano())/1e9,
					1.25*(joules-last)/now.Sub(at).Seconds()*1000/permille)
			}
			last, at = joules, now
			_ = os.WriteFile(path, []byte(log.String()), 0o600)
		}
	}()
	return func() {
		close(stop)
		<-done
	}
}

// TestQualifyMeter: a meter that counts half is found beside the log of a meter that counts whole,
// and one that counts whole is believed.
func TestQualifyMeter(t *testing.T) {
	for _, c := range []struct{ permille, answer string }{{"1000", believed}, {"500", not}} {
		t.Run(c.permille, func(t *testing.T) {
			settle(t)
			fault(t, "wrap_uj", "262143328850")
			fault(t, "meter_permille", c.permille)
			const log = "/tmp/plug.csv"
			var permille float64
			fmt.Sscan(c.permille, &permille)
			end := wattsLog(t, log, permille)
			time.Sleep(200 * time.Millisecond) // the log is there
			q, _ := qualify(t, "--quick", "--each", "200ms", "--steps", "4", "--meter-csv", log)
			end()
			if got, found := q.check(4, "Does RAPL agree with --meter-csv?"); got != c.answer {
				t.Errorf("%q: %s", got, found)
			}
		})
	}
}

// TestQualifyQuota: where the machine gives its cgroups CPU time, step 6 has rounds under a quota,
// and the quota holds the program back.
func TestQualifyQuota(t *testing.T) {
	quotaGroup(t)
	settle(t)
	q, _ := qualify(t, "--quick", "--each", "50ms", "--rounds", "1", "--clocks", "2",
		"--steps", "6")
	s := q.Steps[5]
	if s.State != "finished" || len(s.Missing) > 0 || len(s.Comparisons) == 0 {
		t.Fatalf("%+v", s)
	}
	c := s.Comparisons[len(s.Comparisons)-1]
	if c.Condition != "under a CPU quota" || c.HeldNS == nil || *c.HeldNS == 0 {
		t.Errorf("the last rounds had no quota: %+v", c)
	}
}

// TestQualifyInterrupted: after SIGINT in the middle of a step there is what was finished, and the
// machine is as it was.
func TestQualifyInterrupted(t *testing.T) {
	const dir, said = "/tmp/interrupted", "/tmp/interrupted.txt"
	settle(t)
	before := controls(t)
	shown, err := os.Create(said)
	if err != nil {
		t.Fatal(err)
	}
	defer shown.Close()
	c := exec.Command("/bin/ebb", "qualify", "--quick", "--each", "100ms", "--steps", "1,2,5,6",
		"-o", dir)
	c.Stdout, c.Stderr = shown, shown
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	for start := time.Now(); !strings.Contains(read(t, said), "records compute at 2"); {
		if time.Since(start) > patience {
			t.Fatal("it records nothing: ", read(t, said))
		}
		time.Sleep(20 * time.Millisecond)
	}
	for start := time.Now(); fmt.Sprint(controls(t)) == fmt.Sprint(before) &&
		time.Since(start) < patience; {
		time.Sleep(5 * time.Millisecond) // until a clock is held
	}
	if err := c.Process.Signal(unix.SIGINT); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	t.Log(read(t, said))
	same(t, controls(t), before)
	q := resultIn(t, dir)
	states := ""
	for _, s := range q.Steps {
		states += fmt.Sprintf("%d %s; ", s.Step, s.State)
	}
	if code := c.ProcessState.ExitCode(); code != 130 || !q.Interrupted || len(q.Changed) > 0 ||
		!strings.HasPrefix(states, "1 finished; 2 finished; 3 not run; 4 not run; 5 not run; "+
			"6 not run; ") {
		t.Errorf("status %d, interrupted %v, changed %v, %s", code, q.Interrupted, q.Changed,
			states)
	}
}
