package governor

import (
	"context"
	"io"
	"testing"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/units"
)

// batches is a machine that gives out one batch after the other.
type batches [][]Event

func (b *batches) Next(_ context.Context, buf []Event) (int, error) {
	if len(*b) == 0 {
		return 0, io.EOF
	}
	n := copy(buf, (*b)[0])
	*b = (*b)[1:]
	return n, nil
}

func (*batches) Apply(Action) error { return nil }

// TestSamplesComeBeforeTheirTick: however small the room is, nothing is lost, and samples stand
// right before the tick.
func TestSamplesComeBeforeTheirTick(t *testing.T) {
	tick := func(at units.Instant) Event {
		return Event{Kind: Sched, Sched: epochs.Event{Kind: epochs.Tick, At: at}}
	}
	slice := Event{Kind: Sched, Sched: epochs.Event{Kind: epochs.Slice, At: 4}}
	m := WithSamples(&batches{{slice}, {slice, tick(5), tick(6)}, {{Kind: End, At: 7}}},
		func(at units.Instant, add func(*Event)) error {
			for i := range units.Instant(3) {
				add(&Event{Kind: Sampled, At: at*10 + i})
			}
			return nil
		})
	var got []units.Instant
	buf := make([]Event, 4)
	for {
		n, err := m.Next(context.Background(), buf)
		if err == io.EOF {
			break
		}
		if err != nil || n == 0 {
			t.Fatal(n, err)
		}
		for _, ev := range buf[:n] {
			at := ev.At
			if ev.Kind == Sched {
				at = ev.Sched.At
			}
			got = append(got, at)
		}
	}
	want := []units.Instant{4, 4, 50, 51, 52, 5, 60, 61, 62, 6, 7}
	if len(got) != len(want) {
		t.Fatalf("%v, want %v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("%v, want %v", got, want)
		}
	}
}
