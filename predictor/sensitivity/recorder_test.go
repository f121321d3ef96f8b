package sensitivity

import (
	"bytes"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/units"
)

// TestRecorder: of two functions that alternate, each gets the share of its own slices, at any
// clocks, and the interval covers the truth. Slices between two functions are nobody's.
func TestRecorder(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	r := NewRecorder()
	waits := r.Function(Code{Name: "waits", Module: "app", BuildID: "aa", Range: Range{0, 9}})
	works := r.Function(Code{Name: "works", Module: "app", BuildID: "aa", Range: Range{9, 20}})
	if again := r.Function(Code{BuildID: "aa", Range: Range{9, 20}}); again != works {
		t.Fatalf("function %d again is %d", works, again)
	}
	at, ms := units.Instant(1e9), units.Instant(time.Millisecond)
	var all, held float64
	for visit := range 200 {
		fn, ratio := waits, 0.5 // ns for each cycle: a share of 2/3 at 4 GHz
		if visit%2 == 1 {
			fn, ratio = works, 0
		}
		clock := 2e9 + 2e9*rng.Float64()
		for range 10 + rng.IntN(30) {
			cycle := 1e9 / clock
			cycles := float64(ms) / (cycle + ratio*(0.95+0.1*rng.Float64()))
			r.Slice(Slice{Thread: 1, From: at, To: at + ms, Fixed: max(float64(ms)-cycles*cycle, 0),
				Cycles: cycles, Clock: clock})
			all += float64(ms)
			at += ms
			if rng.IntN(4) > 0 {
				r.Sample(1, at, fn)
			}
		}
	}
	table, dropped := r.Table()
	if err := table.validate(); err != nil || dropped != 0 || len(table.Functions) != 2 {
		t.Fatalf("%+v, %d dropped: %v", table, dropped, err)
	}
	for _, f := range table.Functions {
		held += float64(f.TimeNS)
		want := 0.0
		if f.Name == "waits" {
			want = 0.5 / (0.5 + 1e9/float64(table.Hz))
		}
		if math.Abs(f.Share-want) > 0.005 || f.Low > want+0.002 || f.High < want-0.002 ||
			f.High-f.Low > 0.02 {
			t.Errorf("%s: %v, %v to %v, want %v", f.Name, f.Share, f.Low, f.High, want)
		}
	}
	mixed := r.mixed / r.time
	if got := 1 - held/all; math.Abs(got-mixed) > 0.01 || got < 0.02 || got > 0.3 {
		t.Errorf("%v of the time is no function's, %v said", got, mixed)
	}
}

// TestRecorderKnowsNothing: without slices, without samples, with few of them and with slices that
// make no sense, nothing is claimed.
func TestRecorderKnowsNothing(t *testing.T) {
	r := NewRecorder()
	if table, _ := r.Table(); len(table.Functions) != 0 || r.mixed != 0 {
		t.Errorf("%+v of nothing", table)
	}
	fn := r.Function(Code{Name: "f", BuildID: "aa", Range: Range{0, 9}})
	r.Slice(Slice{Thread: 1, From: 5, To: 5, Clock: 1e9})
	r.Slice(Slice{Thread: 1, From: 5, To: 9, Clock: 1e9, Fixed: math.NaN()})
	r.Sample(1, 10, fn)
	r.Slice(Slice{Thread: 1, From: 10, To: 1e6, Clock: 1e9, Fixed: 9e5, Cycles: 1e5})
	r.Sample(1, 2e6, fn)
	r.Slice(Slice{Thread: 1, From: 2e6, To: 3e6, Clock: 1e9, Fixed: 9e5, Cycles: 1e5})
	r.Sample(1, 100e6, fn) // too late to say where it was
	table, _ := r.Table()
	if len(table.Functions) != 1 || table.Functions[0].Slices != 1 ||
		table.Functions[0].Low != 0 || table.Functions[0].High != 1 {
		t.Errorf("%+v", table.Functions)
	}
	nameless := r.Function(Code{Name: "g", Range: Range{0, 9}})
	r.Slice(Slice{Thread: 2, From: 10, To: 20, Clock: 1e9, Cycles: 10})
	r.Sample(2, 9, nameless)
	r.Sample(2, 30, nameless)
	if _, dropped := r.Table(); dropped != 1 {
		t.Errorf("%d functions without a build id", dropped)
	}
}

// TestRecorderIsBounded: threads that have ended make room for others, and those that are never
// sampled keep few slices.
func TestRecorderIsBounded(t *testing.T) {
	r := NewRecorder()
	fn := r.Function(Code{Name: "f", BuildID: "aa", Range: Range{0, 9}})
	at, ms := units.Instant(1e9), units.Instant(time.Millisecond)
	for id := epochs.TID(1); id <= 3*maxThreads; id++ {
		r.Sample(id, at, fn)
		for range 2 * maxAllWaiting / maxThreads {
			at += ms / 100
			r.Slice(Slice{Thread: id, From: at - ms/100, To: at, Clock: 1e9, Cycles: 1e4})
		}
		if id <= maxThreads/2 || id > 5*maxThreads/2 {
			r.Sample(id, at, fn)
		}
	}
	waiting := 0
	for _, x := range r.threads {
		waiting += len(x.slices)
	}
	if waiting != r.waiting || waiting > maxAllWaiting || len(r.threads) > maxThreads {
		t.Errorf("%d threads, %d slices, %d said", len(r.threads), waiting, r.waiting)
	}
	table, _ := r.Table()
	want := maxThreads * (2 * maxAllWaiting / maxThreads)
	if len(table.Functions) != 1 || table.Functions[0].Slices != want {
		t.Errorf("%+v, want %d slices", table.Functions, want)
	}
}

// TestRecordedTablesAreRead: whatever names and build ids a program's files have, and whatever was
// run, Read takes what Write wrote.
func TestRecordedTablesAreRead(t *testing.T) {
	r := NewRecorder()
	ms := units.Instant(time.Millisecond)
	for i, id := range []string{"aa", "no build id", strings.Repeat("aa", maxBuildID+1), ""} {
		fn := r.Function(Code{Name: strings.Repeat("ü", maxText), Module: "\xff", BuildID: id,
			Range: Range{0, 9}})
		thread := epochs.TID(i + 1)
		r.Sample(thread, ms, fn)
		r.Slice(Slice{Thread: thread, From: ms, To: 2 * ms, Clock: 1e9, Cycles: 1e6})
		r.Sample(thread, 3*ms, fn)
	}
	hash := r.Function(Code{Class: "app.Main", Name: "hash", Signature: "(I)V"})
	again := r.Function(Code{Class: "app.Main", Name: "hash", Signature: "(I)V"})
	other := r.Function(Code{Class: "app.Main", Name: "hash", Signature: "()V"})
	if again != hash || other == hash {
		t.Errorf("method %d again is %d, another is %d", hash, again, other)
	}
	r.Sample(9, ms, hash)
	r.Slice(Slice{Thread: 9, From: ms, To: 2 * ms, Clock: 1e9, Cycles: 1e6})
	r.Sample(9, 3*ms, hash)
	table, dropped := r.Table()
	table.Command = "x" + strings.Repeat("ü\xff", maxText)
	var b bytes.Buffer
	if err := table.Write(&b); err != nil {
		t.Fatal(err)
	}
	if got, err := Read(&b); err != nil || len(got.Functions) != 2 || dropped != 3 ||
		got.Functions[1].Class != "app.Main" || got.Functions[1].BuildID != "" {
		t.Errorf("%+v, %v; %d dropped", got, err, dropped)
	}
}
