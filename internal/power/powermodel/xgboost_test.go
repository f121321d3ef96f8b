package powermodel

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// xgboostGolden holds what testdata/xgboost/make.py writes of a model.
type xgboostGolden struct {
	Rows          [][]*float64
	Predictions   []float32
	Contributions [][]float64
}

func readGolden(t *testing.T, name string) (model []byte, golden xgboostGolden) {
	t.Helper()
	model, err := os.ReadFile(filepath.Join("testdata/xgboost", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join("testdata/xgboost", name+".golden.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &golden); err != nil {
		t.Fatal(err)
	}
	return model, golden
}

func valuesOf(row []*float64) []float64 {
	out := make([]float64, len(row))
	for i, x := range row {
		if out[i] = math.NaN(); x != nil {
			out[i] = *x
		}
	}
	return out
}

var xgboostModels = []string{"defaults", "pruned", "shallow"}

// xgboostVersions are the versions that have written models, by their directories. 3.3 writes the
// base as a list.
var xgboostVersions = map[string]string{"1.7": "", "3.0": "3.0/", "3.3": "3.3/"}

// TestXGBoostGolden checks that imported models predict XGBoost's 32 bits, also after they were
// written as a model file, and explain them as XGBoost does.
func TestXGBoostGolden(t *testing.T) {
	for version, dir := range xgboostVersions {
		for _, name := range xgboostModels {
			text, golden := readGolden(t, dir+name)
			if len(golden.Rows) < 10 {
				t.Fatalf("%s: %d rows", name, len(golden.Rows))
			}
			m, err := ImportXGBoost(bytes.NewReader(text))
			if err != nil {
				t.Fatalf("%s of version %s: %v", name, version, err)
			}
			again := writtenAndRead(t, m)
			for i, row := range golden.Rows {
				values := valuesOf(row)
				p, q := m.Predict(values).Power, again.Predict(values).Power
				if float32(p) != golden.Predictions[i] || p != q {
					t.Errorf("%s of %s, row %d: %v, read again %v, XGBoost %v", name, version, i, p,
						q, golden.Predictions[i])
				}
				checkExplanation(t, m, values, golden.Contributions[i])
			}
		}
	}
}

// TestXGBoostTruthValues checks that truth values may be numbers, as in the files here, or
// booleans, as XGBoost's schema has them.
func TestXGBoostTruthValues(t *testing.T) {
	text, golden := readGolden(t, "defaults")
	lists := regexp.MustCompile(`"default_left":\[[01,]*\]`)
	changed := lists.ReplaceAllFunc(text, func(list []byte) []byte {
		list = bytes.ReplaceAll(list, []byte("0"), []byte("false"))
		return bytes.ReplaceAll(list, []byte("1"), []byte("true"))
	})
	m, err := ImportXGBoost(bytes.NewReader(changed))
	if err != nil || bytes.Equal(text, changed) {
		t.Fatal(err)
	}
	for i, row := range golden.Rows {
		if p := m.Predict(valuesOf(row)).Power; float32(p) != golden.Predictions[i] {
			t.Errorf("row %d: %v, XGBoost %v", i, p, golden.Predictions[i])
		}
	}
}

func writtenAndRead(t *testing.T, m *Model) *Model {
	t.Helper()
	var text bytes.Buffer
	if err := m.Write(&text); err != nil {
		t.Fatal(err)
	}
	again, err := ReadModel(&text)
	if err != nil {
		t.Fatal(err)
	}
	return again
}

func checkExplanation(t *testing.T, m *Model, values, want []float64) {
	t.Helper()
	e := m.explain(values)
	for k, part := range append(e.Parts, e.Base) {
		if math.Abs(part-want[k]) > 1e-3 {
			t.Errorf("part %d: %.5f W, XGBoost %.5f W", k, part, want[k])
		}
	}
	if p := m.Predict(values).Power; math.Abs(e.Power-p) > 1e-3 {
		t.Errorf("the parts sum up to %.5f W of %.5f W", e.Power, p)
	}
}

// TestShapIsShapley checks that the parts of a tree are the Shapley values of the game in which
// unknown features follow the covers, summed up over all subsets.
func TestShapIsShapley(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 0))
	for range 200 {
		features := 1 + r.IntN(4)
		tree := randomTree(r, features, 4)
		x := make([]float64, features)
		for i := range x {
			if x[i] = r.Float64(); r.IntN(8) == 0 {
				x[i] = math.NaN()
			}
		}
		got := make([]float64, features)
		base := (&forest{base: 3, trees: [][]node{tree}}).explain(x, got)
		sum := base
		for i := range x {
			if want := shapley(tree, x, i); math.Abs(got[i]-want) > 1e-6 {
				t.Fatalf("feature %d of %v: %v, want %v, tree %+v", i, x, got[i], want, tree)
			}
			sum += got[i]
		}
		if want := 3 + float64(tree[leafOf(tree, x)].value); math.Abs(sum-want) > 1e-6 {
			t.Fatalf("sum %v, prediction %v", sum, want)
		}
	}
}

