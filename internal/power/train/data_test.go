package train

import (
	"bytes"
	"encoding/csv"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/power/powermodel"
)

// sampleData makes a data set of a machine that draws 10 W, 30 W more with all CPUs busy, and 1 mW
// for each switch in a second.
func sampleData(programs, intervals int) *Data {
	d := &Data{Origin: here(time.Second), Inputs: []string{"cpu_user", "cpu_busy", "contexts"}}
	for p := range programs {
		for i := range intervals {
			busy, switches := float64((i*37+p*11)%101), float64((i*53+p*29)%997)
			d.Intervals = append(d.Intervals, Interval{Program: string(rune('a' + p)),
				At:    time.UnixMilli(1_795_000_000_000 + int64(p*intervals+i)*1000),
				Power: 10 + 0.3*busy + 0.001*switches, Inputs: []float64{busy, busy, switches}})
		}
	}
	return d
}

func written(t testing.TB, d *Data) string {
	t.Helper()
	var b bytes.Buffer
	if err := d.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestData(t *testing.T) {
	d := sampleData(2, 3)
	d.Intervals[4].Power = math.NaN()
	got, err := Read(strings.NewReader(written(t, d)))
	if err != nil {
		t.Fatal(err)
	}
	if !math.IsNaN(got.Intervals[4].Power) {
		t.Error("an interval without a power has one")
	}
	if !reflect.DeepEqual(got.Origin, d.Origin) || written(t, got) != written(t, d) {
		t.Errorf("got %+v, want %+v", got, d)
	}
	if got.runs("a") != 1 || got.runs("c") != 0 || len(got.programs()) != 2 {
		t.Error("wrong runs or programs")
	}
}

func TestAlignedLayout(t *testing.T) {
	d := sampleData(1, 2)
	d.Intervals[1].Power = math.NaN()
	var b bytes.Buffer
	if err := d.WriteAligned(&b); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(b.String(), AlignedBegin) ||
		!strings.HasPrefix(written(t, d), DataBegin) {
		t.Errorf("the files begin with %.20q and %.20q", b.String(), written(t, d))
	}
	lines, err := csv.NewReader(&b).ReadAll()
	want := [][]string{
		{"iteration", "ts", "benchmark", "power", "cpu_user", "cpu_busy", "contexts"},
		{"0", "1795000000", "a", "10", "0", "0", "0"},
	}
	if err != nil || !reflect.DeepEqual(lines, want) {
		t.Errorf("got %q, %v", lines, err)
	}
}

func TestReadRefuses(t *testing.T) {
	good := written(t, sampleData(1, 2))
	for want, text := range map[string]string{
		"not a data set":         strings.TrimPrefix(good, "# "),
		"not a data":             "",
		"line of names":          good[:strings.IndexByte(good, '\n')+1],
		"its columns are not":    strings.Replace(good, "power_w", "power", 1),
		`"nan" is no power`:      strings.Replace(good, ",a,10,", ",a,nan,", 1),
		`"-10" is no power`:      strings.Replace(good, ",a,10,", ",a,-10,", 1),
		"is no time":             strings.Replace(good, "1795000000.000", "1e300", 1),
		"is no run's number":     strings.Replace(good, ",0,a,10,", ",x,a,10,", 1),
		`"+Inf" is no number`:    strings.Replace(good, ",a,10,0", ",a,10,+Inf", 1),
		"wrong number of fields": good + "1,2,3\n",
	} {
		if _, err := Read(strings.NewReader(text)); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(written(f, sampleData(2, 2)))
	f.Add("# {\"interval_ns\":1}\ntimestamp,time,program,power_w,x\n1,1,p,,2\n")
	f.Fuzz(func(t *testing.T, text string) {
		d, err := Read(strings.NewReader(text))
		if err != nil {
			return
		}
		again, err := Read(strings.NewReader(written(t, d)))
		if err != nil || len(again.Intervals) != len(d.Intervals) {
			t.Errorf("written and read again: %v", err)
		}
	})
}

func TestLearn(t *testing.T) {
	d := sampleData(6, 40)
	m, err := d.Learn()
	if err != nil {
		t.Fatal(err)
	}
	if m.Interval == nil || m.Interval.HalfWidth > 0.05 || m.Provenance.CPUs != d.Origin.CPUs ||
		m.Provenance.Intervals != 240 || m.Tier != string(powermodel.Kernel) {
		t.Errorf("%+v, interval %+v", m.Provenance, m.Interval)
	}
	if len(d.Doubts()) != 0 {
		t.Errorf("doubts: %q", d.Doubts())
	}
	few := sampleData(4, 40)
	if m, err := few.Learn(); err != nil || m.Interval != nil || len(few.Doubts()) != 1 ||
		!strings.Contains(few.Doubts()[0], "4 programs") {
		t.Errorf("four programs: %v, doubts %q", err, few.Doubts())
	}
	if _, err := sampleData(5, 19).Learn(); err == nil ||
		!strings.Contains(err.Error(), "at least 100") {
		t.Errorf("95 intervals: %v", err)
	}
}

func TestFrozen(t *testing.T) {
	d := sampleData(6, 40)
	for i := 50; i < 50+frozenIntervals; i++ {
		d.Intervals[i].Power = 33 * (1 + 1e-12*float64(i))
	}
	if _, err := d.Learn(); err == nil || !strings.Contains(err.Error(), "33 W over 20 intervals") {
		t.Errorf("got %v", err)
	}
	steady := sampleData(6, 40) // one power at one load is no frozen meter
	for i := range steady.Intervals {
		if i < 60 {
			steady.Intervals[i].Power, steady.Intervals[i].Inputs = 10, []float64{0, 0, 5}
		}
	}
	if err := steady.check(); err != nil {
		t.Errorf("a steady machine: %v", err)
	}
}

// TestOtherMeter: intervals by two meters are not put together.
func TestOtherMeter(t *testing.T) {
	d := sampleData(1, 3)
	d.Origin.Meter = "rapl: package-0, filtered"
	for name, want := range map[string]error{"rapl: package-0": nil, "hwmon: x": ErrOtherMeter,
		"wall meter": ErrOtherMeter} {
		if err := d.meteredBy(name); !errors.Is(err, want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	empty := &Data{Origin: d.Origin}
	if err := empty.meteredBy("hwmon: x"); err != nil || empty.Origin.Meter != "hwmon: x" {
		t.Errorf("no intervals yet: %v", err)
	}
}
