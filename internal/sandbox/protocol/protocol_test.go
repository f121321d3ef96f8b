package protocol

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/instrumented"
)

// decoders reads a packet by each kind of message, and returns what came out.
var decoders = map[string]func([]byte) (any, error){
	"samples": func(b []byte) (any, error) {
		var out []Sample
		err := DecodeSamples(b, func(s *Sample) {
			c := *s
			c.Chain, c.Stack = slices.Clone(s.Chain), slices.Clone(s.Stack)
			out = append(out, c)
		})
		return out, err
	},
	"stacks": func(b []byte) (any, error) {
		var out []Stack
		err := DecodeStacks(b, func(s *Stack) {
			out = append(out,
				Stack{s.Seq, s.End, slices.Clone(s.Frames)})
		})
		return out, err
	},
	"names": func(b []byte) (any, error) {
		n, l, err := DecodeNames(b)
		return []any{n, l},
			err
	},
	"frames": func(b []byte) (any, error) {
		n, l, err := DecodeFrames(b)
		return []any{n, l},
			err
	},
	"codes": func(b []byte) (any, error) {
		i, n, l,
			err := DecodeCodes(b)
		return []any{i, n, l}, err
	},
	"threads": func(b []byte) (any, error) {
		i, l, err := DecodeThreads(b)
		return []any{i, l}, err
	},
	"files": func(b []byte) (any, error) {
		n, l, err := DecodeFiles(b)
		return []any{n, l},
			err
	},
	"perf maps": func(b []byte) (any, error) {
		n, l, err := DecodePerfMaps(b)
		return []any{n, l},
			err
	},
	"text": func(b []byte) (any, error) {
		n, s, r, err := DecodeText(b)
		return []any{n, s, r},
			err
	},
	"problem": func(b []byte) (any, error) { s, err := DecodeProblem(b); return s, err },
	"ranges": func(b []byte) (any, error) {
		n, l, all,
			err := DecodeRanges(b)
		return []any{n, l, all}, err
	},
	"offsets": func(b []byte) (any, error) {
		n, x, y, r, err := DecodeOffsets(b)
		return []any{n, x, y, r}, err
	},
	"places": func(b []byte) (any, error) { p, err := DecodeFileEvents(b); return p, err },
	"open":   func(b []byte) (any, error) { o, err := DecodeOpen(b); return o, err },
	"opened": func(b []byte) (any, error) { o, err := DecodeOpened(b); return o, err },
	"bind": func(b []byte) (any, error) {
		i, pid, err := DecodeBind(b)
		return []any{i, pid},
			err
	},
	"forget": func(b []byte) (any, error) { i, err := DecodeForget(b); return i, err },
	"origins question": func(b []byte) (any, error) {
		q, err := DecodeAskOrigins(b)
		return q, err
	},
	"origins": func(b []byte) (any, error) { p, err := DecodeOrigins(b); return p, err },
	"records": func(b []byte) (any, error) { r, err := DecodeRecords(b); return r, err },
	"called":  func(b []byte) (any, error) { r, err := DecodeCalled(b); return r, err },
	"ask calls": func(b []byte) (any, error) {
		n, at, err := DecodeAskCalls(b)
		return []any{n, at}, err
	},
	"hooked": func(b []byte) (any, error) {
		n, at, l, err := DecodeHooked(b)
		return []any{n, at, l}, err
	},
	"readings question": func(b []byte) (any, error) {
		q, err := DecodeAskReadings(b)
		return q, err
	},
	"readings":     func(b []byte) (any, error) { r, err := DecodeReadings(b); return r, err },
	"instrumented": func(b []byte) (any, error) { r, err := DecodeInstrumented(b); return r, err },
	"saw": func(b []byte) (any, error) {
		i, pid, addrs, err := DecodeSaw(b)
		return []any{i, pid, addrs}, err
	},
	"entries question": func(b []byte) (any, error) {
		n, names, err := DecodeAskEntries(b)
		return []any{n, names}, err
	},
	"entries": func(b []byte) (any, error) { p, err := DecodeEntries(b); return p, err },
	"symbols question": func(b []byte) (any, error) {
		a, err := DecodeAskSymbols(b)
		return a, err
	},
	"symbols": func(b []byte) (any, error) { s, err := DecodeSymbols(b); return s, err },
	"carriers": func(b []byte) (any, error) {
		i, list, err := DecodeCarriers(b)
		return []any{i, list}, err
	},
	"virtual threads": func(b []byte) (any, error) {
		i, list, err := DecodeVirtualThreads(b)
		return []any{i, list}, err
	},
	"marks": func(b []byte) (any, error) { m, err := DecodeNewMarks(b); return m, err },
	"unbind": func(b []byte) (any, error) {
		n, i,
			err := DecodeAsk(b, KindUnbind)
		return []any{n, i}, err
	},
}

