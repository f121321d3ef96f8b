package table

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/epochs"
)

// TestTruncatedAnywhere cuts a table off at each of its bytes, compressed and not: what is
// returned is a beginning of its epochs, and there is an error unless a line's end was met.
func TestTruncatedAnywhere(t *testing.T) {
	r, err := NewReader(strings.NewReader(goodTable), "t.csv")
	if err != nil {
		t.Fatal(err)
	}
	want, err := readAll(r)
	if err != nil || len(want) != 2 {
		t.Fatal(want, err)
	}
	packed := zipped(goodTable)
	for _, whole := range []string{goodTable, string(packed)} {
		for n := range whole {
			r, err := NewReader(strings.NewReader(whole[:n]), "t.csv")
			var got []epochs.Epoch
			if err == nil {
				got, err = readAll(r)
			}
			compressed := len(whole) == len(packed)
			switch {
			case compressed && n > 2 && !errors.Is(err, ErrTruncated):
				t.Fatalf("%d bytes of the gzip: %v", n, err)
			case !compressed && err == nil && whole[n-1] != '\n':
				t.Fatalf("%d bytes: no error", n)
			}
			if len(got) == 2 && err == nil && len(got[1].Rows) == 1 {
				// The file ends with a whole line of the last epoch: only the totals or another
				// reader can notice.
				continue
			}
			if err := differ(got, want[:len(got)]); err != nil {
				t.Fatalf("%d bytes: %v", n, err)
			}
		}
	}
}

func TestNameAndContentDiffer(t *testing.T) {
	_, err := NewReader(strings.NewReader(goodTable), "t.csv.gz")
	if !errors.Is(err, ErrCompression) {
		t.Errorf("plain text named .gz: %v", err)
	}
	damaged := zipped(strings.Repeat(goodTable, 50))
	damaged[len(damaged)-5] ^= 1 // of the checksum
	r, err := NewReader(bytes.NewReader(damaged), "t.csv.gz")
	if err == nil {
		_, err = readAll(r)
	}
	if err == nil {
		t.Error("a wrong checksum is accepted")
	}
}

// endless gives one line without end.
type endless struct{ read int64 }

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '7'
	}
	if e.read == 0 {
		copy(p, goodHeader+goodNames)
	}
	e.read += int64(len(p))
	return len(p), nil
}

func TestEndlessLine(t *testing.T) {
	src := &endless{}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r, err := NewReader(src, "t.csv")
	if err == nil {
		_, err = r.Next()
	}
	runtime.ReadMemStats(&after)
	if !errors.Is(err, ErrLongLine) {
		t.Errorf("an endless line: %v", err)
	}
	if src.read > 2*maxLine {
		t.Errorf("%d bytes were read before giving up", src.read)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 8*maxLine {
		t.Errorf("%d bytes were allocated for it", used)
	}
}

func TestTooManyRows(t *testing.T) {
	var b strings.Builder
	b.WriteString(goodHeader + "epoch,t_start,dur,end_events,tid\n")
	for i := range maxRows + 1 {
		fmt.Fprintf(&b, "0,0,500,-,%d\n", i)
	}
	r, err := NewReader(strings.NewReader(b.String()), "t.csv")
	if err != nil {
		t.Fatal(err)
	}
	var where *Error
	if _, err := r.Next(); !errors.As(err, &where) || where.Line != 2+maxRows+1 {
		t.Error(err)
	}
}
