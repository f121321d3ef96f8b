package replay

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/many"
)

// Player is a Machine that plays a recording and insists on the recorded actions.
type Player struct {
	frames    frameReader
	cfg       governor.Config
	tenants   *many.Config // nil: there is one target
	dec       decoder
	batch     []governor.Event      // rest of the batch that Next returns
	expected  []governor.Action     // rest of the actions recorded after the batch
	following []governor.Event      // next batch, read while looking for those actions
	applied   int                   // actions that agreed so far
	compare   func(governor.Action) // nil: the recorded actions are insisted on
	truncated bool                  // the recording has no last frame
	ended     bool                  // all frames have been read; set with truncated
	begun     bool                  // an event has been read; the first is a Begin
}

// DivergedError says that the governor did not act as recorded. Index counts actions from 0. Want
// is nil if the recording has no action there, and Got if the governor took none.
type DivergedError struct {
	Index     int
	Want, Got *governor.Action
}

func (e *DivergedError) Error() string {
	return fmt.Sprintf("action %d differs: recorded %s, replayed %s", e.Index, describe(e.Want),
		describe(e.Got))
}

func describe(a *governor.Action) string {
	switch {
	case a == nil:
		return "none"
	case a.Kind == governor.SetFrequency:
		return "set " + a.Frequency.String()
	case a.Kind == governor.Insist:
		return "set " + a.Frequency.String() + " again"
	case a.Kind == governor.Unheeded, a.Kind == governor.Heeded, a.Kind == governor.Limited:
		return fmt.Sprintf("a clock of %v for %v", a.Frequency, a.Reported)
	case a.Kind == governor.Rest:
		return fmt.Sprintf("rest %+v", a.Rest)
	default:
		return fmt.Sprintf("decision %+v", a.Quantum)
	}
}

// NewPlayer reads the recording's header from r. It fails with ErrFormat if r is no recording.
func NewPlayer(r io.Reader) (*Player, error) {
	head := make([]byte, len(magic))
	_, err := io.ReadFull(r, head)
	several := string(head) == magicMany
	if err != nil || string(head) != magic && !several {
		return nil, fmt.Errorf("read recording: %w", ErrFormat)
	}
	p := &Player{frames: frameReader{r: r, many: several}, dec: decoder{many: several}}
	t, payload, err := p.frames.next()
	if err != nil {
		return nil, fmt.Errorf("read the recording's header: %w", err)
	}
	if t != frameHeader {
		return nil, fmt.Errorf("recording begins with a %q frame: %w", t, ErrFormat)
	}
	var cfg any = &p.cfg
	if several {
		p.tenants = &many.Config{}
		cfg = p.tenants
	}
	dec := json.NewDecoder(bytes.NewReader(payload))
	dec.DisallowUnknownFields()
	if err := dec.Decode(cfg); err != nil {
		return nil, fmt.Errorf("read the recorded configuration: %w: %w", err, ErrFormat)
	}
	p.dec.counters = len(p.cfg.Counters)
	if several {
		p.dec.counters = countersOf(p.tenants)
	}
	if p.dec.counters > epochs.MaxCounters {
		return nil, fmt.Errorf("recording has %d counters, more than %d: %w", p.dec.counters,
			epochs.MaxCounters, ErrFormat)
	}
	return p, nil
}

// Tenants returns the configuration of the governors of several tenants. It is nil where there was
// one target; then Config has its configuration.
func (p *Player) Tenants() *many.Config { return p.tenants }

// Config returns the configuration of the governor that was recorded.
func (p *Player) Config() governor.Config { return p.cfg }

// Applied returns the number of actions that agreed so far.
func (p *Player) Applied() int { return p.applied }

// Truncated reports whether the recording ends early, as after a crash.
func (p *Player) Truncated() bool { return p.truncated }

// Next implements governor.Machine.
func (p *Player) Next(ctx context.Context, buf []governor.Event) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if len(p.batch) == 0 {
		if p.compare != nil {
			p.handOver()
		}
		if len(p.expected) > 0 {
			return 0, &DivergedError{Index: p.applied, Want: &p.expected[0]}
		}
		if err := p.load(); err != nil {
			return 0, err
		}
		if len(p.batch) == 0 {
			return 0, io.EOF
		}
	}
	n := copy(buf, p.batch)
	p.batch = p.batch[n:]
	return n, nil
}

// Apply implements governor.Machine.
func (p *Player) Apply(a governor.Action) error {
	if p.compare != nil {
		return nil
	}
	if len(p.expected) == 0 {
		if p.truncated && p.following == nil {
			return nil // the governor's action here was not recorded
		}
		return &DivergedError{Index: p.applied, Got: &a}
	}
	want := p.expected[0]
	if want != a {
		return &DivergedError{Index: p.applied, Want: &want, Got: &a}
	}
	p.expected = p.expected[1:]
	p.applied++
	return nil
}

// load reads the next batch and the actions after it.
func (p *Player) load() error {
	p.batch, p.following = p.following, nil
	for !p.ended {
		t, payload, err := p.frames.next()
		switch {
		case errors.Is(err, errTruncated), errors.Is(err, io.EOF):
			p.truncated, p.ended = true, true
			return nil
		case err != nil:
			return fmt.Errorf("read recording: %w", err)
		}
		p.dec.b = payload
		switch t {
		case frameLast:
			p.ended = true
			return nil
		case frameEvents:
			p.following = p.decodeBatch()
		case frameAction:
			p.expected = append(p.expected, p.dec.action())
		default:
			return fmt.Errorf("frame of unknown type %q: %w", t, ErrFormat)
		}
		if p.dec.err != nil {
			return fmt.Errorf("read recording, frame %d: %w", p.frames.n-1, p.dec.err)
		}
		if len(p.following) == 0 {
			continue
		}
		if p.batch != nil {
			return nil
		}
		p.batch, p.following = p.following, nil
	}
	return nil
}

func (p *Player) decodeBatch() []governor.Event {
	var batch []governor.Event
	for len(p.dec.b) > 0 && p.dec.err == nil {
		ev := p.dec.event()
		if p.tenants == nil && !p.begun && ev.Kind != governor.Begin {
			p.dec.fail("the first event does not begin the run")
		}
		p.begun = true
		batch = append(batch, ev)
	}
	return batch
}

// Compare makes the player accept every action and call take with the recorded ones, in order,
// instead of insisting on them. So a governor with another configuration can play the recording.
// The recorded clock does not follow what that governor asks for.
func (p *Player) Compare(take func(governor.Action)) { p.compare = take }

func (p *Player) handOver() {
	for _, a := range p.expected {
		p.compare(a)
	}
	p.expected = p.expected[:0]
}
