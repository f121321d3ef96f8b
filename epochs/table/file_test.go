package table

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/ebb-energy/ebb/epochs"
)

// tableFile is a Writer of a file in a directory of the test's.
type tableFile struct {
	*Writer
	name string
}

func create(name string, counters []string) (*tableFile, error) {
	rows, err := os.CreateTemp(filepath.Dir(name), "rows-*")
	if err != nil {
		return nil, err
	}
	w, err := NewWriter(name, rows, counters)
	if err != nil {
		return nil, errors.Join(err, rows.Close(), os.Remove(rows.Name()))
	}
	return &tableFile{w, name}, os.Remove(rows.Name())
}

func (f *tableFile) Close(h Header) error {
	return f.Writer.Close(h, func(write func(io.Writer) error) error {
		file, err := os.Create(f.name)
		if err != nil {
			return err
		}
		return errors.Join(write(file), file.Close())
	})
}

func TestNewWriterRefuses(t *testing.T) {
	for _, counters := range [][]string{{"tid"}, {"a", "a"}, {""}, {"a,b"}, {"a\nb"}} {
		if _, err := NewWriter("t.csv", nil, counters); !errors.Is(err, ErrColumn) {
			t.Errorf("counters %q: %v", counters, err)
		}
	}
}

// After Discard there is nothing to close, and an error of the file is reported.
func TestCloseOnce(t *testing.T) {
	h, counters, es := sample()
	for _, discard := range []bool{true, false} {
		w, err := create(filepath.Join(t.TempDir(), "t.csv"), counters)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(&es[1]); err != nil {
			t.Fatal(err)
		}
		refused := errors.New("refused")
		want := fs.ErrClosed
		if discard {
			w.Discard()
		} else {
			want = refused
		}
		called := false
		err = w.Writer.Close(h, func(func(io.Writer) error) error { called = true; return refused })
		if !errors.Is(err, want) || called == discard {
			t.Errorf("Close: %v, want %v; published: %v", err, want, called)
		}
	}
}

func TestWriteRefuses(t *testing.T) {
	tests := map[string]epochs.Epoch{
		"negative duration": {Start: 10, Dur: -1},
		"overlap":           {Start: 9, Dur: 5},
		"few counters": {Start: 10, Dur: 5,
			Rows: []epochs.Row{{Thread: 1, Values: []int64{1}}}},
		"negative counter": {Start: 10, Dur: 5,
			Rows: []epochs.Row{{Thread: 1, Values: []int64{1, -1}}}},
		"threads disordered": {Start: 10, Dur: 5,
			Rows: []epochs.Row{{Thread: 2, Values: []int64{1, 1}},
				{Thread: 1, Values: []int64{1, 1}}}},
		"unknown end": {Start: 10, Dur: 5, Ends: []epochs.End{{Kind: 'Z', Thread: 1}}},
		"end of no thread": {Start: 10, Dur: 5,
			Ends: []epochs.End{{Kind: epochs.EndSleep, Thread: epochs.NoThread}}},
	}
	for name, e := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			w, err := create(filepath.Join(dir, "t.csv"), []string{"a", "b"})
			if err != nil {
				t.Fatal(err)
			}
			if err := w.Write(&epochs.Epoch{Dur: 10}); err != nil {
				t.Fatal(err)
			}
			if err := w.Write(&e); !errors.Is(err, ErrEpoch) {
				t.Errorf("Write: %v", err)
			}
			if err := w.Close(Header{Frequency: 1, TimeUnit: epochs.Nanosecond}); !errors.Is(err,
				ErrEpoch) {
				t.Errorf("Close: %v", err)
			}
			if _, err := os.Lstat(filepath.Join(dir, "t.csv")); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("there is a table (%v)", err)
			}
		})
	}
	w, err := create(filepath.Join(t.TempDir(), "t.csv"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(Header{TimeUnit: epochs.Nanosecond}); !errors.Is(err, ErrHeader) {
		t.Errorf("without a frequency: %v", err)
	}
}
