package usdt

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"runtime"
	"slices"
	"testing"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// counted counts what is read. Beyond its bytes it has zeros, as a sparse file.
type counted struct {
	data []byte
	read uint64
}

func (c *counted) ReadAt(b []byte, at int64) (int, error) {
	clear(b)
	if at < int64(len(c.data)) {
		copy(b, c.data[at:])
	}
	c.read += uint64(len(b))
	return len(b), nil
}

// mostRead is the most that the finder reads of any file, and so nearly the most it allocates.
const mostRead = headerSize + maxSegments*segmentSize + maxSections*sectionSize + maxNames +
	maxNotes

var sound = devtest.JVMRuntime([]byte("\x90\x90"), devtest.USDTCodeAt, devtest.USDTCodeAt+1)

// changed returns the sound image with a value written over it.
func changed(at int, value any) []byte {
	image := bytes.Clone(sound)
	if _, err := binary.Encode(image[at:], binary.LittleEndian, value); err != nil {
		panic(err)
	}
	return image
}

func TestFindCollector(t *testing.T) {
	notes, base, names := devtest.USDTSectionAt(sound,
		devtest.USDTNotesSection), devtest.USDTSectionAt(sound,
		devtest.USDTBaseSection), devtest.USDTSectionAt(sound, devtest.USDTNamesSection)
	many := make([]devtest.USDTProbe, MaxPlaces+1)
	for i := range many {
		many[i] = devtest.USDTProbe{Provider: jvmProvider, Name: jvmBegins,
			Place: devtest.USDTCodeAt}
	}
	const huge = 200 << 30
	for name, c := range map[string]struct {
		image []byte
		size  int64 // 0: the image's
		want  error
	}{
		"sound":   {sound, 0, nil},
		"no base": {changed(base, uint32(0)), 0, nil},
		"other provider": {devtest.USDTProgram([]byte("\x90"),
			devtest.USDTProbe{Provider: "libc", Name: jvmBegins, Place: devtest.USDTCodeAt}), 0,
			ErrNoProbes},
		"begin only": {devtest.USDTProgram([]byte("\x90"),
			devtest.USDTProbe{Provider: jvmProvider, Name: jvmBegins,
				Place: devtest.USDTCodeAt}), 0,
			ErrNoProbes},
		"no section of notes":    {changed(notes, uint32(0)), 0, ErrNoProbes},
		"no sections":            {changed(40, uint64(0)), 0, ErrNoProbes},
		"sections without names": {changed(62, uint16(0)), 0, ErrNoProbes},
		"32-bit":                 {changed(4, uint8(1)), 0, ErrNoProbes},
		"big-endian":             {changed(5, uint8(2)), 0, ErrNoProbes},
		"nothing":                {nil, 0, ErrMalformed},
		"text": {bytes.Repeat([]byte("libjvm.so "), 10), 0,
			ErrMalformed},
		"negative size":                   {sound, -1, ErrMalformed},
		"cut":                             {sound[:len(sound)-1], 0, ErrMalformed},
		"number of sections in the first": {changed(60, uint16(0)), 0, ErrMalformed},
		"65,535 sections":                 {changed(60, uint16(0xffff)), huge, ErrMalformed},
		"sections of 65,535 bytes":        {changed(58, uint16(0xffff)), huge, ErrMalformed},
		"sections beyond the file":        {changed(40, ^uint64(0)-63), 0, ErrMalformed},
		"65,535 segments":                 {changed(56, uint16(0xffff)), huge, ErrMalformed},
		"segments of 65,535 bytes":        {changed(54, uint16(0xffff)), huge, ErrMalformed},
		"segments beyond the file":        {changed(32, ^uint64(0)-63), 0, ErrMalformed},
		"names in no section":             {changed(62, uint16(99)), 0, ErrMalformed},
		"names of 200 GB": {changed(names+32, uint64(huge)), 2 * huge,
			ErrMalformed},
		"notes of 200 GB": {changed(notes+32, uint64(huge)), 2 * huge,
			ErrMalformed},
		"notes beyond the file": {changed(notes+24, ^uint64(0)-7), 0, ErrMalformed},
		"compressed notes":      {changed(notes+8, uint64(0x800)), 0, ErrMalformed},
		"notes without bytes":   {changed(notes+4, uint32(8)), 0, ErrMalformed},
		"a probe outside of the segment": {changed(devtest.USDTSegmentAt+32, uint64(0x100)), 0,
			ErrMalformed},
		"a segment that is data": {changed(devtest.USDTSegmentAt+4, uint32(6)), 0,
			ErrMalformed},
		"a segment that is not in the file": {changed(devtest.USDTSegmentAt+8, ^uint64(0)-0xfff), 0,
			ErrMalformed},
		"too many probes": {devtest.USDTProgram([]byte("\x90"), many...), 0,
			ErrMalformed},
	} {
		file, size := &counted{data: c.image}, c.size
		if size == 0 {
			size = int64(len(c.image))
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got, err := FindCollector(file, size)
		runtime.ReadMemStats(&after)
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
		if want := (Collector{[]uint64{devtest.USDTCodeAt},
			[]uint64{devtest.USDTCodeAt + 1}}); err == nil &&
			(!slices.Equal(got.Begins, want.Begins) || !slices.Equal(got.Ends, want.Ends)) {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
		if file.read > mostRead {
			t.Errorf("%s: %d bytes read", name, file.read)
		}
		if more := after.TotalAlloc - before.TotalAlloc; more > 2*mostRead {
			t.Errorf("%s: %d bytes allocated", name, more)
		}
	}
}

// failing is a file that cannot be read.
type failing struct{}

var errRead = errors.New("input/output error")

func (failing) ReadAt([]byte, int64) (int, error) { return 0, errRead }

func TestFindCollectorFails(t *testing.T) {
	if _, err := FindCollector(failing{}, 1<<20); !errors.Is(err, errRead) ||
		errors.Is(err, ErrMalformed) {
		t.Errorf("a file that cannot be read: %v", err)
	}
	// The file has become shorter since its size was read.
	if _, err := FindCollector(bytes.NewReader(sound[:100]), int64(len(sound))); !errors.Is(err,
		ErrMalformed) || errors.Is(err, io.EOF) {
		t.Errorf("a file that is cut meanwhile: %v", err)
	}
}

func TestEachProbe(t *testing.T) {
	begin := devtest.USDTNote("stapsdt", 3, 0x1000, 0x10, "hotspot\x00gc__begin\x001@%dil\x00")
	end := devtest.USDTNote("stapsdt", 3, 0x2000, 0x10, "hotspot\x00gc__end\x00\x00")
	other := func(owner string, kind uint32,
		texts string) []byte {
		return devtest.USDTNote(owner, kind, 1, 2, texts)
	}
	type found struct {
		provider, name string
		location, base uint64
	}
	collect := func(data []byte) (out []found, err error) {
		err = eachProbe(data, func(p probe) error {
			out = append(out, found{string(p.provider), string(p.name), p.location, p.base})
			return nil
		})
		return out, err
	}
	want := []found{{"hotspot", "gc__begin", 0x1000, 0x10}, {"hotspot", "gc__end", 0x2000, 0x10}}
	for name, c := range map[string]struct {
		data []byte
		want []found
	}{
		"none": {nil, nil},
		"two":  {slices.Concat(begin, end), want},
		"other owners between": {slices.Concat(begin, other("GNU", 3, "a\x00b\x00\x00"), end),
			want},
		"other kinds between": {slices.Concat(begin, other("stapsdt", 2, "a\x00b\x00\x00"),
			end), want},
		"without an end of its name": {slices.Concat(begin, other("stapsdt", 3, "hotspot"), end),
			want},
	} {
		if got, err := collect(c.data); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	for cut := 1; cut < len(begin)-4; cut++ { // the last bytes may be padding
		if got, err := collect(begin[:cut]); !errors.Is(err, ErrMalformed) || got != nil {
			t.Errorf("cut at %d of %d: %v, %v", cut, len(begin), got, err)
		}
	}
}
