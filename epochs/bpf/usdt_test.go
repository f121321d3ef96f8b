package bpf

import (
	"encoding/binary"
	"errors"
	"slices"
	"testing"
)

// note builds a probe's note as sys/sdt.h has it.
func note(owner string, kind uint32, location, base uint64, texts string) []byte {
	desc := binary.LittleEndian.AppendUint64(nil, location)
	desc = binary.LittleEndian.AppendUint64(desc, base)
	desc = binary.LittleEndian.AppendUint64(desc, 0)
	desc = append(desc, texts...)
	b := binary.LittleEndian.AppendUint32(nil, uint32(len(owner)+1))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(desc)))
	b = binary.LittleEndian.AppendUint32(b, kind)
	for _, part := range [][]byte{append([]byte(owner), 0), desc} {
		b = append(b, part...)
		for len(b)%4 != 0 {
			b = append(b, 0)
		}
	}
	return b
}

func TestProbeNotes(t *testing.T) {
	begin := note("stapsdt", 3, 0x1000, 0x10, "hotspot\x00gc__begin\x001@%dil\x00")
	end := note("stapsdt", 3, 0x2000, 0x10, "hotspot\x00gc__end\x00\x00")
	want := []probe{{"hotspot", "gc__begin", 0x1000, 0x10}, {"hotspot", "gc__end", 0x2000, 0x10}}
	for name, c := range map[string]struct {
		data []byte
		want []probe
	}{
		"none":                       {nil, nil},
		"two":                        {slices.Concat(begin, end), want},
		"other owners between":       {slices.Concat(begin, note("GNU", 3, 1, 2, "a\x00b\x00\x00"), end), want},
		"other kinds between":        {slices.Concat(begin, note("stapsdt", 2, 1, 2, "a\x00b\x00\x00"), end), want},
		"without an end of its name": {slices.Concat(begin, note("stapsdt", 3, 1, 2, "hotspot"), end), want},
	} {
		if got, err := probeNotes(c.data, binary.LittleEndian); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	for cut := 1; cut < len(begin)-4; cut++ { // the last bytes may be padding
		if got, err := probeNotes(begin[:cut], binary.LittleEndian); !errors.Is(err, errNotes) {
			t.Errorf("cut at %d of %d: %v, %v", cut, len(begin), got, err)
		}
	}
}

func FuzzProbeNotes(f *testing.F) {
	f.Add(note("stapsdt", 3, 0x1000, 0x10, "hotspot\x00gc__begin\x001@%dil\x00"))
	f.Add([]byte{8, 0, 0, 0, 255, 255, 255, 255, 3, 0, 0, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		probes, err := probeNotes(data, binary.LittleEndian)
		if err != nil && probes != nil {
			t.Errorf("%v beside %v", probes, err)
		}
		if len(probes)*(noteHead+noteFixed) > len(data) {
			t.Errorf("%d probes of %d bytes", len(probes), len(data))
		}
	})
}

// A file without such notes has no probes; that is no error of the file.
func TestProbesOfAnotherFile(t *testing.T) {
	if probes, err := probesOf("/proc/self/exe", jvmProvider); err != nil || len(probes) != 0 {
		t.Errorf("%v, %v", probes, err)
	}
	if _, err := probesOf("usdt_test.go", jvmProvider); err == nil {
		t.Error("a text file is taken for a program")
	}
}
