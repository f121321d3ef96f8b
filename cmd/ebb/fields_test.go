package main

import (
	"encoding/json"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/app/bench"
	"github.com/ebb-energy/ebb/internal/app/doctor"
	"github.com/ebb-energy/ebb/internal/app/machine"
	"github.com/ebb-energy/ebb/internal/app/models"
	"github.com/ebb-energy/ebb/internal/app/perturbation"
	"github.com/ebb-energy/ebb/internal/app/qualify"
	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/app/view"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/energy/stream"
	"github.com/ebb-energy/ebb/internal/lab/eval"
	"github.com/ebb-energy/ebb/internal/lab/vesta"
)

// documents are the sections of docs/json.md, by their headings, each with a value of the type that
// is written.
var documents = map[string]any{
	"A run's report":       report.Report{},
	"What used the energy": profile.Row{},
	"Regions":              profile.RegionRow{},
	"One method":           profile.Slice{},
	"What changed":         view.Difference{},
	"Several reports":      view.Group{},
	"Several, compared":    view.Comparison{},
	"Bench":                bench.Result{},
	"Eval":                 nil, // written by hand: see evalRow
	"Predict":              prediction{},
	"Model crossval":       models.CrossvalResult{},
	"Vesta":                vesta.Result{},
	"Settings compared":    vesta.Loss{},
	"Audit":                vesta.Audited{},
	"Model show":           models.ShownModel{},
	"Model validate":       models.ValidationResult{},
	"Model explain":        models.ExplanationResult{},
	"Calm":                 perturbation.Row{},
	"A run's stream":       stream.Line{},
	"Energy":               usedEnergy{},
	"A machine's energy":   machine.Report{},
	"Doctor":               doctor.Finding{},
	"Qualify":              qualify.Result{},
}

// TestFieldsAreDocumented holds docs/json.md against the types: every field has a row, and every
// row a field.
func TestFieldsAreDocumented(t *testing.T) {
	described := documented(t)
	for heading, v := range documents {
		has := map[string]bool{}
		if v == nil {
			fieldsOf(has, "", evalRow(t))
		} else {
			typeFields(has, "", reflect.TypeOf(v))
		}
		for _, f := range slices.Sorted(maps.Keys(has)) {
			if !described[heading][f] {
				t.Errorf("docs/json.md, %s: no row for `%s`", heading, f)
			}
		}
		for _, f := range slices.Sorted(maps.Keys(described[heading])) {
			if !has[f] {
				t.Errorf("docs/json.md, %s: there is no field `%s`", heading, f)
			}
		}
	}
	for heading := range described {
		if _, ok := documents[heading]; !ok {
			t.Errorf("docs/json.md: fields of something unknown, %q", heading)
		}
	}
}

// TestOutputIsAsDocumented compares what commands print.
func TestOutputIsAsDocumented(t *testing.T) {
	described := documented(t)
	for heading, args := range map[string][]string{
		"Doctor": {"doctor", "--json"},
	} {
		out, err := os.CreateTemp(t.TempDir(), "")
		if err != nil {
			t.Fatal(err)
		}
		defer out.Close()
		if code := ebb(args, command.Stdio{In: os.Stdin, Out: out,
			Err: os.Stderr}); code != command.OK && heading != "Doctor" {
			t.Fatalf("%v: exit status %d", args, code)
		}
		b, err := os.ReadFile(out.Name())
		if err != nil {
			t.Fatal(err)
		}
		has := map[string]bool{}
		fieldsOf(has, "", b)
		if len(has) == 0 {
			t.Errorf("%v prints no field", args)
		}
		for f := range has {
			// one with names that are no fields, such as zones
			object := f[:max(strings.LastIndexByte(f, '.'), 0)]
			if !described[heading][f] && !described[heading][object] {
				t.Errorf("%v prints `%s`, which docs/json.md does not have", args, f)
			}
		}
	}
}

func evalRow(t *testing.T) []byte {
	t.Helper()
	var b strings.Builder
	if err := eval.WriteJSON(&b, make([]eval.Row, 1)); err != nil {
		t.Fatal(err)
	}
	return []byte(b.String())
}

var (
	headingLine = regexp.MustCompile(`(?m)^## (.*)$`)
	objectLine  = regexp.MustCompile("(?m)^### `(.*)`$")
	fieldRow    = regexp.MustCompile("^\\| (`[^|]*) \\|")
	quotedField = regexp.MustCompile("`([^`]*)`")
)

// documented is what docs/json.md has, by heading. A row may have several fields of one meaning.
func documented(t *testing.T) map[string]map[string]bool {
	t.Helper()
	b, err := os.ReadFile("../../docs/json.md")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]map[string]bool{}
	heading, object := "", ""
	for line := range strings.Lines(string(b)) {
		if m := headingLine.FindStringSubmatch(line); m != nil {
			heading, object = m[1], ""
		} else if m := objectLine.FindStringSubmatch(line); m != nil {
			object = m[1] + "."
		} else if m := fieldRow.FindStringSubmatch(line); m != nil {
			if out[heading] == nil {
				out[heading] = map[string]bool{}
			}
			for _, f := range quotedField.FindAllStringSubmatch(m[1], -1) {
				out[heading][object+f[1]] = true
			}
		}
	}
	return out
}

// typeFields adds the paths of all fields of a type, such as energy[].zone.
func typeFields(out map[string]bool, prefix string, t reflect.Type) {
	switch t.Kind() {
	case reflect.Pointer:
		typeFields(out, prefix, t.Elem())
	case reflect.Slice:
		typeFields(out, prefix+"[]", t.Elem())
	case reflect.Struct:
		if t == reflect.TypeFor[bench.Interval]() || t == reflect.TypeFor[qualify.Interval]() {
			out[prefix] = true // it has a form of its own, which is described once
			return
		}
		for i := range t.NumField() {
			f := t.Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			switch {
			case f.Anonymous && name == "":
				typeFields(out, prefix, f.Type)
			case f.IsExported() && name != "-":
				typeFields(out, strings.TrimPrefix(prefix+"."+name, "."), f.Type)
			}
		}
	default:
		out[prefix] = true
	}
}

// fieldsOf adds the paths of all fields of JSON text. Those of a list's elements have no prefix.
func fieldsOf(out map[string]bool, prefix string, text []byte) {
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		panic(err)
	}
	if list, ok := v.([]any); ok {
		for _, e := range list {
			valueFields(out, prefix, e)
		}
		return
	}
	valueFields(out, prefix, v)
}

func valueFields(out map[string]bool, prefix string, v any) {
	switch v := v.(type) {
	case map[string]any:
		if _, ok := v["estimate"]; ok {
			out[prefix] = true
			return
		}
		for name, e := range v {
			valueFields(out, strings.TrimPrefix(prefix+"."+name, "."), e)
		}
	case []any:
		for _, e := range v {
			valueFields(out, prefix+"[]", e)
		}
	default:
		out[prefix] = true
	}
}
