package eval

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
)

// everything is all figures on made-up runs.
func everything(t *testing.T, quick bool) *Result {
	t.Helper()
	r, err := evaluate(context.Background(), Settings{Quick: quick, Seed: 7}, nil, fake)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestFiguresDrawFromTheRunsTheyNeed: every figure draws from the runs that it declares and no
// others, and covers every workload.
func TestFiguresDrawFromTheRunsTheyNeed(t *testing.T) {
	r := everything(t, true)
	if len(r.sections) != len(figures) {
		t.Fatalf("%d sections, %d figures", len(r.sections), len(figures))
	}
	for _, s := range r.sections {
		if len(s.charts) == 0 || len(s.rows) == 0 {
			t.Errorf("figure %s: %d charts, %d rows", s.name, len(s.charts), len(s.rows))
		}
		seen := map[cellKey]bool{}
		for _, row := range s.rows {
			if math.IsNaN(row.Value) || math.IsInf(row.Value, 0) {
				t.Errorf("figure %s: %s, %s at %v has no value", s.name, row.Workload, row.Series,
					row.X)
			}
			p := cellKey{row.Workload, column{row.Series, row.X}.key(), row.Unit}
			if row.Unit != "GHz" && seen[p] {
				t.Errorf("figure %s: two rows for %+v", s.name, p)
			}
			seen[p] = true
		}
	}
	for n := 2; n <= 14; n++ {
		if _, err := (&Settings{Figures: []string{FigureNames()[n-2]}}).chosen(); err != nil ||
			FigureNames()[n-2] != string(digits(float64(n))) {
			t.Errorf("figure %d is called %s, %v", n, FigureNames()[n-2], err)
		}
	}
}

// TestOneFigureAloneFindsItsRuns: a figure alone finds all its runs.
func TestOneFigureAloneFindsItsRuns(t *testing.T) {
	for _, name := range FigureNames() {
		r, err := evaluate(context.Background(), Settings{Quick: true, Figures: []string{name}},
			nil, fake)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range r.Rows {
			if row.Figure != name {
				t.Errorf("figure %s has a row of %s", name, row.Figure)
			}
		}
		var b bytes.Buffer
		if err := r.WriteHTML(&b, "v0"); err != nil {
			t.Errorf("figure %s: %v", name, err)
		}
	}
}

// TestPaperFiguresStandAtTheirRows: figures that the paper's text states stand at the right rows.
func TestPaperFiguresStandAtTheirRows(t *testing.T) {
	rows := everything(t, false).Rows
	for _, tc := range []struct {
		figure, workload, series string
		x, paper                 float64
	}{
		{"2", Mean, "m+crit from 1GHz", 4, 27}, {"2", Mean, "m+crit from 4GHz", 1, 70},
		{"2", Mean, "coop from 1GHz", 4, 22},
		{"2", Mean, "coop from 4GHz", 1, 63}, {"2", Mean, "dep from 1GHz", 4, 19},
		{"2", Mean, "dep from 4GHz", 1, 57}, {"2", Mean, "dep from 4GHz", 2, none},
		{"3", Mean, "dep+burst from 1GHz", 4, 6}, {"3", Mean, "dep+burst from 4GHz", 1, 8},
		{"3", "xalan", "dep from 4GHz", 1, none},
		{"4", Mean, "dep+burst per-epoch from 1GHz", 4, 10},
		{"4", Mean, "dep+burst per-epoch from 4GHz", 1, 14},
		{"5", Mean, "dep+burst from 1GHz to 4GHz", 1, 5.4},
		{"5", Mean, "dep+burst from 4GHz to 1GHz", 1, 3.2},
		{"5", Mean, "dep+burst from 4GHz to 1GHz", 8, 9.3},
		{"5", Mean, "wake from 4GHz to 1GHz", 8, none},
		{"7", meanMemory, "ebb, energy saved", 5, 13},
		{"7", meanMemory, "as printed, energy saved", 10, 19},
		{"7", maxMemory, "ebb, energy saved", 10, 22},
		{"7", Mean, "ebb, slowdown", 5, 3.7}, {"7", Mean, "ebb, slowdown", 10, none},
		{"7", "avrora", "ebb, slowdown", 5, none},
		{"9", meanMemory, "ebb ahead of Static-Opt", 10, 2},
		{"9", maxMemory, "as printed ahead of Static-Opt", 10, 10},
		{"10", Mean, "as printed, w/o-excess-500", 500, 0.7},
		{"10", Mean, "as printed, excess-500", 500, 3.2},
		{"10", Mean, "as printed, excess-125", 125, 3.7},
		{"11", meanMemory, "as printed, w/o-excess-500", 500, 7.7},
		{"11", meanMemory, "as printed, excess-500", 500, 12.5},
		{"12", Mean, "ebb", 5, 3.8}, {"12", Mean, "ebb", 10, none}, {"13", Mean, "ebb", 25, none},
		{"14", Mean, seriesLowest, none, 5}, {"14", Mean, seriesStatic, none, 15},
		{"14", Mean, seriesEbb, none, 15.6}, {"14", "sunflow", seriesStatic, none, 20},
		{"14", "sunflow", seriesEbb, none, 18.5},
	} {
		n := 0
		for _, r := range rows {
			if r.Figure == tc.figure && r.Workload == tc.workload && r.Series == tc.series &&
				short(r.X) == short(tc.x) {
				n++
				if short(r.Paper) != short(tc.paper) {
					t.Errorf("figure %s, %s, %s at %v: paper %v, want %v", tc.figure, tc.workload,
						tc.series, tc.x, r.Paper, tc.paper)
				}
			}
		}
		if n != 1 {
			t.Errorf("figure %s, %s, %s at %v: %d rows", tc.figure, tc.workload, tc.series, tc.x, n)
		}
	}
}

// TestSameSettingsGiveTheSameBytes: the same settings give the same bytes, and another seed gives
// others.
func TestSameSettingsGiveTheSameBytes(t *testing.T) {
	write := func(seed uint64) (page, rows string) {
		var a, b bytes.Buffer
		r, err := evaluate(context.Background(), Settings{Seed: seed}, nil, fake)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(r.WriteHTML(&a, "v0"), WriteJSON(&b, r.Rows)); err != nil {
			t.Fatal(err)
		}
		return a.String(), b.String()
	}
	p1, r1 := write(1)
	p2, r2 := write(1)
	if p1 != p2 || r1 != r2 {
		t.Error("other bytes the second time")
	}
	if _, r3 := write(2); r3 == r1 {
		t.Error("another seed makes no difference")
	}
	for _, bad := range []string{"NaN", "http://", "https://", "<script", "ZgotmplZ"} {
		if strings.Contains(p1, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
}

func TestWriteJSON(t *testing.T) {
	var b bytes.Buffer
	rows := []Row{{"7", "mean", `a "b"`, 5, 13.123456789, "%", 13},
		{"14", "xalan", "Static-Opt", none, math.Copysign(0, -1), "%", none}}
	if err := WriteJSON(&b, rows); err != nil {
		t.Fatal(err)
	}
	want := `[
  {"figure": "7", "workload": "mean", "series": "a \"b\"", "x": 5, "value": 13.1235, "unit": "%", "paper": 13},
  {"figure": "14", "workload": "xalan", "series": "Static-Opt", "x": null, "value": 0, "unit": "%", "paper": null}
]
`
	if b.String() != want {
		t.Errorf("%s", b.String())
	}
	var back []map[string]any
	if err := json.Unmarshal(b.Bytes(), &back); err != nil || len(back) != 2 {
		t.Errorf("%v, %v", back, err)
	}
	b.Reset()
	if err := WriteJSON(&b, nil); err != nil || json.Unmarshal(b.Bytes(), &back) != nil ||
		len(back) != 0 {
		t.Errorf("no rows: %s, %v", b.String(), err)
	}
}

func TestUnknownFigure(t *testing.T) {
	for _, name := range []string{"1", "15", "", "seven"} {
		s := Settings{Figures: []string{"7", name}}
		if err := s.Check(); !errors.Is(err, errUnknownFigure) ||
			!strings.Contains(err.Error(), "baselines") {
			t.Errorf("%q: %v", name, err)
		}
	}
}
