package usdt

import (
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
)

// Bounds on the events of a file. JDK 17 has 272, with up to 2 places of a probe.
const (
	MaxEvents    = 1024
	maxEventName = 64
)

// Event is something that a runtime reports. It holds the places where it begins and where it ends,
// as offsets from the beginning of the file. An event without ends happens at a moment.
type Event struct {
	Name         string
	Begins, Ends []uint64
}

// jvmProviders are the providers of a JVM's probes.
var jvmProviders = []string{"hotspot", "hotspot_jni", "hs_private"}

// pairs are the endings of the names of two probes that are the two sides of one event. No other
// two make a pair.
var pairs = []struct{ begin, end string }{{"__entry", "__return"}, {"__begin", "__end"}}

// FindEvents finds the events of a JVM in the first size bytes of its libjvm.so, by their names. A
// pair of probes is one event, by its name without the ending; another probe is an event at a
// moment. A file without probes has none. The error is ErrMalformed, or the reader's.
func FindEvents(file io.ReaderAt, size int64) ([]Event, error) {
	places := map[string][]uint64{}
	var names []string
	wanted := func(p *probe) bool {
		return slices.Contains(jvmProviders, string(p.provider)) && ValidName(string(p.name))
	}
	err := eachPlace(file, size, wanted, func(name string, place uint64) error {
		known, ok := places[name]
		switch {
		case !ok && len(names) == 2*MaxEvents:
			return fmt.Errorf("%w: more than %d probes", ErrMalformed, 2*MaxEvents)
		case !ok:
			names = append(names, name)
		case len(known) == MaxPlaces:
			return fmt.Errorf("%w: more than %d probes %s", ErrMalformed, MaxPlaces, name)
		}
		places[name] = append(known, place)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look for probes: %w", err)
	}
	return paired(names, places)
}

// paired makes events of probes, sorted by name.
func paired(names []string, places map[string][]uint64) (out []Event, err error) {
	slices.Sort(names)
next:
	for _, name := range names {
		for _, p := range pairs {
			if of, ok := strings.CutSuffix(name, p.end); ok && places[of+p.begin] != nil {
				continue next // the event was made at its begin
			}
			of, ok := strings.CutSuffix(name, p.begin)
			if ok && of != "" && places[of+p.end] != nil {
				out = append(out, Event{of, places[name], places[of+p.end]})
				continue next
			}
		}
		out = append(out, Event{Name: name, Begins: places[name]})
	}
	slices.SortFunc(out, func(a, b Event) int { return strings.Compare(a.Name, b.Name) })
	out = slices.CompactFunc(out, func(a, b Event) bool { return a.Name == b.Name })
	if len(out) > MaxEvents {
		return nil, fmt.Errorf("%w: more than %d events", ErrMalformed, MaxEvents)
	}
	return out, nil
}

// ValidName reports whether a text can be the name of a probe or an event: letters, digits and _.
func ValidName(name string) bool {
	return name != "" && len(name) <= maxEventName &&
		!strings.ContainsFunc(name, func(r rune) bool {
			return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
		})
}

// ErrNotNop: a file's notes name a place as a probe where it has another instruction.
var ErrNotNop = errors.New("no nop where a probe should be")

// nops are the instructions that a compiler leaves at a probe of this architecture. On x86-64
// sys/sdt.h has the first, newer ones the second, which Linux 6.18 turns into a call.
var nops = map[string][]string{
	"amd64": {"\x90", "\x0f\x1f\x44\x00\x00"},
	"arm64": {"\x1f\x20\x03\xd5"},
}[runtime.GOARCH]

const longestNop = 5

// CheckNop verifies that a breakpoint at a place of a file does not change what the program does.
func CheckNop(file io.ReaderAt, place uint64) error {
	if place == 0 || place > math.MaxInt64-longestNop {
		return fmt.Errorf("%w: at %d", ErrNotNop, place)
	}
	var b [longestNop]byte
	n, err := file.ReadAt(b[:], int64(place))
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	for _, nop := range nops {
		if strings.HasPrefix(string(b[:n]), nop) {
			return nil
		}
	}
	return fmt.Errorf("%w: %x at %d", ErrNotNop, b[:n], place)
}
