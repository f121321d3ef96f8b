package train

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/power/activity"
)

// sleeper is a program that leaves a process behind when it is not ended with its session.
var sleeper = []string{"sh", "-c", "sleep 60 & exec sleep 60"}

// measured measures programs beside a meter that gains 10 mJ every millisecond.
func measured(t *testing.T, ctx context.Context, d *Data, all ...Program) ([]string, error) {
	t.Helper()
	f := &tree{t, t.TempDir()}
	f.powercap(1 << 40)
	stop, stopped := make(chan bool), make(chan bool)
	go func() {
		defer close(stopped)
		out, err := os.OpenFile(f.root+"/"+zone+"energy_uj", os.O_WRONLY, 0)
		if err != nil {
			return
		}
		defer out.Close()
		for begin := time.Now(); ; time.Sleep(time.Millisecond) {
			select {
			case <-stop:
				return
			default:
			}
			_, _ = out.WriteAt(fmt.Appendf(nil, "%012d\n", time.Since(begin).Microseconds()*10), 0)
		}
	}()
	defer func() {
		close(stop)
		<-stopped
	}()
	var said []string
	err := Measure(ctx, &Settings{Programs: all, Meter: MeterSettings{Root: f.root},
		Interval: 100 * time.Millisecond, Others: 1, Out: io.Discard, Errors: io.Discard,
		Say: func(format string, args ...any) {
			said = append(said, fmt.Sprintf(format, args...))
		}, Keep: func(*Data) error { return nil }}, d)
	if errors.Is(err, activity.ErrPermission) || errors.Is(err, activity.ErrNotSupported) {
		t.Skip(err)
	}
	return said, err
}

// TestMeasure: intervals have the meter's 10 W; a program ends with its session when its time is
// over, and one that fails is named.
func TestMeasure(t *testing.T) {
	var d Data
	begin := time.Now()
	said, err := measured(t, t.Context(), &d,
		Program{Name: "sleeper", Argv: sleeper, Time: time.Second},
		Program{Name: "failing", Argv: []string{"sh", "-c", "sleep 0.35; exit 3"}})
	if err != nil {
		t.Fatal(err)
	}
	kept, sum := map[string]int{}, 0.0
	for _, v := range d.Intervals {
		kept[v.Program]++
		sum += v.Power / float64(len(d.Intervals))
	}
	// The meter's writer may be late by tens of ms beside other programs; over all intervals that
	// is little.
	if sum < 7 || sum > 13 {
		t.Errorf("%.2f W of 10", sum)
	}
	most := int(time.Since(begin)/(90*time.Millisecond)) + 1
	if kept["sleeper"] < 1 || kept["failing"] < 1 || len(d.Intervals) > most {
		t.Errorf("intervals: %v, at most %d in all", kept, most)
	}
	if all := strings.Join(said, "\n"); !strings.Contains(all, "exit status 3") ||
		!strings.Contains(all, "meter: rapl: package-0") {
		t.Errorf("said: %s", all)
	}
}

// TestInterrupted: the intervals of an interrupted training are in the data set.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	var d Data
	begin := time.Now()
	_, err := measured(t, ctx, &d, Program{Name: "sleeper", Argv: sleeper},
		Program{Name: "never", Argv: sleeper})
	if !errors.Is(err, context.DeadlineExceeded) || len(d.Intervals) == 0 {
		t.Errorf("%v, %d intervals", err, len(d.Intervals))
	}
	if took := time.Since(begin); took > 30*time.Second {
		t.Errorf("it took %v to end", took)
	}
}

func TestMeasureRefuses(t *testing.T) {
	twice := Program{Name: "a", Argv: sleeper, Time: time.Second}
	if _, err := measured(t, t.Context(), &Data{}, twice, twice); !errors.Is(err, ErrPrograms) {
		t.Errorf("two programs of a name: %v", err)
	}
	elsewhere := sampleData(1, 3)
	elsewhere.Origin.CPUs++
	if _, err := measured(t, t.Context(), elsewhere, twice); !errors.Is(err, ErrElsewhere) {
		t.Errorf("data of another machine: %v", err)
	}
	if _, err := measured(t, t.Context(), &Data{}, Program{Name: "none",
		Argv: []string{"/no/such/program"}}); !errors.Is(err, ErrPrograms) ||
		!strings.Contains(err.Error(), "none") {
		t.Errorf("no such program: %v", err)
	}
}

// TestBroken: an interval over which the machine slept, or in which a CPU went, is no interval of
// that machine's, and neither is one whose counters stood still.
func TestBroken(t *testing.T) {
	m := machine{cpus: 4, interval: time.Second, others: 1, names: []string{"cpu_busy", "cycles"}}
	at := time.Date(2026, 11, 23, 1, 0, 0, 0, time.UTC)
	moments := func(wall time.Duration, cpus int, ran time.Duration) (a, b moment) {
		a.At, b.At, a.wall, b.wall = 1, 1+1e9, at, at.Add(wall)
		a.Stat.CPUs, b.Stat.CPUs = 4, cpus
		a.Counts = []activity.Count{{Name: "cycles"}}
		b.Counts = []activity.Count{{Name: "cycles", N: 4e9, Ran: ran}}
		return a, b
	}
	for name, c := range map[string]struct {
		wall, ran time.Duration
		cpus      int
		kept      bool
	}{
		"whole":            {time.Second, 4 * time.Second, 4, true},
		"suspended":        {time.Minute, 4 * time.Second, 4, false},
		"clock set back":   {-time.Hour, 4 * time.Second, 4, false},
		"a CPU went":       {time.Second, 3 * time.Second, 3, false},
		"counters stopped": {time.Second, 3 * time.Second, 4, false},
	} {
		a, b := moments(c.wall, c.cpus, c.ran)
		var kept []Interval
		var out outcome
		if err := m.judge(&a, &b, 10, nil, &kept, &out, 0); err != nil {
			t.Fatal(err)
		}
		if len(kept) == 1 != c.kept || out.Lost == 1 == c.kept {
			t.Errorf("%s: kept %d, %+v", name, len(kept), out)
		}
	}
}