// messages returns one packet of each kind, and its content.
func messages() map[string]struct {
	packet []byte
	want   any
} {
	sample := Sample{Seq: 5, Image: 3, PID: 77, At: 9, Mounted: 6, Base: 1 << 40,
		Chain: []uint64{1, 2}, Stack: []byte("stack")}
	for i := range sample.Registers {
		sample.Registers[i] = uint64(i) << 50
	}
	bare := Sample{Seq: math.MaxUint64, Chained: true, Chain: []uint64{}, Stack: []byte{}}
	codes, _ := Codes(9, 4, []Code{{Name: "a.b", Interpreted: true}, {}})
	threads, _ := Threads(9, []Thread{{ID: 7, Name: "a thread"}, {}})
	virtual, _ := VirtualThreads(9, []Virtual{{ID: 1 << 40, Name: "one"}, {}})
	open := Open{ID: 1, What: Debug, Image: 2, Start: 3, End: 4, BuildID: []byte{5, 0},
		Link: "lib.debug", Nth: 6}
	opened := Opened{ID: 7, Reason: "no", Absent: true}
	records := Records{Lost: 3, More: true, List: []instrumented.Record{{
		Segment: 1, Number: 2, PID: 3, TID: 4, Function: 5, Call: 6, Stands: 13, Begin: 7, End: 8,
		CPU:      9,
		Switches: 10, Recursive: true, Counted: true, Counts: [instrumented.Counters]uint64{11, 12},
	}, {Segment: instrumented.Segments - 1, Counted: true}}}
	called := Called{Seq: 1, Next: 2,
		Totals: instrumented.Totals{Threads: 3, Refused: 4, Uncounted: 5, Dropped: 6, Abandoned: 7,
			Open: 8, NoCounter: 9},
		List: []instrumented.Calls{{PID: 10, Born: 11, Function: 12, Calls: 13}, {}}}
	places := FileEvents{Seq: 1, Reason: "why", Events: []Event{{"gc", []uint64{2}, []uint64{3, 4}},
		{"load", []uint64{5}, nil}}}
	origins := Origins{1, []Origin{{Start: 2, End: 3, Addr: 4, BuildID: "5a", Module: "lib",
		Function: "f"}, {Start: 6, End: 7, Addr: 8}, {Start: 9, End: 10, Made: true, Function: "m",
		Class: "p.C", Signature: "()V"}}}
	readings := Readings{1, 2, 3.5, true, "why", []Reading{{4, 5.5}, {6, 7}}}
	marked := NewMarks{Bad: 3, More: true, List: []instrumented.Mark{{Name: "a", End: true, At: 5},
		{Name: "größe"}}}
	entries := Entries{1, "why", []Entry{{[]uint64{2, 3}, "f", "\x48\x83", ""},
		{nil, "", "", "no"}}}
	instrumented := Instrumented{Seq: 1, Next: 2,
		List: []Frame{{Name: "f", Module: "lib.so", Kind: "native"}, {}}}
	return map[string]struct {
		packet []byte
		want   any
	}{
		"places": {places.Encode(), places},
		"samples": {AppendSample(AppendSample(BeginSamples(nil), &sample), &bare),
			[]Sample{sample, bare}},
		"stacks": {AppendStack(BeginStacks(nil), &Stack{8, Chained, []uint64{1, Marked | 5}}),
			[]Stack{{8, Chained, []uint64{1, Marked | 5}}}},
		"names": {Names(1, []Address{{2, 3}, {KernelImage, 5}}),
			[]any{uint64(1), []Address{{2, 3}, {KernelImage, 5}}}},
		"frames": {Frames(1, []Frame{{"f", "lib", "native", "0a", "behind g", 5}}),
			[]any{uint64(1), []Frame{{"f", "lib", "native", "0a", "behind g", 5}}}},
		"threads": {threads, []any{Image(9), []Thread{{ID: 7, Name: "a thread"}, {}}}},
		"carriers": {Carriers(9, []Carrier{{1, 2, 3, 4}, {}}),
			[]any{Image(9), []Carrier{{1, 2, 3, 4}, {}}}},
		"virtual threads": {virtual, []any{Image(9), []Virtual{{ID: 1 << 40, Name: "one"}, {}}}},
		"codes": {codes, []any{Image(9), uint32(4),
			[]Code{{Name: "a.b", Interpreted: true}, {}}}},
		"files": {Files(1, []File{{"a", "b", "c", "d", "e", "f", "g"}}),
			[]any{uint64(1), []File{{"a", "b", "c", "d", "e", "f", "g"}}}},
		"perf maps": {PerfMaps(1, []Image{4, 5}), []any{uint64(1), []Image{4, 5}}},
		"text":      {Text(1, "yes", "no"), []any{uint64(1), "yes", "no"}},
		"problem":   {Problem("it is so"), "it is so"},
		"ranges":    {Ranges(1, []Range{{2, 3}}, true), []any{uint64(1), []Range{{2, 3}}, true}},
		"offsets": {Offsets(1, []uint64{2}, []uint64{3, 4}, "why"),
			[]any{uint64(1), []uint64{2}, []uint64{3, 4}, "why"}},
		"symbols question": {(&AskSymbols{1, "0a", []uint64{5}}).Encode(),
			AskSymbols{1, "0a", []uint64{5}}},
		"symbols": {(&Symbols{1, "why", []string{"f", ""}}).Encode(),
			Symbols{1, "why", []string{"f", ""}}},
		"open":         {open.Encode(), open},
		"opened":       {opened.Encode(), opened},
		"bind":         {Bind(1, 2), []any{Image(1), uint32(2)}},
		"forget":       {Forget(1), Image(1)},
		"records":      {records.Encode(), records},
		"called":       {called.Encode(), called},
		"ask calls":    {AskCalls(1, 2), []any{uint64(1), uint32(2)}},
		"saw":          {Saw(1, 2, []uint64{3, 4}), []any{Image(1), uint32(2), []uint64{3, 4}}},
		"hooked":       {Hooked(1, 2, []Image{3, 4}), []any{uint64(1), uint32(2), []Image{3, 4}}},
		"instrumented": {instrumented.Encode(), instrumented},
		"origins question": {(&AskOrigins{1, 2, true, []uint64{3, 4}}).Encode(),
			AskOrigins{1, 2, true, []uint64{3, 4}}},
		"origins":           {origins.Encode(), origins},
		"readings question": {(&AskReadings{1, 2.5, 3, 4}).Encode(), AskReadings{1, 2.5, 3, 4}},
		"readings":          {readings.Encode(), readings},
		"entries question": {AskEntries(1, []string{"f", "a::b"}),
			[]any{uint64(1), []string{"f", "a::b"}}},
		"entries": {entries.Encode(), entries},
		"marks":   {marked.Encode(), marked},
		"unbind":  {Ask(KindUnbind, 1, 2), []any{uint64(1), Image(2)}},
	}
}

