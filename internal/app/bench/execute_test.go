package bench

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// standIn is a Runner whose runs take no time; the time that each claims identifies it.
type standIn struct {
	mu       sync.Mutex
	plan     *Plan
	parallel int
	ran      []string
	fail     func(s Setting, round int) error
}

func (r *standIn) Parallel() int { return r.parallel }

func (r *standIn) Run(ctx context.Context, s Setting, round int) (Measurement, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.fail != nil {
		if err := r.fail(s, round); err != nil {
			return Measurement{}, err
		}
	}
	if err := ctx.Err(); err != nil {
		return Measurement{}, err
	}
	r.ran = append(r.ran, fmt.Sprintf("%d %s", round, s.id()))
	i := slices.Index(r.plan.Settings, s)
	return Measurement{Wall: time.Duration(1e9 + round*1e6 + i*1e3), Source: Modelled,
		Zones: []Zone{{Processor, 1e9}}}, nil
}

// memory is a recorder.
type memory struct{ samples []Sample }

func (m *memory) Add(s *Sample) error {
	m.samples = append(m.samples, *s)
	return nil
}

type nobody struct{ began, finished int }

func (n *nobody) Began(Setting, int)              { n.began++ }
func (n *nobody) Finished(*Sample, time.Duration) { n.finished++ }

func TestExecute(t *testing.T) {
	p := testPlan()
	r, record, watch := &standIn{plan: p, parallel: 1}, &memory{}, &nobody{}
	samples, err := Execute(t.Context(), p, 3, r, nil, record, watch)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	want = append(want, "0 static:4GHz") // the warm-up
	for round := 1; round <= 3; round++ {
		for _, i := range p.order(round) {
			want = append(want, fmt.Sprintf("%d %s", round, p.Settings[i].id()))
		}
	}
	if !slices.Equal(r.ran, want) {
		t.Errorf("ran %q\nwant %q", r.ran, want)
	}
	if len(samples) != 21 || len(record.samples) != 21 || watch.began != 22 ||
		watch.finished != 22 {
		t.Errorf("%d samples, %d recorded, %d began, %d finished", len(samples),
			len(record.samples), watch.began, watch.finished)
	}
	for i := range samples {
		if s := &samples[i]; s.Round != i/7+1 || s.Setting != i%7 {
			t.Errorf("sample %d is of round %d, setting %d", i, s.Round, s.Setting)
		}
	}
}

// TestAnInterruptedMeasurementGoesOnInOrder: a measurement that was interrupted after any number of
// runs makes the rest in the same order, and has the same result.
func TestAnInterruptedMeasurementGoesOnInOrder(t *testing.T) {
	p := testPlan()
	whole, err := Execute(t.Context(), p, 2, &standIn{plan: p, parallel: 1}, nil, &memory{},
		&nobody{})
	if err != nil {
		t.Fatal(err)
	}
	for after := range 14 {
		ctx, cancel := context.WithCancel(t.Context())
		r := &standIn{plan: p, parallel: 1}
		r.fail = func(Setting, int) error {
			if len(r.ran) == after+1 {
				cancel()
			}
			return nil
		}
		record := &memory{}
		part, err := Execute(ctx, p, 2, r, nil, record, &nobody{})
		if !errors.Is(err, context.Canceled) || len(part) != after {
			t.Fatalf("interrupted after %d: %d samples, %v", after, len(part), err)
		}
		r.fail = nil
		r.ran = nil
		all, err := Execute(t.Context(), p, 2, r, record.samples, record, &nobody{})
		if err != nil || !reflect.DeepEqual(all, whole) {
			t.Fatalf("gone on after %d: %v\n%+v", after, err, all)
		}
		if len(r.ran) != 14-after+1 {
			t.Errorf("gone on after %d with %d runs", after, len(r.ran))
		}
	}
	// Nothing is left to do: not even a warm-up.
	r := &standIn{plan: p, parallel: 1}
	if all, err := Execute(t.Context(), p, 2, r, whole, &memory{}, &nobody{}); err != nil ||
		len(r.ran) != 0 || !reflect.DeepEqual(all, whole) {
		t.Errorf("with everything done: %v, ran %q", err, r.ran)
	}
}

func TestParallelRunsGiveTheSame(t *testing.T) {
	p := testPlan()
	p.WarmUp = 0
	one, err := Execute(t.Context(), p, 5, &standIn{plan: p, parallel: 1}, nil, &memory{},
		&nobody{})
	if err != nil {
		t.Fatal(err)
	}
	four, err := Execute(t.Context(), p, 5, &standIn{plan: p, parallel: 4}, nil, &memory{},
		&nobody{})
	if err != nil || !reflect.DeepEqual(one, four) {
		t.Errorf("four at once: %v, %d samples", err, len(four))
	}
}

// TestFailingRunIsNamedAndTheRestKept: the error names it, and runs that ended before are kept.
func TestFailingRunIsNamedAndTheRestKept(t *testing.T) {
	for _, parallel := range []int{1, 3} {
		p := testPlan()
		broken := errors.New("broken")
		r := &standIn{plan: p, parallel: parallel, fail: func(s Setting, round int) error {
			if round == 2 && s.Kind == Default {
				return broken
			}
			return nil
		}}
		samples, err := Execute(t.Context(), p, 3, r, nil, &memory{}, &nobody{})
		if !errors.Is(err, broken) ||
			!strings.Contains(err.Error(), "as found (schedutil), round 2") {
			t.Errorf("%v", err)
		}
		// With others at once, some of the first round may have been under way.
		if len(samples) < 7-2*(parallel-1) || len(samples) >= 21 {
			t.Errorf("%d samples are left", len(samples))
		}
	}
}

func TestRecordThatFails(t *testing.T) {
	p := testPlan()
	full := errors.New("no space left on device")
	_, err := Execute(t.Context(), p, 1, &standIn{plan: p, parallel: 1}, nil,
		recordFunc(func(*Sample) error { return full }), &nobody{})
	if !errors.Is(err, full) {
		t.Errorf("%v", err)
	}
}

type recordFunc func(*Sample) error

func (f recordFunc) Add(s *Sample) error { return f(s) }
