package qualify

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
)

// Bounds of a result that anybody may have written.
const (
	MostBytes  = 4 << 20
	mostItems  = 4096 // most items of a list
	mostText   = 4096 // most bytes of a string
	mostNumber = 1e18
)

// errForm: it is no result, or one of another format.
var errForm = errors.New("not a result of ebb qualify")

// Read decodes a result and checks it. The verdict in it is made anew.
func Read(text []byte) (*Result, error) {
	if len(text) > MostBytes {
		return nil, fmt.Errorf("%w: more than %d bytes", errForm, MostBytes)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	r := &Result{}
	if err := d.Decode(r); err != nil {
		return nil, fmt.Errorf("%w: %w", errForm, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: something follows it", errForm)
	}
	if r.Format != Format {
		return nil, fmt.Errorf("%w: its format is %d, this ebb reads %d", errForm, r.Format, Format)
	}
	if len(r.Steps) == 0 {
		return nil, fmt.Errorf("%w: it has no steps", errForm)
	}
	if err := bounded(reflect.ValueOf(r).Elem()); err != nil {
		return nil, fmt.Errorf("%w: %w", errForm, err)
	}
	seen := map[int]bool{}
	for i := range r.Steps {
		n := r.Steps[i].Number
		if n < 1 || n > Steps || seen[n] {
			return nil, fmt.Errorf("%w: step %d is none, or there twice", errForm, n)
		}
		seen[n] = true
	}
	r.Verdict = Judge(r)
	return r, nil
}

// bounded refuses lists, texts and numbers that no ebb writes.
func bounded(v reflect.Value) error {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return bounded(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if err := bounded(v.Field(i)); err != nil {
				return err
			}
		}
	case reflect.Slice:
		if v.Len() > mostItems {
			return fmt.Errorf("a list of %d", v.Len())
		}
		for i := range v.Len() {
			if err := bounded(v.Index(i)); err != nil {
				return err
			}
		}
	case reflect.String:
		if v.Len() > mostText {
			return fmt.Errorf("a text of %d bytes", v.Len())
		}
	case reflect.Float64:
		if x := math.Abs(v.Float()); !(x <= mostNumber) {
			return fmt.Errorf("a number of %g", v.Float())
		}
	case reflect.Int, reflect.Int64:
		if n := v.Int(); n > mostNumber || n < -mostNumber {
			return fmt.Errorf("a number of %d", n)
		}
	}
	return nil
}