func randomTree(r *rand.Rand, features, depth int) []node {
	tree := []node{{}}
	var grow func(n, depth int) float32
	grow = func(n, depth int) float32 {
		if depth == 0 || r.IntN(4) == 0 {
			cover := float32(r.IntN(5)) // 0 also: nothing of the trained rows
			tree[n] = node{feature: -1, value: float32(r.NormFloat64()), cover: cover}
			return cover
		}
		left := len(tree)
		tree[n] = node{feature: r.IntN(features), split: float32(r.Float64()), left: left,
			missingLeft: r.IntN(2) == 0}
		tree = append(tree, node{}, node{})
		tree[n].cover = grow(left, depth-1) + grow(left+1, depth-1)
		return tree[n].cover
	}
	grow(0, depth)
	return tree
}

// shapley returns feature i's value by its definition.
func shapley(tree []node, x []float64, i int) (value float64) {
	n := len(x)
	factorial := func(k int) float64 { return math.Gamma(float64(k) + 1) }
	for set := range 1 << n {
		if set>>i&1 == 1 {
			continue
		}
		size := 0
		for k := range n {
			size += set >> k & 1
		}
		weight := factorial(size) * factorial(n-size-1) / factorial(n)
		value += weight * (expected(tree, 0, x, set|1<<i) - expected(tree, 0, x, set))
	}
	return value
}

// expected returns a tree's value where only the features of the set are known.
func expected(tree []node, n int, x []float64, set int) float64 {
	t := &tree[n]
	if t.feature < 0 {
		return float64(t.value)
	}
	if set>>t.feature&1 == 1 {
		return expected(tree, t.next(x), x, set)
	}
	left := leftShare(tree, n)
	return left*expected(tree, t.left, x, set) + (1-left)*expected(tree, t.left+1, x, set)
}

// TestExplanationAddsUp checks that a model's explanation adds up to its prediction, whichever
// parts the model has.
func TestExplanationAddsUp(t *testing.T) {
	for _, l := range Learners {
		m, table := trainedModel(t, l, 6)
		values := make([]float64, 3)
		mean, base := 0.0, 0.0
		for r := range table.Power {
			table.row(r, values)
			e := m.explain(values)
			if p := m.Predict(values).Power; math.Abs(e.Power-p) > 1e-3 {
				t.Fatalf("%s: the parts sum up to %v W of %v W", l.Name, e.Power, p)
			}
			if len(e.Parts) != len(m.parts()) {
				t.Fatalf("%s: %d parts, %d names", l.Name, len(e.Parts), len(m.parts()))
			}
			mean, base = mean+e.Power/float64(table.Rows()), e.Base
		}
		if math.Abs(mean-base) > 1 {
			t.Errorf("%s: the base is %v W, the mean %v W", l.Name, base, mean)
		}
	}
}

