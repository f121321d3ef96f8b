package replay_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/arbiter"
	"github.com/ebb-energy/ebb/governor/many"
	"github.com/ebb-energy/ebb/governor/replay"
)

// twoTenants has each of two tenants run twoThreads, and ends one of them before the other.
func twoTenants() (evs []governor.Event) {
	for n := arbiter.Tenant(1); n <= 2; n++ {
		for _, ev := range twoThreads(uint64(n)) {
			if ev.Kind == governor.Sched {
				ev.Sched.Tenant = uint16(n)
			} else {
				ev.Tenant = n
			}
			evs = append(evs, ev)
		}
	}
	slices.SortStableFunc(evs, func(a, b governor.Event) int {
		return int(max(a.At, a.Sched.At) - max(b.At, b.Sched.At))
	})
	return append(evs, governor.Event{Kind: governor.Applied, At: 200_000_000, Frequency: 3e9,
		Domain: 1, Refusal: "no"})
}

func tenantsConfig() many.Config {
	counting := testConfig
	counting.Counters = []string{"instructions"}
	return many.Config{Domains: []arbiter.Domain{0, 1},
		Tenants: []many.Tenant{{Number: 1, Config: testConfig}, {Number: 2, Config: counting}}}
}

func recordTenants(t testing.TB, events []governor.Event) []byte {
	t.Helper()
	g, err := many.New(tenantsConfig())
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	rec, err := replay.NewTenantsRecorder(&script{slices.Clone(events),
		rand.New(rand.NewPCG(3, 0))}, tenantsConfig(), &file)
	if err != nil {
		t.Fatal(err)
	}
	if err := governor.Run(context.Background(), g, rec); err != nil {
		t.Fatal(err)
	}
	if err := rec.Finish(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// events are those that a governor gets of a machine.
type events struct{ all []governor.Event }

func (e *events) Observe(ev *governor.Event, _ []governor.Action) { e.all = append(e.all, *ev) }

// TestTenantsReplay: the same events come back, tenants and domains with them, and the same
// actions; a governor that belongs to another tenant acts differently.
func TestTenantsReplay(t *testing.T) {
	want := twoTenants()
	file := recordTenants(t, want)
	p, err := replay.NewPlayer(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	if p.Tenants() == nil || len(p.Tenants().Tenants) != 2 || p.Tenants().Domains[1] != 1 {
		t.Fatalf("the configuration is %+v", p.Tenants())
	}
	g, err := many.New(*p.Tenants())
	if err != nil {
		t.Fatal(err)
	}
	var seen events
	if err := governor.Run(context.Background(), g, p, &seen); err != nil {
		t.Fatal(err)
	}
	if p.Applied() == 0 || p.Truncated() || !slices.Equal(seen.all, want) {
		t.Errorf("%d actions, %d events of %d", p.Applied(), len(seen.all), len(want))
	}

	other := *p.Tenants()
	other.Tenants = slices.Clone(other.Tenants)
	other.Tenants[1].Config.Slowdown = 0.5
	g, err = many.New(other)
	if err != nil {
		t.Fatal(err)
	}
	if p, err = replay.NewPlayer(bytes.NewReader(file)); err != nil {
		t.Fatal(err)
	}
	var diverged *replay.DivergedError
	if err := governor.Run(context.Background(), g, p); !errors.As(err, &diverged) {
		t.Errorf("with another budget: %v", err)
	}
}

// TestTenantsRecordingCut: a recording of one target has no tenants, and one of tenants is cut
// anywhere without harm.
func TestTenantsRecordingCut(t *testing.T) {
	p, err := replay.NewPlayer(bytes.NewReader(record(t, twoThreads(1))))
	if err != nil || p.Tenants() != nil {
		t.Errorf("of one target: %v, %v", p, err)
	}
	file := recordTenants(t, twoTenants())
	for cut := 0; cut < len(file); cut += 997 {
		p, err := replay.NewPlayer(bytes.NewReader(file[:cut]))
		if err != nil {
			continue // within the header
		}
		g, err := many.New(*p.Tenants())
		if err != nil {
			t.Fatal(err)
		}
		if err := governor.Run(context.Background(), g, p); err != nil || !p.Truncated() {
			t.Errorf("cut at %d: %v", cut, err)
		}
	}
}
