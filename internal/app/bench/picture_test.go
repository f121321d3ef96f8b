package bench

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

// TestPicture: each result with energy has a picture, which is whole XML, the same each time, and
// names nothing outside itself. A command may have anything in its name.
func TestPicture(t *testing.T) {
	for name, r := range results() {
		if drawn := name != "no-energy" && name != "nothing"; r.hasPicture() != drawn {
			t.Errorf("%s: a picture: %v", name, !drawn)
		} else if !drawn {
			continue
		}
		r.Plan.Command = []string{"./a<b>&\"'\x01\xff\uffff", "]]>"}
		var b, again bytes.Buffer
		if err := errors.Join(r.writeSVG(&b), r.writeSVG(&again)); err != nil {
			t.Fatal(err)
		}
		if b.String() != again.String() {
			t.Errorf("%s: another picture the second time", name)
		}
		outside := strings.Replace(b.String(), "http://www.w3.org/2000/svg", "", 1)
		for _, s := range []string{"http", "href", "url(", "@import", "<script"} {
			if strings.Contains(outside, s) {
				t.Errorf("%s: the picture has %q", name, s)
			}
		}
		parts := xml.NewDecoder(&b)
		for {
			if _, err := parts.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
}
