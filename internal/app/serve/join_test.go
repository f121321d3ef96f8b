package serve

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// FuzzRead: whatever the answer is, it is a lease or one short error, and is read up to a bound.
func FuzzRead(f *testing.F) {
	for text := range answers {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		err := read(iotest.HalfReader(strings.NewReader(text)))
		if err == nil && !strings.HasPrefix(text, "HTTP/1.1 200") {
			t.Errorf("%q is a lease", text)
		}
		if err != nil && len(err.Error()) > 600 { // each byte may be written as several
			t.Errorf("%d bytes", len(err.Error()))
		}
	})
}

// answers are some, with a part of the error that they are; "" for a lease.
var answers = map[string]string{
	"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n{}\n":          "",
	"HTTP/1.1 403 F\r\n\r\n{\"error\":\"this user may not\"}\n": "this user may not",
	"HTTP/1.1 500 F\r\n\r\n{}\n":                                "no sense",
	"HTTP/1.0 200 OK\r\n\r\n{}\n":                               "no sense",
	"}\n":                                                       "no sense",
	"":                                                          "closed",
	"HTTP/1.1 200 OK\r\n\r\n{":                                  "closed",
	"HTTP/1.1 200 OK\r\n" + strings.Repeat("X: y\r\n", mostAnswer):              "no end",
	"HTTP/1.1 403 F\r\n\r\n{\"error\":\"" + strings.Repeat("x", 4000) + "\"}\n": "xxx",
}

func TestRead(t *testing.T) {
	for text, want := range answers {
		err := read(strings.NewReader(text))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v", text, err)
		}
	}
	if err := read(iotest.ErrReader(io.ErrNoProgress)); !errors.Is(err, io.ErrNoProgress) {
		t.Error(err)
	}
}
