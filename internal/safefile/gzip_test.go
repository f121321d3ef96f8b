package safefile

import (
	"bytes"
	"compress/gzip"
	"io"
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
