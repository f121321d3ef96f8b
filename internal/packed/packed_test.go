package packed

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestReader(t *testing.T) {
	var file bytes.Buffer
	z := gzip.NewWriter(&file)
	if _, err := io.WriteString(z, "content"); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		file, want string
		packed     bool
	}{
		{file.String(), "content", true}, {"plain", "plain", false}, {"", "", false},
		{"\x1f", "\x1f", false},
	} {
		r, packed, err := Reader(bufio.NewReader(strings.NewReader(c.file)))
		if err != nil || packed != c.packed {
			t.Fatalf("%q: packed %v, %v", c.file, packed, err)
		}
		if got, err := io.ReadAll(r); string(got) != c.want || err != nil {
			t.Errorf("%q: %q, %v", c.file, got, err)
		}
	}
	damaged := strings.NewReader("\x1f\x8bnothing of gzip's")
	if _, packed, err := Reader(bufio.NewReader(damaged)); err == nil || !packed {
		t.Errorf("a damaged file: packed %v, %v", packed, err)
	}
	broken := errors.New("broken")
	_, packed, err := Reader(bufio.NewReader(iotest.ErrReader(broken)))
	if !errors.Is(err, broken) || packed {
		t.Errorf("a file that cannot be read: packed %v, %v", packed, err)
	}
}
