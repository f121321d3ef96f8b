package sensitivity

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Version is the version of the format.
const Version = 1

// Bounds of a file.
const (
	MaxBytes     = 8 << 20
	MaxFunctions = 1 << 12
	maxRanges    = 64 // number of ranges of a function
	maxBuildID   = 64 // bytes
	maxText      = 512
)

// Table is a file's content.
type Table struct {
	Version int `json:"ebb_sensitivity"`
	// Hz is the clock that all shares refer to.
	Hz int64 `json:"frequency_hz"`
	// Command is the recorded command, Estimator the way of recording; they are for the reader.
	Command   string     `json:"command,omitempty"`
	Estimator string     `json:"estimator,omitempty"`
	Functions []Function `json:"functions"`
}

// Function is one function of a file, or a method of Java.
type Function struct {
	Name   string `json:"name"`   // a method's name; a function's name is for the reader alone
	Module string `json:"module"` // the file's name, for the reader
	// Class and Signature belong to a method, such as "java.lang.String" and "()I"; a function has
	// none.
	Class     string `json:"class,omitempty"`
	Signature string `json:"signature,omitempty"`
	// BuildID is the build id of a function's file. A method has none.
	BuildID string `json:"build_id,omitempty"`
	// Ranges are the places of a function's code, as addresses in the file.
	Ranges []Range `json:"ranges,omitempty"`
	// Slices is the number of slices of running time that were measured, and TimeNS their length.
	Slices int   `json:"n"`
	TimeNS int64 `json:"time_ns"`
	// Share is the part of its time at Table.Hz that does not scale. It lies between Low and
	// High in 95 of 100 cases. A run uses Low: a share that is too low costs a part of the saving,
	// one that is too high would cost time.
	Share float64 `json:"share"`
	Low   float64 `json:"share_low"`
	High  float64 `json:"share_high"`
}

// Range is the addresses from Start up to End.
type Range struct {
	Start uint64 `json:"start"`
	End   uint64 `json:"end"`
}

// ErrFormat: the file is no table of functions.
var ErrFormat = errors.New("not a table of functions (ebb record --sensitivity)")

// Read reads a table and checks it.
func Read(r io.Reader) (*Table, error) {
	b, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read a table of functions: %w", err)
	}
	if len(b) > MaxBytes {
		return nil, fmt.Errorf("%w: longer than %d bytes", ErrFormat, MaxBytes)
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	t := &Table{}
	if err := d.Decode(t); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	if d.More() {
		return nil, fmt.Errorf("%w: something follows it", ErrFormat)
	}
	if err := t.validate(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return t, nil
}

// Write writes a table that Read can read, or nothing. A longer command is cut.
func (t *Table) Write(w io.Writer) error {
	short := *t
	short.Command = cut(t.Command)
	err := short.validate()
	var b []byte
	if err == nil {
		b, err = json.MarshalIndent(&short, "", " ")
	}
	if err == nil {
		_, err = w.Write(append(b, '\n'))
	}
	if err != nil {
		return fmt.Errorf("write a table of functions: %w", err)
	}
	return nil
}

// cut returns a text made UTF-8, which JSON needs, and cut to the length that a table may have.
func cut(text string) string {
	return strings.ToValidUTF8(text[:min(len(text), maxText)], "")
}

func (t *Table) validate() error {
	switch {
	case t.Version != Version:
		return fmt.Errorf("version %d, and not %d", t.Version, Version)
	case t.Hz < 1e6 || t.Hz > 1e11:
		return fmt.Errorf("%d Hz is no processor's frequency", t.Hz)
	case len(t.Functions) == 0:
		return errors.New("it has no functions")
	case len(t.Functions) > MaxFunctions:
		return fmt.Errorf("%d functions, more than %d", len(t.Functions), MaxFunctions)
	case len(t.Command) > maxText || len(t.Estimator) > maxText:
		return errors.New("a text is too long")
	}
	for i := range t.Functions {
		if err := t.Functions[i].validate(); err != nil {
			return fmt.Errorf("function %d: %w", i, err)
		}
	}
	return t.apart()
}

func (f *Function) validate() error {
	switch err := f.checkCode(); {
	case err != nil:
		return err
	case max(len(f.Name), len(f.Module), len(f.Class), len(f.Signature)) > maxText:
		return errors.New("a text is too long")
	case f.Slices < 0 || f.TimeNS < 0:
		return errors.New("a count below zero")
	case !(0 <= f.Low && f.Low <= f.Share && f.Share <= f.High && f.High <= 1):
		return fmt.Errorf("shares %v, %v, %v", f.Low, f.Share, f.High)
	}
	return nil
}

// checkCode checks the place of a function, or the names of a method.
func (f *Function) checkCode() error {
	if f.Class != "" || f.Signature != "" {
		switch {
		case f.Class == "" || f.Name == "" || f.Signature == "":
			return fmt.Errorf("the method %.20q of class %.20q with signature %.20q", f.Name,
				f.Class, f.Signature)
		case f.BuildID != "" || len(f.Ranges) > 0:
			return errors.New("a method with a build id or ranges")
		}
		return nil
	}
	id, err := hex.DecodeString(f.BuildID)
	switch {
	case err != nil || len(id) == 0 || len(id) > maxBuildID || hex.EncodeToString(id) != f.BuildID:
		return fmt.Errorf("the build id %.20q", f.BuildID)
	case len(f.Ranges) == 0 || len(f.Ranges) > maxRanges:
		return fmt.Errorf("%d ranges", len(f.Ranges))
	}
	for _, r := range f.Ranges {
		if r.End <= r.Start || r.End > 1<<62 {
			return fmt.Errorf("range %#x to %#x", r.Start, r.End)
		}
	}
	return nil
}