func TestImportXGBoostRefuses(t *testing.T) {
	good, _ := readGolden(t, "defaults")
	replaced := func(old, by string) string {
		if !bytes.Contains(good, []byte(old)) {
			t.Fatalf("no %s in the model", old)
		}
		return strings.Replace(string(good), old, by, 1)
	}
	for want, text := range map[string]string{
		"binary format (.ubj)":     "{L\x00\x00\x00\x00\x00\x00\x00\x07learner{",
		"not a model that XGBoost": "",
		"it has no booster":        "{}",
		`its booster is "dart"`:    replaced(`"name":"gbtree"`, `"name":"dart"`),
		`its objective is "binary:logistic"`: replaced(`"name":"reg:squarederror"`,
			`"name":"binary:logistic"`),
		"several values":            replaced(`"num_class":"0"`, `"num_class":"3"`),
		"several values, and power": replaced(`"num_target":"1"`, `"num_target":"2"`),
		"categorical splits":        replaced(`"categories_nodes":[]`, `"categories_nodes":[0]`),
		"base_score":                replaced(`"base_score":"5E-1"`, `"base_score":"NaN"`),
		"num_feature": replaced(`"num_feature":"5","num_target"`,
			`"num_feature":"0","num_target"`),
		"names for":              replaced(`"gc",`, ``),
		"no name of its own":     replaced(`"gc"`, `"park"`),
		"not of one length":      replaced(`"left_children":[1,`, `"left_children":[`),
		"leads to 0":             replaced(`"left_children":[1,`, `"left_children":[0,`),
		"leads to 1":             replaced(`"right_children":[2,`, `"right_children":[1,`),
		"has feature 77 of 5":    replaced(`"split_indices":[`, `"split_indices":[77,`),
		"neither true nor false": replaced(`"default_left":[`, `"default_left":[7,`),
		"has more than":          strings.Repeat(" ", maxXGBoostBytes+1),
	} {
		if want == "has feature 77 of 5" { // of the same length as the other lists
			text = strings.Replace(string(good), `"split_indices":[`, `"split_indices":[7`, 1)
			want = "has feature 7"
		}
		_, err := ImportXGBoost(strings.NewReader(text))
		if err == nil || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", want, err)
		}
	}
}

// TestXGBoostLoadsAnExport checks that XGBoost itself loads an exported model, and predicts the
// same. It needs python3-xgboost.
func TestXGBoostLoadsAnExport(t *testing.T) {
	const python = "/usr/bin/python3"
	if err := exec.Command(python, "-c", "import xgboost").Run(); err != nil {
		t.Skip("python3-xgboost is not installed")
	}
	dir := t.TempDir()
	for _, name := range xgboostModels {
		text, golden := readGolden(t, name)
		m, err := ImportXGBoost(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		var exported bytes.Buffer
		if err := m.ExportXGBoost(&exported); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, name+".json")
		if err := os.WriteFile(path, exported.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(python, "testdata/xgboost/make.py", path,
			"testdata/xgboost/"+name+".golden.json").Output()
		if err != nil {
			var failed *exec.ExitError
			errors.As(err, &failed)
			t.Fatalf("%s: %v: %s", name, err, failed.Stderr)
		}
		var got []float32
		if err := json.Unmarshal(out, &got); err != nil {
			t.Fatal(err)
		}
		for i, want := range golden.Predictions {
			if got[i] != want {
				t.Errorf("%s row %d: XGBoost predicts %v of the export, and %v itself", name, i,
					got[i], want)
			}
		}
	}
}

func TestExportAndImport(t *testing.T) {
	m, table := trainedModel(t, XGBoost, 5)
	var text bytes.Buffer
	if err := m.ExportXGBoost(&text); err != nil {
		t.Fatal(err)
	}
	got, err := ImportXGBoost(&text)
	if err != nil {
		t.Fatal(err)
	}
	values := make([]float64, 3)
	for r := range table.Power {
		table.row(r, values)
		if a, b := m.Predict(values).Power, got.Predict(values).Power; a != b {
			t.Fatalf("row %s: %v, exported and imported %v", strconv.Itoa(r), a, b)
		}
	}
	line, _ := trainedModel(t, Default, 5)
	if err := line.ExportXGBoost(&text); !errors.Is(err, errNotTrees) {
		t.Errorf("a model with a line: %v", err)
	}
}

// FuzzImportXGBoost checks that each file that is imported predicts, and can be written.
func FuzzImportXGBoost(f *testing.F) {
	f.Add([]byte(`{"learner":{"feature_names":[],"gradient_booster":` +
		`{"name":"gbtree","model":{"trees":[` +
		`{"categories_nodes":[],"default_left":[1,0,0],"left_children":[1,-1,-1],` +
		`"right_children":[2,-1,-1],"split_indices":[0,0,0],"split_conditions":[1.5,-3,4],` +
		`"sum_hessian":[9,4,5]}]}},"learner_model_param":{"base_score":"[5E-1]","num_class":"0",` +
		`"num_feature":"1","num_target":"1"},"objective":{"name":"reg:squarederror"}}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := ImportXGBoost(bytes.NewReader(text))
		if err != nil {
			return
		}
		for _, x := range []float64{0, 1e300, math.NaN()} {
			values := make([]float64, len(m.Inputs))
			for k := range values {
				values[k] = x
			}
			p, e := m.Predict(values), m.explain(values)
			if math.IsNaN(p.Power) || math.IsNaN(e.Power) {
				t.Errorf("%v: %+v, %+v", x, p, e)
			}
		}
		writtenAndRead(t, m)
	})
}
