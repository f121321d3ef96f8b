package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

var (
	// ErrFormat: the file is no report.
	ErrFormat = errors.New("not a report of ebb run --report FILE")
	// errTooMuch: the report would take more memory than any run's does.
	errTooMuch = errors.New("the report is larger than any that a run writes")
)

// Bounds of a report. They are of memory, because a few bytes of JSON can stand for fifty times as
// many in memory.
const (
	maxMemory  = 96 << 20
	maxThreads = 1 << 16 // views look at all threads for each of their rows
	maxDepth   = 32      // a report has 7
)

// MaxBytes bounds a report's file.
const MaxBytes = 64 << 20

// Decode reads a report that may come from anybody.
func Decode(text []byte) (*Report, error) {
	c := cost{dec: json.NewDecoder(bytes.NewReader(text))}
	if err := c.value(reflect.TypeFor[Report](), 0); err != nil {
		return nil, err
	}
	var r Report
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, ErrFormat // the decoder's own error has only names of its own
	}
	threads := len(r.Threads)
	if r.Attribution != nil {
		threads = max(threads, len(r.Attribution.Threads))
	}
	if threads > maxThreads {
		return nil, fmt.Errorf("%w: %d threads", errTooMuch, threads)
	}
	if err := r.Impossible(); err != nil {
		return nil, err
	}
	return &r, nil
}

// cost adds up the memory that a JSON text would take once decoded, from its tokens and their
// types.
type cost struct {
	dec   *json.Decoder
	bytes int64
}

const (
	perMapEntry = 64 // bytes beside key and value
	spare       = 2  // a slice that grows has up to twice the room it needs
)

func (c *cost) add(n int64) error {
	if c.bytes += n; c.bytes > maxMemory {
		return errTooMuch
	}
	return nil
}

func (c *cost) token() (json.Token, error) {
	t, err := c.dec.Token()
	if err != nil {
		return nil, ErrFormat
	}
	return t, nil
}

// value counts one value of type t; nil for a value that is skipped.
func (c *cost) value(t reflect.Type, depth int) error {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
		if err := c.add(int64(t.Size())); err != nil {
			return err
		}
	}
	token, err := c.token()
	if err != nil {
		return err
	}
	if s, ok := token.(string); ok {
		return c.add(int64(len(s)))
	}
	delim, ok := token.(json.Delim)
	if !ok {
		return nil
	}
	if depth == maxDepth {
		return ErrFormat
	}
	for c.dec.More() {
		inner := element(t)
		if delim == '{' {
			if inner, err = c.member(t); err != nil {
				return err
			}
		} else if inner != nil {
			if err := c.add(spare * int64(inner.Size())); err != nil {
				return err
			}
		}
		if err := c.value(inner, depth+1); err != nil {
			return err
		}
	}
	_, err = c.token()
	return err
}

// element returns the type of an array's elements.
func element(t reflect.Type) reflect.Type {
	if t != nil && (t.Kind() == reflect.Slice || t.Kind() == reflect.Array) {
		return t.Elem()
	}
	return nil
}

// member reads an object's next key and returns the type of its value.
func (c *cost) member(t reflect.Type) (reflect.Type, error) {
	token, err := c.token()
	if err != nil {
		return nil, err
	}
	key, ok := token.(string)
	if !ok {
		return nil, ErrFormat
	}
	switch {
	case t == nil:
	case t.Kind() == reflect.Map:
		return t.Elem(), c.add(int64(perMapEntry + len(key) + int(t.Elem().Size())))
	case t.Kind() == reflect.Struct:
		for _, f := range reflect.VisibleFields(t) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "" {
				name = f.Name
			}
			if strings.EqualFold(name, key) { // as the decoder compares names
				return f.Type, nil
			}
		}
	}
	return nil, nil
}
