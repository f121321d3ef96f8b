package usdt

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/ebb-energy/ebb/epochs/usdt/usdttest"
)

func TestFindEvents(t *testing.T) {
	at := uint64(usdttest.CodeAt)
	probes := []usdttest.Probe{{"hotspot", "gc__begin", at}, {"hotspot", "gc__end", at + 1},
		{"hotspot_jni", "Throw__entry", at + 2}, {"hotspot_jni", "Throw__return", at + 3},
		{"hotspot_jni", "Throw__return", at + 4}, {"hotspot", "unload", at + 5},
		{"hs_private", "lone__begin", at + 6}, {"hotspot", "mixed__begin", at},
		{"hotspot", "mixed__return", at}, {"libc", "setjmp", at}, {"hotspot", "a b", at},
		{"hotspot", "x\x1b", at}, {"hotspot", "__begin", at}, {"hotspot", "__end", at}}
	got, err := FindEvents(&counted{data: usdttest.Image(make([]byte, 8), probes...)},
		int64(len(usdttest.Image(make([]byte, 8), probes...))))
	want := []Event{{"Throw", []uint64{at + 2}, []uint64{at + 3, at + 4}},
		{"__begin", []uint64{at}, nil}, {"gc", []uint64{at}, []uint64{at + 1}},
		{"lone__begin", []uint64{at + 6}, nil}, {"mixed__begin", []uint64{at}, nil},
		{"mixed__return", []uint64{at}, nil}, {"unload", []uint64{at + 5}, nil}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	var many []usdttest.Probe
	for i := range 2*MaxEvents + 1 {
		many = append(many, usdttest.Probe{Provider: "hotspot", Name: fmt.Sprint("p", i),
			Place: at})
	}
	image := usdttest.Image([]byte("\x90"), many...)
	if _, err := FindEvents(&counted{data: image}, int64(len(image))); !errors.Is(err,
		ErrMalformed) {
		t.Errorf("too many probes: %v", err)
	}
}

// FuzzFindEvents: a file of any bytes has a bounded number of events, whose names are names.
func FuzzFindEvents(f *testing.F) {
	f.Add(sound, int64(len(sound)))
	f.Add(usdttest.Image([]byte("\x90"), usdttest.Probe{Provider: "hs_private", Name: "a__begin",
		Place: usdttest.CodeAt}), int64(1)<<40)
	f.Fuzz(func(t *testing.T, data []byte, size int64) {
		file := &counted{data: data}
		list, err := FindEvents(file, size)
		if file.read > mostRead {
			t.Errorf("%d bytes read", file.read)
		}
		if err != nil && (!errors.Is(err, ErrMalformed) || list != nil) || len(list) > MaxEvents {
			t.Errorf("%d events, %v", len(list), err)
		}
		for i, e := range list {
			if !ValidName(e.Name) || len(e.Begins) == 0 ||
				max(len(e.Begins), len(e.Ends)) > MaxPlaces || i > 0 && list[i-1].Name >= e.Name {
				t.Errorf("%+v", e)
			}
		}
	})
}
