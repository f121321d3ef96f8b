package safefile

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestUnpacked(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := io.WriteString(z, "content"); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ file, want string }{
		{packed.String(), "content"}, {"plain", "plain"}, {"", ""}, {"\x1f", "\x1f"},
	} {
		r, err := Unpacked(strings.NewReader(c.file))
		if err != nil {
			t.Fatalf("%q: %v", c.file, err)
		}
		if got, err := io.ReadAll(r); string(got) != c.want || err != nil {
			t.Errorf("%q: %q, %v", c.file, got, err)
		}
	}
	if _, err := Unpacked(strings.NewReader("\x1f\x8bnothing of gzip's")); err == nil {
		t.Error("a damaged file was unpacked")
	}
}

// TestReadUnpacked: the bound is that of the text, not of the file that gzip made of it.
func TestReadUnpacked(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(make([]byte, 5000)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "zeros.gz")
	if err := os.WriteFile(path, packed.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	for most, want := range map[int64]error{5000: nil, 4999: errTooLong, 100: errTooLong} {
		got, err := ReadUnpacked(path, most, io.ReadAll)
		if !errors.Is(err, want) || err == nil && len(got) != 5000 {
			t.Errorf("at most %d bytes: %d bytes, %v", most, len(got), err)
		}
	}
	if _, err := ReadUnpacked(path+"x", 1, io.ReadAll); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}
