package bpf

import (
	"encoding/binary"
	"errors"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/units"
)

// record builds a record: its head, then 32-bit ids, then 64-bit words.
func record(
	at uint64, kind, off, on, counters uint8, cpu uint16, ids []int32, words ...uint64,
) []byte {
	b := binary.LittleEndian.AppendUint64(nil, at)
	b = append(b, kind, off, on, counters)
	b = binary.LittleEndian.AppendUint16(b, cpu)
	b = binary.LittleEndian.AppendUint16(b, 0)
	for _, id := range ids {
		b = binary.LittleEndian.AppendUint32(b, uint32(id))
	}
	for _, w := range words {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return b
}

// ofTenant puts a tenant, or of a switch what was charged before, into the head of a record.
func ofTenant(tenant uint16, record []byte) []byte {
	binary.LittleEndian.PutUint16(record[14:], tenant)
	return record
}

// tenantsOf is the word of a switch's record that has the tenants of its two threads.
func tenantsOf(prev, next uint16) int32 { return int32(uint32(prev) | uint32(next)<<16) }

func TestDecode(t *testing.T) {
	none := epochs.NoThread
	for name, c := range map[string]struct {
		record []byte
		want   []epochs.Event
	}{
		"switch between two threads, two counters": {
			record(1000, recordSwitch, uint8(epochs.FutexSleep), uint8(epochs.Woken), 2, 3,
				[]int32{7, 8, 9, 0}, 400, 900, 11, 12),
			[]epochs.Event{
				{Kind: epochs.Off, Cause: epochs.FutexSleep, At: 1000, From: 400, Charged: 400,
					Thread: 7, By: none, CPU: 3, Counters: [6]uint64{11, 12}},
				{Kind: epochs.On, Cause: epochs.Woken, At: 1000, WokenAt: 900, Thread: 8, By: 9,
					CPU: 3},
			},
		},
		"switch between two tenants": {
			record(1000, recordSwitch, uint8(epochs.Preempted), uint8(epochs.Resumed), 0, 3,
				[]int32{7, 8, -1, tenantsOf(1, MaxTenants)}, 400, 0),
			[]epochs.Event{
				{Kind: epochs.Off, Cause: epochs.Preempted, At: 1000, From: 400, Charged: 400,
					Thread: 7, By: none, CPU: 3, Tenant: 1},
				{Kind: epochs.On, Cause: epochs.Resumed, At: 1000, Thread: 8, By: none, CPU: 3,
					Tenant: MaxTenants},
			},
		},
		"switch to another program": {
			record(5, recordSwitch, uint8(epochs.Preempted), 0, 0, 0, []int32{7, -1, -1, 0}, 4, 0),
			[]epochs.Event{{Kind: epochs.Off, Cause: epochs.Preempted, At: 5, From: 4, Charged: 4,
				Thread: 7, By: none}},
		},
		"charged from its wake-up": {
			ofTenant(3, record(9000, recordSwitch, uint8(epochs.Preempted), 0, 0, 0,
				[]int32{7, -1, -1, 0}, 4000, 0)),
			[]epochs.Event{{Kind: epochs.Off, Cause: epochs.Preempted, At: 9000, From: 4000,
				Charged: 4000 - 3*64, Thread: 7, By: none}},
		},
		"the next one's interrupt at its end": {
			ofTenant(0xfffe, record(9000, recordSwitch, uint8(epochs.Preempted), 0, 0, 0,
				[]int32{7, -1, -1, 0}, 4000, 0)),
			[]epochs.Event{{Kind: epochs.Off, Cause: epochs.Preempted, At: 9000, From: 4000,
				Charged: 4000 + 2*64, Thread: 7, By: none}},
		},
		"charged from milliseconds before": {
			ofTenant(0x4000+1000, record(9e9, recordSwitch, uint8(epochs.Preempted), 0, 0, 0,
				[]int32{7, -1, -1, 0}, 8e9, 0)),
			[]epochs.Event{{Kind: epochs.Off, Cause: epochs.Preempted, At: 9e9, From: 8e9,
				Charged: 8e9 - (0x4000+1000*256)*64, Thread: 7, By: none}},
		},
		"charged until milliseconds before its end": {
			ofTenant(0x10000-0x4000-10, record(9e9, recordSwitch, uint8(epochs.Preempted), 0, 0, 0,
				[]int32{7, -1, -1, 0}, 8e9, 0)),
			[]epochs.Event{{Kind: epochs.Off, Cause: epochs.Preempted, At: 9e9, From: 8e9,
				Charged: 8e9 + (0x4000+10*256)*64, Thread: 7, By: none}},
		},
		"switch from another program": {
			record(5, recordSwitch, 0, uint8(epochs.Started), 0, 1, []int32{-1, 7, -1, 0}, 0, 0),
			[]epochs.Event{{Kind: epochs.On, Cause: epochs.Started, At: 5, Thread: 7, By: none,
				CPU: 1}},
		},
		"slice": {
			ofTenant(9, record(50, recordSlice, 0, 0, 1, 2, []int32{7, 0}, 40, 99)),
			[]epochs.Event{{Kind: epochs.Slice, At: 50, From: 40, Thread: 7, By: none, CPU: 2,
				Counters: [6]uint64{99}, Tenant: 9}},
		},
		"fork": {ofTenant(2, record(1, recordFork, 0, 0, 0, 0, []int32{7, 6})),
			[]epochs.Event{{Kind: epochs.Fork, At: 1, Thread: 7, By: 6, Tenant: 2}}},
		"exec": {record(2, recordExec, 0, 0, 0, 0, []int32{7, 9}),
			[]epochs.Event{{Kind: epochs.Exec, At: 2, Thread: 7, By: 9}}},
		"exit": {record(3, recordExit, 0, 0, 0, 0, []int32{7, -1}),
			[]epochs.Event{{Kind: epochs.Exit, At: 3, Thread: 7, By: none}}},
		"collection": {
			record(4, recordPhase, 0, uint8(epochs.CollectionEnds), 0, 2, []int32{7, -1}),
			[]epochs.Event{{Kind: epochs.Phase, Cause: epochs.CollectionEnds, At: 4, Thread: 7,
				By: none, CPU: 2}},
		},
		"totals": {
			record(3, recordTotals, 0, 0, 0, 0, []int32{7, 7}, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8), nil,
		},
	} {
		var out [2]epochs.Event
		n, err := decode(c.record, &out)
		if err != nil || n != len(c.want) {
			t.Errorf("%s: %d events, %v; want %d", name, n, err, len(c.want))
			continue
		}
		for i, want := range c.want {
			if out[i] != want {
				t.Errorf("%s: event %d is %+v, want %+v", name, i, out[i], want)
			}
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	for name, b := range map[string][]byte{
		"nothing":          nil,
		"half a head":      make([]byte, headSize-1),
		"no kind":          record(1, 0, 0, 0, 0, 0, []int32{1, 2}),
		"unknown phase":    record(1, recordPhase, 0, uint8(epochs.Exited), 0, 0, []int32{1, -1}),
		"unknown kind":     record(1, 77, 0, 0, 0, 0, []int32{1, 2}),
		"short switch":     record(1, recordSwitch, 5, 1, 0, 0, []int32{1, 2}),
		"missing counters": record(1, recordSlice, 0, 0, 3, 0, []int32{1, 0}, 1, 2),
		"too many counters": record(1, recordSlice, 0, 0, 7, 0, []int32{1, 0}, 1, 2, 3, 4, 5, 6, 7,
			8),
		"stop without cause": record(1, recordSwitch, 0, 0, 0, 0, []int32{1, -1, -1, 0}, 1, 2),
		"run for a stop": record(1, recordSwitch, 0, uint8(epochs.Exited), 0, 0,
			[]int32{-1, 1, -1, 0}, 1, 2),
	} {
		var out [2]epochs.Event
		if n, err := decode(b, &out); !errors.Is(err, errRecord) || n != 0 {
			t.Errorf("%s: %d events, %v", name, n, err)
		}
	}
	if _, err := decodeTotals(make([]byte, headSize+totalsSize-1)); !errors.Is(err, errRecord) {
		t.Error("short totals: ", err)
	}
}

func TestDecodeTotals(t *testing.T) {
	b := ofTenant(3, record(9, recordTotals, 0, 0, 0, 0, []int32{12, 10},
		binary.LittleEndian.Uint64([]byte("worker-1")), 0, 1, 2, 3, 4, 5, 6, 7, 8))
	if !isTotals(b) {
		t.Fatal("not taken for totals")
	}
	got, err := decodeTotals(b)
	want := Thread{TID: 12, TGID: 10, Comm: "worker-1", Started: 1, KernelRun: 2, KernelSwitches: 3,
		Run: 4, Switches: 5, FutexSleeps: 6, Created: 7, InnerTID: 8, Ended: 9, Tenant: 3}
	if err != nil || got != want {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
}

// TestFinishedAddsUp: ended threads beyond the bound are summed up without loss, each tenant's by
// themselves.
func TestFinishedAddsUp(t *testing.T) {
	var f finished
	for i := range maxFinished + 15 {
		tenant := uint16(1)
		if i >= maxFinished+10 {
			tenant = 2
		}
		f.add(Thread{TID: epochs.TID(i), Tenant: tenant, Started: units.Instant(100 + i),
			Ended: units.Instant(200 + i), KernelRun: time.Second, KernelSwitches: 2,
			Run: 3, Switches: 4, FutexSleeps: 5})
	}
	want := Thread{TID: epochs.NoThread, TGID: epochs.NoThread, Comm: "(10 others)",
		Started: 100 + maxFinished,
		Ended:   200 + maxFinished + 9, KernelRun: 10 * time.Second, KernelSwitches: 20, Run: 30,
		Switches: 40, FutexSleeps: 50, Tenant: 1}
	if len(f.threads) != maxFinished || f.rest[1].sum != want {
		t.Errorf("%d threads and %+v, want %d and %+v", len(f.threads), f.rest[1].sum, maxFinished,
			want)
	}
	if other := f.rest[2].sum; other.Comm != "(5 others)" || other.Tenant != 2 || other.Run != 15 {
		t.Errorf("of another tenant %+v", other)
	}
}

// FuzzDecode: decode takes any bytes: it never panics, and what it accepts makes sense.
func FuzzDecode(f *testing.F) {
	f.Add(record(1000, recordSwitch, uint8(epochs.FutexSleep), uint8(epochs.Woken), 2, 3,
		[]int32{7, 8, 9, 0}, 400, 900, 11, 12))
	f.Add(record(50, recordSlice, 0, 0, 1, 2, []int32{7, 0}, 40, 99))
	f.Add(record(1000, recordSwitch, uint8(epochs.Throttled), 0, 0, 3,
		[]int32{7, -1, -1, 0}, 900, 0))
	f.Add(record(5, recordSwitch, uint8(epochs.Exited), uint8(epochs.Resumed), 0, 1,
		[]int32{7, 8, -1, tenantsOf(MaxTenants, 1)}, 4, 0))
	f.Add(ofTenant(7,
		record(4, recordPhase, 0, uint8(epochs.CollectionEnds), 0, 2, []int32{7, -1})))
	f.Fuzz(func(t *testing.T, b []byte) {
		var out [2]epochs.Event
		n, err := decode(b, &out)
		if err != nil {
			if n != 0 || !errors.Is(err, errRecord) {
				t.Errorf("%d events with %v", n, err)
			}
			return
		}
		if n == 0 && b[8] != recordTotals && b[8] != recordSwitch {
			t.Errorf("no event from a record of kind %d", b[8])
		}
		for _, ev := range out[:n] {
			var first, last epochs.Cause // the causes that its kind can have
			switch ev.Kind {
			case epochs.On:
				first, last = epochs.Woken, epochs.Seen
			case epochs.Off:
				first, last = epochs.FutexSleep, epochs.Exited
			case epochs.Phase:
				first, last = epochs.CollectionBegins, epochs.CollectionEnds
			case epochs.Slice, epochs.Fork, epochs.Exec, epochs.Exit:
			default:
				t.Errorf("kind %d", ev.Kind)
			}
			if ev.Kind == epochs.Off && ev.Cause == epochs.Throttled {
				continue
			}
			if ev.Cause < first || ev.Cause > last {
				t.Errorf("kind %d with cause %d", ev.Kind, ev.Cause)
			}
		}
		if isTotals(b) {
			if _, err := decodeTotals(b); err != nil {
				t.Error(err)
			}
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	rec := record(1000, recordSwitch, uint8(epochs.FutexSleep), uint8(epochs.Woken), 6, 3,
		[]int32{7, 8, 9, 0}, 400, 900, 1, 2, 3, 4, 5, 6)
	var out [2]epochs.Event
	b.ReportAllocs()
	for b.Loop() {
		if _, err := decode(rec, &out); err != nil {
			b.Fatal(err)
		}
	}
}
