package calls_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/calls"
	"github.com/ebb-energy/ebb/internal/instrumented"
	"github.com/ebb-energy/ebb/internal/sandbox/child"
)

// function is a function of a process.
type function struct {
	pid     uint32
	address uint64
}

// counted holds what a program and the library say of one run.
type counted struct {
	own     map[function]uint64 // counts by the program itself
	calls   map[function]uint64
	records map[function][]instrumented.Record
	totals  instrumented.Totals
	lost    uint64
}

// count runs a program under periods of a length. No period is on with a length of 0.
func count(
	t *testing.T, s instrumented.Settings, length time.Duration, env []string, argv ...string,
) *counted {
	t.Helper()
	return countFrom(t, s, 1, length, env, argv...)
}

// countIn runs a program in one period.
func countIn(
	t *testing.T, s instrumented.Settings, first uint32, library string, argv ...string,
) *counted {
	t.Helper()
	return countFrom(t, s, first, time.Hour, []string{"LD_PRELOAD=" + library}, argv...)
}

func countFrom(
	t *testing.T, s instrumented.Settings, first uint32, length time.Duration, env []string,
	argv ...string,
) *counted {
	t.Helper()
	m, err := calls.CreateShared(&s)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	name, value, err := m.Hand()
	if err != nil {
		t.Fatal(err)
	}
	if length > 0 {
		m.Period(first)
	}
	c := exec.Command(argv[0], argv[1:]...)
	c.Env = append(append(os.Environ(), name+"="+value), env...)
	var out, problems bytes.Buffer
	c.Stdout, c.Stderr = &out, &problems
	begun, bell, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer bell.Close()
	c.Stdin = begun
	err = c.Start()
	begun.Close()
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Handed(); err != nil {
		t.Fatal(err)
	}
	k := &counted{own: map[function]uint64{}, calls: map[function]uint64{},
		records: map[function][]instrumented.Record{}}
	r := child.NewRingReader(m.Reader())
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	for period := first + 1; ; period++ {
		select {
		case err := <-ended:
			if err != nil {
				t.Fatalf("%v: %v\n%s%s", argv, err, out.String(), problems.String())
			}
			k.read(r)
			k.parse(t, out.String())
			return k
		case <-time.After(max(length, time.Millisecond)):
			if length > 0 {
				m.Period(period)
				bell.Write([]byte{0}) // a program that has ended needs none
			}
			k.drain(r)
		}
	}
}

func (c *counted) drain(r *child.RingReader) {
	for more := true; more; {
		var lost uint64
		lost, more = r.Records(1000, func(x *instrumented.Record) {
			f := function{x.PID, x.Function}
			c.records[f] = append(c.records[f], *x)
		})
		c.lost += lost
	}
}

func (c *counted) read(r *child.RingReader) {
	c.drain(r)
	r.Calls(0, 1<<20, func(x *instrumented.Calls) {
		c.calls[function{x.PID, x.Function}] += x.Calls
	})
	c.totals = r.Totals()
}

// parse reads what the program says of itself.
func (c *counted) parse(t *testing.T, out string) {
	t.Helper()
	for line := range bytes.Lines([]byte(out)) {
		var f function
		var calls uint64
		_, err := fmt.Sscanf(string(line), "%d 0x%x %d", &f.pid, &f.address, &calls)
		if err != nil {
			t.Fatalf("the program says %q: %v", line, err)
		}
		c.own[f] = calls
	}
	if len(c.own) == 0 {
		t.Fatalf("the program says nothing of itself: %q", out)
	}
}

// exact checks every count that the program made of itself.
func (c *counted) exact(t *testing.T) {
	t.Helper()
	for f, calls := range c.own {
		if got := c.calls[f]; got != calls {
			t.Errorf("process %d, function %#x: %d calls are counted, not %d", f.pid, f.address,
				got, calls)
		}
	}
	if c.totals.Uncounted != 0 || c.lost != 0 {
		t.Errorf("%d calls are uncounted, and %d records lost", c.totals.Uncounted, c.lost)
	}
}

// sound checks that records make sense.
func (c *counted) sound(t *testing.T) {
	t.Helper()
	for f, list := range c.records {
		for i, r := range list {
			if r.End < r.Begin || r.CPU > r.End-r.Begin+uint64(time.Millisecond) {
				t.Fatalf("function %#x: record %d lasts from %d to %d, and has %d ns of CPU time",
					f.address, i, r.Begin, r.End, r.CPU)
			}
			if r.Call == 0 || r.Call > c.calls[f] {
				t.Fatalf("function %#x: record %d is of call %d of %d", f.address, i, r.Call,
					c.calls[f])
			}
		}
	}
}
