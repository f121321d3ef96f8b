package cpufreq

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/ebb-energy/ebb/internal/linux/sysfs"
)

func sample(domains int) *snapshot {
	s := &snapshot{Version: snapshotVersion, PID: 42, Started: "2025-01-02T03:04:05Z",
		BootID: "b-\"\n\u2028"}
	for id := range domains {
		d := sysfs.Domain(id)
		s.Controls = append(s.Controls,
			entry{Domain: d, Control: governorFile, Found: "schedutil",
				Held: [heldValues]string{"userspace"}},
			entry{Domain: d, Control: minFile, Found: "800000"},
			entry{Domain: d, Control: maxFile, Found: "4200000",
				Held: [heldValues]string{"4200000", "1000000", "999999999"}})
	}
	return s
}

func TestSnapshotRoundTrip(t *testing.T) {
	s := sample(200)
	image, slots := s.encode()
	got, err := decode(image)
	if err != nil || !reflect.DeepEqual(got, s) {
		t.Fatalf("got %+v, %v", got, err)
	}
	for _, at := range slots {
		if at/slotAlign != (at+slotSize-1)/slotAlign {
			t.Errorf("held values at %d cross a block", at)
		}
	}
}

// Notes change the file in place, and it is a valid snapshot after each of them.
func TestNotesKeepTheSnapshotValid(t *testing.T) {
	run := filepath.Join(t.TempDir(), "run")
	d, err := openRunDir(run, lockFile, true)
	if err != nil {
		t.Fatal(err)
	}
	defer d.release()
	s := sample(40)
	r := newRecord(s)
	if err := d.store(r); err != nil {
		t.Fatal(err)
	}
	defer r.close()
	r.hold(1, [heldValues]int64{1, 22, 333})
	r.hold(119, [heldValues]int64{1234567890123456, 0, 5})
	r.holdText(0, "")
	r.holdText(3, "conservative")
	if err := r.flush(); err != nil {
		t.Fatal(err)
	}
	s.Controls[1].Held = [heldValues]string{"1", "22", "333"}
	s.Controls[119].Held = [heldValues]string{"1234567890123456", "", "5"}
	s.Controls[0].Held = [heldValues]string{}
	s.Controls[3].Held = [heldValues]string{"conservative"}
	got, err := d.load()
	if err != nil || !reflect.DeepEqual(got, s) {
		t.Errorf("got %+v, %v", got, err)
	}
	info, err := os.Stat(filepath.Join(run, snapshotFile))
	if err != nil || info.Size() != int64(len(r.image)) {
		t.Errorf("size %d, want %d, %v", info.Size(), len(r.image), err)
	}
}

// Whatever the file says, only a control that a snapshot may name is restored, and to a value that
// it may have.
func FuzzSnapshot(f *testing.F) {
	image, _ := sample(2).encode()
	f.Add(image)
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := decode(data)
		if err != nil {
			return
		}
		for i := range s.Controls {
			e := &s.Controls[i]
			if e.Domain < 0 || filepath.Clean(e.path()) != e.path() ||
				filepath.Dir(e.path()) != e.Domain.Dir() {
				t.Fatalf("path %q", e.path())
			}
			for _, v := range append([]string{e.Found}, e.Held[:]...) {
				if v != "" && !validValue(e.Control, v) {
					t.Fatalf("value %q of %s", v, e.Control)
				}
			}
		}
		if s.Controls == nil { // a file without them reads back as one with none
			s.Controls = []entry{}
		}
		again, slots := s.encode()
		got, err := decode(again)
		if err != nil || !reflect.DeepEqual(got, s) || len(slots) != len(s.Controls) {
			t.Fatalf("%q encoded as %q: %+v, %v", data, again, got, err)
		}
	})
}

func FuzzFrequencies(f *testing.F) {
	f.Add("3600000 2800000 ")
	f.Fuzz(func(t *testing.T, list string) {
		states := parseFrequencies(list)
		if len(states) > maxStates {
			t.Fatalf("%d states", len(states))
		}
		for i, s := range states {
			if s <= 0 || s > maxFrequency || s%kHz != 0 || i > 0 && s <= states[i-1] {
				t.Fatalf("%q: %v", list, states)
			}
		}
	})
}