// TestRoundTrips: each message comes out as it went in, is read as no other, and lacks something in
// each shorter packet.
func TestRoundTrips(t *testing.T) {
	for name, m := range messages() {
		for other, decode := range decoders {
			got, err := decode(m.packet)
			if other != name {
				if err == nil {
					t.Errorf("%s is read as %s", name, other)
				}
				continue
			}
			if err != nil || !reflect.DeepEqual(got, m.want) {
				t.Errorf("%s: %+v, %v, want %+v", name, got, err, m.want)
			}
			if name == "samples" || name == "stacks" { // any number of them is a packet
				continue
			}
			for n := range m.packet {
				if _, err := decode(m.packet[:n]); err == nil {
					t.Errorf("%s: %d of %d bytes are read", name, n, len(m.packet))
				}
			}
			if _, err := decode(append(slices.Clone(m.packet), 0)); err == nil {
				t.Errorf("%s: a byte more is read", name)
			}
		}
	}
	if len(messages()) != len(decoders) {
		t.Errorf("%d messages, %d decoders", len(messages()), len(decoders))
	}
}

// TestFits: the largest of each bounded message fits into a packet.
func TestFits(t *testing.T) {
	long := strings.Repeat("x", 1<<17)
	frames := slices.Repeat([]Frame{{long, long, "interpreted", long, long, 1}}, MaxAddresses)
	for name, b := range map[string][]byte{
		"frames":           Frames(1, frames),
		"names":            Names(1, make([]Address, MaxAddresses)),
		"carriers":         Carriers(1, make([]Carrier, 2*MaxCarriers)),
		"perf maps":        PerfMaps(1, make([]Image, 4096)),
		"text":             Text(1, long, long),
		"problem":          Problem(long),
		"records":          (&Records{List: make([]instrumented.Record, MaxRecords)}).Encode(),
		"called":           (&Called{List: make([]instrumented.Calls, MaxCalls)}).Encode(),
		"saw":              Saw(1, 2, make([]uint64, MaxSaw)),
		"origins question": (&AskOrigins{Addrs: make([]uint64, MaxOrigins)}).Encode(),
		"origins": (&Origins{List: slices.Repeat([]Origin{{End: 1, BuildID: long, Module: long,
			Function: long}, {End: 1, Made: true, Function: long, Class: long,
			Signature: long}}, MaxOrigins)}).Encode(),
		"hooked":       Hooked(1, 2, make([]Image, 2*MaxHooked)),
		"readings":     (&Readings{Reason: long, List: make([]Reading, MaxReadings)}).Encode(),
		"instrumented": (&Instrumented{List: slices.Repeat(frames[:1], MaxAddresses)}).Encode(),
		"symbols question": (&AskSymbols{BuildID: long[:2*MaxBuildID],
			Addrs: make([]uint64, MaxSymbols)}).Encode(),
		"symbols": (&Symbols{Reason: long, Names: slices.Repeat([]string{long},
			MaxSymbols+1)}).Encode(),
		"entries question": AskEntries(1, slices.Repeat([]string{long}, maxEntryNames)),
		"entries": (&Entries{Reason: long, List: slices.Repeat([]Entry{{
			make([]uint64, MaxEntries+1), long, long, long}}, maxEntryNames+1)}).Encode(),
		"files": Files(1, slices.Repeat([]File{{long, long, long, long, long, long, long}}, 100)),
	} {
		if len(b) > MaxPacket {
			t.Errorf("%s: %d bytes", name, len(b))
		}
		if _, err := decoders[name](b); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	b, n := Codes(1, 0, slices.Repeat([]Code{{Name: long}}, 100))
	if _, err := decoders["codes"](b); len(b) > MaxPacket || n == 0 || err != nil {
		t.Errorf("codes: %d bytes, %d, %v", len(b), n, err)
	}
	if _, err := decoders["stacks"](AppendStack(BeginStacks(nil),
		&Stack{Frames: make([]uint64, maxFrames+1)})); err == nil {
		t.Error("a stack that is too deep is read")
	}
	o := Open{What: Debug, Link: strings.Repeat("x", MaxLink+1)}
	if _, err := DecodeOpen(o.Encode()); err == nil {
		t.Error("a name that is too long is read")
	}
	for _, x := range []Origin{{Made: true, Class: "C"}, {Made: true, Function: "f"},
		{Made: true, Function: "f", Class: "C"}, {Made: true, Class: "C", Signature: "()V"},
		{Made: true, Module: "lib"}, {Made: true, BuildID: "5a"}, {Function: "f", Class: "C"},
		{Function: "f", Class: "C", Signature: "()V"}} {
		x.End = 1
		if _, err := DecodeOrigins((&Origins{List: []Origin{x}}).Encode()); err == nil {
			t.Errorf("%+v is read", x)
		}
	}
	if _, err := DecodeProblem(make([]byte, MaxPacket+1)); err == nil {
		t.Error("a packet that is too long is read")
	}
	for _, f := range []Frame{{Name: strings.Repeat("x", MaxName+1)},
		{Module: strings.Repeat("x", maxModule+1)}, {Kind: strings.Repeat("x", maxKind+1)}} {
		b := appendText(appendText(appendText([]byte{byte(KindFrames), 0, 0, 0, 0, 0, 0, 0, 0, 1,
			0}, f.Kind), f.Name), f.Module)
		if _, _, err := DecodeFrames(b); err == nil {
			t.Errorf("a frame with %d, %d and %d bytes is read", len(f.Name), len(f.Module),
				len(f.Kind))
		}
	}
}

// FuzzDecode: any bytes are read or refused, and little more memory is taken than the packet has.
func FuzzDecode(f *testing.F) {
	for _, m := range messages() {
		f.Add(m.packet)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for name, decode := range decoders {
			got, err := decode(b)
			if len(b) > MaxPacket && err == nil {
				t.Fatalf("%s of %d bytes is read", name, len(b))
			}
			if most := 16*len(b) + 1024; weight(reflect.ValueOf(got)) > most {
				t.Fatalf("%s: %d bytes come of %d", name, weight(reflect.ValueOf(got)), len(b))
			}
		}
	})
}

// weight estimates the bytes that a value takes, with a slice's whole capacity.
func weight(v reflect.Value) (n int) {
	if !v.IsValid() {
		return 0
	}
	switch v.Kind() {
	case reflect.Interface:
		return 16 + weight(v.Elem())
	case reflect.String:
		return 16 + v.Len()
	case reflect.Slice:
		n = 24 + (v.Cap()-v.Len())*int(v.Type().Elem().Size())
		for i := range v.Len() {
			n += weight(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			n += weight(v.Field(i))
		}
	default:
		n = int(v.Type().Size())
	}
	return n
}
