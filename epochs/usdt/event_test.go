package usdt

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// note is a probe of an image.
func note(provider, name string, place uint64) devtest.USDTProbe {
	return devtest.USDTProbe{Provider: provider, Name: name, Place: place}
}

func TestFindEvents(t *testing.T) {
	at := uint64(devtest.USDTCodeAt)
	probes := []devtest.USDTProbe{
		note("hotspot", "gc__begin", at), note("hotspot", "gc__end", at+1),
		note("hotspot_jni", "Throw__entry", at+2), note("hotspot_jni", "Throw__return", at+3),
		note("hotspot_jni", "Throw__return", at+4), note("hotspot", "unload", at+5),
		note("hs_private", "lone__begin", at+6), note("hotspot", "mixed__begin", at),
		note("hotspot", "mixed__return", at), note("libc", "setjmp", at),
		note("hotspot", "a b", at),
		note("hotspot", "x\x1b", at), note("hotspot", "__begin", at), note("hotspot", "__end", at)}
	got, err := FindEvents(&counted{data: devtest.USDTProgram(make([]byte, 8), probes...)},
		int64(len(devtest.USDTProgram(make([]byte, 8), probes...))))
	want := []Event{{"Throw", []uint64{at + 2}, []uint64{at + 3, at + 4}},
		{"__begin", []uint64{at}, nil}, {"gc", []uint64{at}, []uint64{at + 1}},
		{"lone__begin", []uint64{at + 6}, nil}, {"mixed__begin", []uint64{at}, nil},
		{"mixed__return", []uint64{at}, nil}, {"unload", []uint64{at + 5}, nil}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	var many []devtest.USDTProbe
	for i := range 2*MaxEvents + 1 {
		many = append(many, devtest.USDTProbe{Provider: "hotspot", Name: fmt.Sprint("p", i),
			Place: at})
	}
	image := devtest.USDTProgram([]byte("\x90"), many...)
	if _, err := FindEvents(&counted{data: image}, int64(len(image))); !errors.Is(err,
		ErrMalformed) {
		t.Errorf("too many probes: %v", err)
	}
}

// FuzzFindEvents: a file of any bytes has a bounded number of events, whose names are names.
func FuzzFindEvents(f *testing.F) {
	f.Add(sound, int64(len(sound)))
	f.Add(devtest.USDTProgram([]byte("\x90"), devtest.USDTProbe{
		Provider: "hs_private", Name: "a__begin",
		Place: devtest.USDTCodeAt}), int64(1)<<40)
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
