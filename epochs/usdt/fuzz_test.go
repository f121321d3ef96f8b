package usdt

import (
	"errors"
	"testing"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// FuzzFindCollector: a file of any bytes, which may claim any size, has the finder read a bounded
// number of bytes, and what it finds lies in the file.
func FuzzFindCollector(f *testing.F) {
	f.Add(sound, int64(len(sound)))
	f.Add(sound[:0x60], int64(200<<30))
	f.Add(changed(devtest.USDTSectionAt(sound, devtest.USDTNotesSection)+32, uint64(4096)),
		int64(1)<<40)
	f.Fuzz(func(t *testing.T, data []byte, size int64) {
		file := &counted{data: data}
		c, err := FindCollector(file, size)
		if file.read > mostRead {
			t.Errorf("%d bytes read", file.read)
		}
		if err != nil {
			if !errors.Is(err, ErrMalformed) && !errors.Is(err, ErrNoProbes) || c.Begins != nil ||
				c.Ends != nil {
				t.Errorf("%+v, %v", c, err)
			}
			return
		}
		for _, places := range [][]uint64{c.Begins, c.Ends} {
			if len(places) == 0 || len(places) > MaxPlaces {
				t.Errorf("%d places", len(places))
			}
			for _, place := range places {
				if place >= uint64(size) {
					t.Errorf("place %d of %d bytes", place, size)
				}
			}
		}
	})
}

// FuzzEachProbe: notes of any bytes have no more probes than room for them.
func FuzzEachProbe(f *testing.F) {
	f.Add(devtest.USDTNote("stapsdt", 3, 0x1000, 0x10, "hotspot\x00gc__begin\x001@%dil\x00"))
	f.Add([]byte{8, 0, 0, 0, 255, 255, 255, 255, 3, 0, 0, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		n := 0
		err := eachProbe(data, func(probe) error { n++; return nil })
		if err != nil && !errors.Is(err, ErrMalformed) {
			t.Error(err)
		}
		if n*(noteHead+noteFixed) > len(data) {
			t.Errorf("%d probes of %d bytes", n, len(data))
		}
	})
}

// FuzzMappings: any text has at most MaxMappings ranges, none empty.
func FuzzMappings(f *testing.F) {
	f.Add(
		[]byte(
			"7f0000000000-7f00002e3000 r--p 00000000 fe:00 4711   " +
				"/usr/lib/jvm/lib/server/libjvm.so (deleted)\n",
		),
	)
	f.Add([]byte("1-2 r 0 0 0 /libjvm.so\n2-1 r 0 0 0 /libjvm.so\n\n1-2 r 0 0 1 /libjvm.so"))
	f.Fuzz(func(t *testing.T, maps []byte) {
		ranges, all := Mappings(maps, JVMLibrary)
		if len(ranges) > MaxMappings || !all && len(ranges) != MaxMappings {
			t.Errorf("%d ranges, all: %v", len(ranges), all)
		}
		for _, r := range ranges {
			if r.Start >= r.End {
				t.Errorf("%x", r)
			}
		}
	})
}
