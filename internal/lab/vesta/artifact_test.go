package vesta

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/power/powermodel"
)

// trained is a data set as ebb train writes one, of intervals of half a second: program a runs
// twice, and ten intervals of its second run were dropped; b/c runs once.
func trained() []byte {
	r := rand.New(rand.NewPCG(4, 4))
	var b bytes.Buffer
	b.WriteString(`# {"cpus":2,"interval_ns":500000000}` + "\ntimestamp,time,program,power_w,cpu_user\n")
	line := func(at float64, run int, program string) {
		busy := 100 * r.Float64()
		fmt.Fprintf(&b, "%.3f,%d,%s,%.4f,%.4f\n", at, run, program, 20+busy/10, busy)
	}
	for i := range 80 {
		line(1000+float64(i)/2, 0, "a")
	}
	for i := range 80 {
		line(2000+float64(i)/2, 0, "b/c")
	}
	for i := range 90 {
		if i < 40 || i >= 50 {
			line(3000+float64(i)/2, 1, "a")
		}
	}
	return b.Bytes()
}

// TestArtifact: the files' powers, energies and times are the data set's, a stretch ends where
// intervals are missing, and the model of the one half misses the other by what the validation
// says.
func TestArtifact(t *testing.T) {
	text, dir := trained(), t.TempDir()
	table, err := Read(bytes.NewReader(text), "power_w", "program", "os")
	if err != nil {
		t.Fatal(err)
	}
	if err := WriteArtifact(dir, text, table, 7); err != nil {
		t.Fatal(err)
	}
	read := func(name string) [][]string {
		t.Helper()
		f, err := os.Open(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		all, err := csv.NewReader(f).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	value := func(field string) float64 {
		x, err := strconv.ParseFloat(field, 64)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	// Energy of each program, by its intervals.
	want := map[string]float64{}
	for i, p := range table.Program {
		want[table.Programs[p]] += table.Power[i] / 2
	}
	summary := read("0_a/summary.csv")
	if got := fmt.Sprint(summary[0], len(summary)); got !=
		"[iteration timestamp duration energy] 4" {
		t.Errorf("summary of a: %s", got)
	}
	sum := 0.0
	for i, duration := range []float64{40e9, 20e9, 20e9} {
		if line := summary[i+1]; value(line[0]) != float64(i) || value(line[2]) != duration {
			t.Errorf("stretch %d: %v", i, line)
		}
		sum += value(summary[i+1][3])
	}
	if math.Abs(sum/want["a"]-1) > 1e-6 {
		t.Errorf("summaries of %v J, want %v", sum, want["a"])
	}
	energy := read("1_b-c/energy.csv")
	last := energy[len(energy)-1]
	if len(energy) != 1+80+1 || math.Abs(value(last[2])/want["b/c"]-1) > 1e-6 ||
		last[1] != "2040000000000" {
		t.Errorf("energy of b/c: %d lines, the last %v", len(energy), last)
	}
	train, test := read("model_train.csv"), read("model_test.csv")
	if len(train)+len(test) != 2+table.Rows() || strings.Join(test[0], ",") !=
		"iteration,ts,benchmark,power,cpu_user" {
		t.Errorf("%d and %d intervals, %v", len(train), len(test), test[0])
	}
	checkModel(t, dir, table, test[1:], value)
	for name, bad := range map[string]string{"no comment": "timestamp,time,program,power_w,x\n",
		"no interval": "# {}\ntimestamp,time,program,power_w,x\n",
		"others":      "# {\"interval_ns\":1}\nprogram,power_w,x\np,1,1\n",
		"no time":     strings.Replace(string(text), "1000.000", "now", 1)} {
		if err := WriteArtifact(t.TempDir(), []byte(bad), table, 7); err == nil ||
			name != "no time" && !errors.Is(err, errDataSet) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// checkModel compares the errors of the written model on the written half with the validation's.
func checkModel(t *testing.T, dir string, table *powermodel.Table, test [][]string,
	value func(string) float64,
) {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, "model.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m, err := powermodel.ImportXGBoost(f)
	if err != nil {
		t.Fatal(err)
	}
	measured, predicted := map[string]float64{}, map[string]float64{}
	for _, line := range test {
		measured[line[2]] += value(line[3])
		predicted[line[2]] += m.Predict([]float64{value(line[4])}).Power
	}
	half, other := halves(table, rand.New(rand.NewPCG(7, 0)))
	errs, err := errorsBy(table, paperModel, half, other)
	if err != nil {
		t.Fatal(err)
	}
	for p, name := range table.Programs {
		if got := predicted[name]/measured[name] - 1; math.Abs(got-errs[p]) > 1e-4 {
			t.Errorf("%s: the files' model misses by %v, the validation's by %v", name, got,
				errs[p])
		}
	}
}
