package powermodel

import (
	"slices"
	"strings"
	"testing"
)

func TestReadCSV(t *testing.T) {
	text := "workload,timestamp,powerWatts,cpu_user,cpu_idle,contexts,instructions,cpu_nice\n" +
		"a,1,100,10,90,5,1e9,0\nb,2,200.5,20,80,6,2e9,0\na,3,101,11,89,5,1e9,0\n"
	for _, c := range []struct {
		tier   Tier
		inputs string
	}{
		{Kernel, "cpu_user contexts"}, // cpu_nice never changes
		{Counters, "cpu_user contexts instructions"},
	} {
		got, err := ReadCSV(strings.NewReader(text), "powerWatts", "workload", c.tier)
		if err != nil {
			t.Fatal(err)
		}
		if s := strings.Join(got.Inputs, " "); s != c.inputs {
			t.Errorf("%s: inputs %q, want %q", c.tier, s, c.inputs)
		}
		if !slices.Equal(got.Programs, []string{"a", "b"}) ||
			!slices.Equal(got.Program, []int{0, 1, 0}) ||
			!slices.Equal(got.Power, []float64{100, 200.5, 101}) ||
			!slices.Equal(got.Columns[0], []float64{10, 20, 11}) {
			t.Errorf("%s: %+v", c.tier, got)
		}
	}
}

func TestReadCSVRefuses(t *testing.T) {
	const head = "p,w,cpu_user\n"
	for text, want := range map[string]string{
		"":                          "the table is empty",
		head:                        "has no intervals",
		"p,w,w\n":                   `two columns are called "w"`,
		"p,cpu_user\n":              `no column "w"`,
		"w,cpu_user\n":              `no column "p"`,
		"p,w,x\na,1,2\na,1,3\n":     "no column is an input",
		head + "a,100,1\na,100,1\n": "no column is an input", // constant
		head + "a,NaN,1\n":          "is no power",
		head + "a,-3,1\n":           "is no power",
		head + "a,1,Inf\n":          `column "cpu_user": "Inf" is no number`,
		head + "a,1,\n":             "is no number",
		head + "a,1\n":              "wrong number of fields",
		head + strings.Repeat("x", 300) + ",1,1\n": "a name of more than",
	} {
		_, err := ReadCSV(strings.NewReader(text), "w", "p", Kernel)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %q", text, err, want)
		}
	}
}

func FuzzReadCSV(f *testing.F) {
	f.Add("p,w,cpu_user\na,100,1\nb,110,2\n")
	f.Add("p,w,cpu_user,\"x\ny\"\na,1e308,1,3\na,1,-1e308,9\n")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := ReadCSV(strings.NewReader(text), "w", "p", Counters)
		if err != nil {
			return
		}
		for k, c := range got.Columns {
			if len(c) != got.Rows() {
				t.Errorf("%d of %d rows of %q", len(c), got.Rows(), got.Inputs[k])
			}
		}
		for _, p := range got.Program {
			if p < 0 || p >= len(got.Programs) {
				t.Errorf("program %d of %d", p, len(got.Programs))
			}
		}
	})
}
