package vm

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// alternating is a load whose functions take turns within its thread, each for so long at the
// highest frequency. The function waits for memory or not, and not the thread.
func alternating(visit, total time.Duration) load {
	const perSecond = long / 2 // iterations at the highest frequency
	per, times := int(visit.Seconds()*perSecond), int(total/(2*visit))
	return load{phases: []string{"memory@900", "compute@0"}, iterations: 2 * per * times,
		times: times}
}

// functionTable is a file of ebb record --sensitivity, as far as the tests change it.
type functionTable struct {
	Version   int              `json:"ebb_sensitivity"`
	Hz        int64            `json:"frequency_hz"`
	Functions []map[string]any `json:"functions"`
}

// changed writes the table with other shares, and returns its name.
func (f *functionTable) changed(t *testing.T, shares ...float64) string {
	t.Helper()
	const file = "/tmp/changed.json"
	c := functionTable{Version: f.Version, Hz: f.Hz}
	for i, old := range f.Functions {
		x := map[string]any{}
		for k, v := range old {
			x[k] = v
		}
		x["share"], x["share_low"], x["share_high"] = shares[i], shares[i], shares[i]
		c.Functions = append(c.Functions, x)
	}
	b, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	write(t, file, string(b))
	return file
}

// recorded is a table that ebb records of a load.
func recorded(t *testing.T, l load) (file string, table functionTable) {
	t.Helper()
	file = "/tmp/functions.json"
	args := []string{"record", "--quiet", "--sensitivity", file, "--", "/bin/load"}
	if r := command(t, "/bin/ebb", append(args, l.args()...)...); r.code != 0 {
		t.Fatalf("%+v", r)
	}
	b, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(b, &table)
	}
	if err != nil || len(table.Functions) < 2 {
		t.Fatalf("%v: %s", err, b)
	}
	slices.SortFunc(table.Functions, func(a, b map[string]any) int {
		return strings.Compare(fmt.Sprint(a["name"]), fmt.Sprint(b["name"]))
	})
	for i, want := range []string{"first", "second"} {
		f := table.Functions[i]
		t.Logf("%v: %.3f, %.3f to %.3f, of %v slices", f["name"], f["share"], f["share_low"],
			f["share_high"], f["n"])
		if f["name"] != want {
			t.Fatalf("%s", b)
		}
	}
	return file, table
}

// TestSensitivity: without a PMU, a table that was recorded with one saves four fifths of what the
// PMU saves, although functions alternate within one thread. With its entries exchanged it loses
// the saving, and with shares that are all too high it is dropped within two seconds. All keep the
// budget, a stopwatch's, and a point.
func TestSensitivity(t *testing.T) {
	settle(t)
	for _, visit := range []time.Duration{20 * time.Millisecond, 150 * time.Millisecond} {
		t.Run(visit.String(), func(t *testing.T) {
			keep(t, states(t)[0])
			file, table := recorded(t, alternating(visit, 2*time.Second))
			l := alternating(visit, 6*time.Second)
			top, plain := highest(t, l), at(t, states(t)[0], l)
			judge := func(name string, flags ...string) (saved float64, r report) {
				u, rep, _ := governed(t, l, append([]string{"--slowdown", "10%"}, flags...)...)
				slow := u.time.Seconds()/plain.time.Seconds() - 1
				saved = 1 - u.joules()/top.joules()
				t.Logf("governed by %s: slowdown %.2f %%, %.2f %% saved; ebb's own %.2f %%; "+
					"estimator %s; %+v", name, 100*slow, 100*saved, 100*rep.SlowdownOwn,
					rep.Estimator, rep.Sensitivity)
				if slow > 0.11 {
					t.Errorf("%s: the slowdown is %.2f %%", name, 100*slow)
				}
				return saved, rep
			}
			counted, _ := judge("counters")
			fault(t, "event_error", strconv.Itoa(int(unix.EBUSY)))
			by, rep := judge("the table", "--sensitivity", file)
			if by < 0.8*counted || rep.Estimator != "functions" ||
				rep.Sensitivity == nil || rep.Sensitivity.Verdict == "wrong" {
				t.Errorf("%.2f %% saved, with counters %.2f; %+v", 100*by, 100*counted,
					rep.Sensitivity)
			}
			if visit > 100*time.Millisecond { // long enough for a clock of its own
				share := table.Functions[0]["share_low"].(float64)
				exchanged, _ := judge("exchanged entries", "--sensitivity",
					table.changed(t, 0, share))
				if exchanged > 0.75*by { // what is left is that of one clock for both
					t.Errorf("%.2f %% saved with exchanged entries", 100*exchanged)
				}
			}
			_, rep = judge("a table that is too high", "--sensitivity",
				table.changed(t, 0.95, 0.9))
			if s := rep.Sensitivity; s == nil || s.Verdict != "wrong" ||
				s.DroppedAfterNS > int64(2*time.Second) {
				t.Errorf("a table that is too high: %+v", s)
			}
		})
	}
}
