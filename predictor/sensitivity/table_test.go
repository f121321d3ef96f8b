package sensitivity

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
)

// good is a table that holds.
func good() Table {
	return Table{Version: Version, Hz: 4e9, Command: "app", Estimator: "counters",
		Functions: []Function{
			{Name: "f", Module: "app", BuildID: "0a1b", Ranges: []Range{{16, 32}, {64, 80}},
				Slices: 9, TimeNS: 5, Share: 0.5, Low: 0.25, High: 0.75},
			{Name: "g", Module: "app", BuildID: "0a1b", Ranges: []Range{{32, 64}}, High: 1},
			{Name: "f", Module: "lib", BuildID: "ff", Ranges: []Range{{16, 32}}, Share: 1, Low: 1,
				High: 1},
			{Name: "hash", Module: "[java]", Class: "app.Main", Signature: "(I)V", Share: 0.5,
				Low: 0.375, High: 1},
			{Name: "hash", Class: "app.Main", Signature: "()V", High: 1},
		}}
}

func TestTableSurvives(t *testing.T) {
	want := good()
	var b bytes.Buffer
	if err := want.Write(&b); err != nil {
		t.Fatal(err)
	}
	got, err := Read(&b)
	if err != nil || !reflect.DeepEqual(*got, want) {
		t.Fatalf("%+v, %v, want %+v", got, err, want)
	}
}

// TestFind: a function is found by its build id and place, and not by those of another build.
func TestFind(t *testing.T) {
	table := good()
	x := table.Index()
	for _, c := range []struct {
		id   string
		addr uint64
		want int32
	}{{"0a1b", 15, -1}, {"0a1b", 16, 0}, {"0a1b", 31, 0}, {"0a1b", 32, 1}, {"0a1b", 63, 1},
		{"0a1b", 64, 0}, {"0a1b", 79, 0}, {"0a1b", 80, -1}, {"ff", 20, 2}, {"ff", 40, -1},
		{"0a1c", 16, -1}, {"", 16, -1}} {
		got, ok := x.Find(c.id, c.addr)
		if got != c.want || ok != (c.want >= 0) {
			t.Errorf("%s, %d: function %d, %v, want %d", c.id, c.addr, got, ok, c.want)
		}
	}
	if !x.Has("ff") || x.Has("fe") {
		t.Error("the build ids are others")
	}
	for m, want := range map[Method]int32{{"app.Main", "hash", "(I)V"}: 3,
		{"app.Main", "hash", "()V"}: 4, {"app.Main", "hash", "()I"}: -1, {}: -1,
		{"", "f", ""}: -1} {
		if got, ok := x.Method(m); ok != (want >= 0) || ok && got != want {
			t.Errorf("%+v: method %d, %v, want %d", m, got, ok, want)
		}
	}
	if got := table.Shares(); !reflect.DeepEqual(got, []float64{0.25, 0, 1, 0.375, 0}) {
		t.Errorf("shares %v: not the lower ends", got)
	}
}

// TestRefused: what makes no sense is refused, and the error says what it is.
func TestRefused(t *testing.T) {
	for name, change := range map[string]func(*Table){
		"version 2":         func(t *Table) { t.Version = 2 },
		"frequency":         func(t *Table) { t.Hz = 4 },
		"no functions":      func(t *Table) { t.Functions = nil },
		"build id":          func(t *Table) { t.Functions[0].BuildID = "xyz" },
		"build id \"\"":     func(t *Table) { t.Functions[0].BuildID = "" },
		"build id \"0A":     func(t *Table) { t.Functions[0].BuildID = "0A1B" },
		"ranges":            func(t *Table) { t.Functions[0].Ranges = nil },
		"range 0x10":        func(t *Table) { t.Functions[0].Ranges[0].End = 16 },
		"shares":            func(t *Table) { t.Functions[0].Share = 1.5 },
		"two functions of":  func(t *Table) { t.Functions[1].Ranges[0].End = 65 },
		"count":             func(t *Table) { t.Functions[1].Slices = -1 },
		"two methods":       func(t *Table) { t.Functions[4].Signature = "(I)V" },
		"the method":        func(t *Table) { t.Functions[4].Signature = "" },
		"the method \"":     func(t *Table) { t.Functions[4].Name = "" },
		"a method with":     func(t *Table) { t.Functions[4].BuildID = "0a" },
		"a method with \"r": func(t *Table) { t.Functions[4].Ranges = []Range{{1, 2}} },
		"text \"c":          func(t *Table) { t.Functions[4].Class = strings.Repeat("x", 1000) },
		"text":              func(t *Table) { t.Functions[1].Name = strings.Repeat("x", 1000) },
	} {
		table := good()
		change(&table)
		text, err := json.Marshal(table)
		if err != nil {
			t.Fatal(err)
		}
		if err := table.Write(io.Discard); err == nil {
			t.Errorf("%s: it is written", name)
		}
		word, _, _ := strings.Cut(name, " \"")
		if got, err := Read(bytes.NewReader(text)); !errors.Is(err, ErrFormat) || got != nil ||
			!strings.Contains(err.Error(), word) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, text := range []string{"", "{", "[]", "null", `{"ebb_sensitivity":1,"other":2}`,
		`{"ebb_sensitivity":1} {}`} {
		if _, err := Read(strings.NewReader(text)); !errors.Is(err, ErrFormat) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := Read(strings.NewReader(strings.Repeat(" ", MaxBytes+1))); !errors.Is(err,
		ErrFormat) {
		t.Errorf("a file that is too long: %v", err)
	}
}

// FuzzRead: any bytes are refused or give a table that can be written, read and searched.
func FuzzRead(f *testing.F) {
	table := good()
	var b bytes.Buffer
	if err := table.Write(&b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add([]byte(`{"ebb_sensitivity":1,"frequency_hz":1000000,"functions":[{"build_id":"00",` +
		`"ranges":[{"start":0,"end":4611686018427387904}],"share_high":1}]}`))
	f.Add([]byte(`{"ebb_sensitivity":1,"frequency_hz":1000000,"functions":[{"class":"a",` +
		`"name":"b","signature":"()V","share_high":1}]}`))
	f.Add([]byte("{}"))
	f.Fuzz(func(t *testing.T, b []byte) {
		table, err := Read(bytes.NewReader(b))
		if err != nil {
			return
		}
		x := table.Index()
		for i := range table.Functions {
			fn := &table.Functions[i]
			if got, ok := x.Method(fn.method()); ok != (fn.Class != "") || ok && got != int32(i) {
				t.Fatalf("method %d is %d", i, got)
			}
			for _, r := range fn.Ranges {
				for _, addr := range []uint64{r.Start, r.End - 1} {
					if got, ok := x.Find(fn.BuildID, addr); !ok || got != int32(i) {
						t.Fatalf("function %d at %#x is %d", i, addr, got)
					}
				}
			}
		}
		for _, s := range table.Shares() {
			if !(s >= 0 && s <= 1) {
				t.Fatalf("a share of %v", s)
			}
		}
		var again bytes.Buffer
		if err := table.Write(&again); err != nil {
			t.Fatal(err)
		}
		second, err := Read(&again)
		if err != nil || len(second.Functions) != len(table.Functions) {
			t.Fatalf("%v", err)
		}
	})
}
