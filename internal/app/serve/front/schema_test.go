package front

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

// document is the description of the answers (OpenAPI 3.1) that users are given.
type document struct{ root map[string]any }

func readDocument(t *testing.T) *document {
	t.Helper()
	text, err := os.ReadFile("../../../../tools/dist/ebb.openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	d := &document{}
	if err := json.Unmarshal(text, &d.root); err != nil {
		t.Fatal(err)
	}
	if d.root["openapi"] != "3.1.0" {
		t.Errorf("it is OpenAPI %v", d.root["openapi"])
	}
	return d
}

// at is what is at some keys, through references.
func (d *document) at(from any, keys ...string) any {
	for _, k := range keys {
		m, _ := from.(map[string]any)
		from = m[k]
		for {
			m, _ := from.(map[string]any)
			to, is := m["$ref"].(string)
			if !is {
				break
			}
			from = d.at(d.root, strings.Split(strings.TrimPrefix(to, "#/"), "/")...)
		}
	}
	return from
}

// check says what of an answer the document does not describe.
func (d *document) check(method, path string, status int, kind string, body []byte) error {
	of := d.at(d.root, "paths", path, strings.ToLower(method), "responses", fmt.Sprint(status))
	if of == nil {
		of = d.at(d.root, "components", "responses", "Error")
	}
	schema := d.at(of, "content", kind, "schema")
	if schema == nil {
		return fmt.Errorf("%s, %d: no %q is described", path, status, kind)
	}
	if kind == "text/plain" {
		return nil
	}
	var v any
	if err := json.Unmarshal(body, &v); err != nil {
		return err
	}
	return d.value(path, schema, v)
}

// value holds a value against a schema, by the keywords that the document uses.
func (d *document) value(at string, schema, v any) error {
	s, _ := schema.(map[string]any)
	kind := map[string]string{"float64": "number", "string": "string", "bool": "boolean",
		"[]interface {}": "array", "map[string]interface {}": "object"}[fmt.Sprintf("%T", v)]
	is := s["type"]
	x, _ := v.(float64)
	if kind == "number" && is == "integer" && x == math.Trunc(x) {
		kind = "integer"
	}
	if kind != is {
		return fmt.Errorf("%s: %v is no %v", at, v, is)
	}
	if least, has := s["minimum"].(float64); has && x < least {
		return fmt.Errorf("%s: %v is below %v", at, v, least)
	}
	if some, has := s["enum"].([]any); has && !slices.Contains(some, v) {
		return fmt.Errorf("%s: %v is none of %v", at, v, some)
	}
	if list, is := v.([]any); is {
		for _, e := range list {
			if err := d.value(at+"[]", d.at(s, "items"), e); err != nil {
				return err
			}
		}
	}
	m, _ := v.(map[string]any)
	required, _ := s["required"].([]any)
	for _, k := range required {
		if _, has := m[k.(string)]; !has {
			return fmt.Errorf("%s: %v is missing", at, k)
		}
	}
	for k, e := range m {
		known := d.at(s, "properties", k)
		if known == nil {
			return fmt.Errorf("%s: %s is not described", at, k)
		}
		if err := d.value(path.Join(at, k), known, e); err != nil {
			return err
		}
	}
	return nil
}
