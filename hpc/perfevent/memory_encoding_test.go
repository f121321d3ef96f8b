package perfevent

import (
	"errors"
	"fmt"
	"math/bits"
	"strings"
	"testing"
)

// skx returns a field of the format of a server's controllers, which has one field of each odd
// kind.
func skx(name string) (field, error) {
	formats := map[string]string{
		"event": "config:0-7", "umask": "config:8-15,24-27", "edge": "config:18",
		"filter": "config1:4-35",
		"all":    "config2:0-63",
	}
	text, ok := formats[name]
	if !ok {
		return field{}, fmt.Errorf("%w: no field %s", errEncoding, name)
	}
	return parseField(text)
}

func TestParseEvent(t *testing.T) {
	for text, want := range map[string]config{
		"event=0x04,umask=0x03":      {0x0304, 0, 0},
		"event=5":                    {5, 0, 0},
		"umask=0xffe,event=0x1f":     {0xf00fe1f, 0, 0},
		"event=0xff,edge":            {0x400ff, 0, 0},
		"edge=1,event=017":           {0x4000f, 0, 0},
		"filter=0xffffffff":          {0, 0xffffffff0, 0},
		"all=0xffffffffffffffff":     {0, 0, ^uint64(0)},
		"event=1,filter=2,all=3":     {1, 0x20, 3},
		"event=0x00,umask=0,edge=0":  {},
		"event=0b101,umask=0b1":      {0x105, 0, 0},
		"event=0x05,umask=0xcf,edge": {0x4cf05, 0, 0},
	} {
		if got, err := parseEvent(text, skx); err != nil || got != want {
			t.Errorf("%q: %#x, %v, want %#x", text, got, err, want)
		}
	}
	for _, text := range []string{"", "event", "event=?", "event=0x100", "edge=2", "umask=0x1000",
		"none=1", "event=", "event=-1", "event=1,", "event=1 ", "event==1",
		"event=99999999999999999999"} {
		if text == "event" {
			continue // 1, as perf has it
		}
		if got, err := parseEvent(text, skx); !errors.Is(err, errEncoding) {
			t.Errorf("%q: %#x, %v, want an error", text, got, err)
		}
	}
}

func TestParseField(t *testing.T) {
	for _, text := range []string{"", "config", "config:", "config3:0", "config:7-0", "config:64",
		"config:0-64", "config:0,0", "config:0-3,2-5", "config:a", "config:-1", "0-7",
		"config:0-7,"} {
		if f, err := parseField(text); !errors.Is(err, errEncoding) {
			t.Errorf("%q: %+v, %v, want an error", text, f, err)
		}
	}
}

// FuzzEncoding: a field that is taken holds every value that fits it, in its own bits, and no
// other.
func FuzzEncoding(f *testing.F) {
	f.Add("config:0-7", "event=0x04", uint64(4))
	f.Add("config1:8-15,24-27,63", "event", uint64(0xffff))
	f.Fuzz(func(t *testing.T, format, event string, value uint64) {
		place, err := parseField(format)
		if err != nil {
			return
		}
		var full, c config
		width := 0
		for _, r := range place.runs {
			width += r.last - r.first + 1
		}
		if err := place.put(&full, ^uint64(0)>>(64-width)); err != nil ||
			bits.OnesCount64(full[place.word]) != width {
			t.Fatalf("%q: %d bits of %#x: %v", format, width, full, err)
		}
		err = place.put(&c, value)
		if fits := bits.Len64(value) <= width; fits != (err == nil) {
			t.Fatalf("%q: %#x: %v", format, value, err)
		}
		if err == nil && (bits.OnesCount64(c[place.word]) != bits.OnesCount64(value) ||
			c[place.word]&^full[place.word] != 0) {
			t.Errorf("%q: %#x becomes %#x", format, value, c)
		}
		got, err := parseEvent(event, func(string) (field, error) { return place, nil })
		if err == nil && (got[place.word]&^full[place.word] != 0 || strings.Contains(event, "=?")) {
			t.Errorf("%q in %q is %#x", event, format, got)
		}
	})
}

func TestLinesPerCount(t *testing.T) {
	for _, c := range []struct {
		scale, unit string
		want        float64
	}{
		{"", "", 1}, {"6.103515625e-5", "MiB", 1}, {"3.814697266e-6", "MiB", 0.0625},
		{"64", "Bytes", 1}, {"0.0625", "KiB", 1}, {"1", "KB", 15.625},
	} {
		if got, err := linesPerCount(c.scale, c.unit); err != nil || got < c.want*(1-1e-6) ||
			got > c.want*(1+1e-6) {
			t.Errorf("%q %q: %v, %v, want %v", c.scale, c.unit, got, err, c.want)
		}
	}
	if got, _ := linesPerCount("6.103515625e-5", "MiB"); got != 1 {
		t.Errorf("a line is %v lines", got)
	}
	for _, c := range [][2]string{{"1", ""}, {"", "MiB"}, {"0", "MiB"}, {"-1", "MiB"},
		{"NaN", "MiB"}, {"Inf", "MiB"}, {"1", "Joules"}, {"1e300", "GiB"}, {"x", "MiB"}} {
		if got, err := linesPerCount(c[0], c[1]); !errors.Is(err, errEncoding) {
			t.Errorf("%q: %v, %v, want an error", c, got, err)
		}
	}
}
