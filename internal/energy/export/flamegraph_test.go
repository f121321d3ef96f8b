package export

import (
	"bytes"
	"encoding/xml"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/energy/profile"
)

// flamegraph is Brendan Gregg's tool, as Debian's libdevel-nytprof-perl installs it.
const flamegraph = "/usr/share/perl5/Devel/NYTProf/flamegraph.pl"

var reported = regexp.MustCompile(`^(.*) \(([0-9,]+) uJ, `)

// draw has the tool draw a profile's folded stacks, and returns what each of its boxes says, in uJ
// by name.
func draw(t *testing.T, p *profile.Profile) map[string]int64 {
	t.Helper()
	if _, err := os.Stat(flamegraph); err != nil {
		t.Skip("flamegraph.pl is not installed: see packages.txt")
	}
	var in, said bytes.Buffer
	if err := Folded(&in, p, 0); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "perl", flamegraph, "--countname", "uJ", "--minwidth",
		"0")
	cmd.Stdin, cmd.Stderr = &in, &said
	svg, err := cmd.Output()
	if err != nil || said.Len() > 0 {
		t.Fatalf("%v: %s", err, said.String())
	}
	boxes := map[string]int64{}
	d := xml.NewDecoder(bytes.NewReader(svg))
	for {
		token, err := d.Token()
		if err == io.EOF {
			return boxes
		}
		if err != nil {
			t.Fatalf("the drawing is no XML: %v", err)
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "title" {
			var text string
			if err := d.DecodeElement(&text, &e); err != nil {
				t.Fatal(err)
			}
			if m := reported.FindStringSubmatch(text); m != nil {
				uj, err := strconv.ParseInt(strings.ReplaceAll(m[2], ",", ""), 10, 64)
				if err != nil {
					t.Fatal(err)
				}
				boxes[m[1]] += uj
			}
		}
	}
}

// TestFoldedInAFlameGraphTool: the tool that made the format draws it without a complaint, with the
// amounts that it has.
func TestFoldedInAFlameGraphTool(t *testing.T) {
	boxes := draw(t, sample(t))
	for name, want := range map[string]int64{"all": 1600, "app.core.Parser.parse": 900,
		"java.util.HashMap.get": 600, "G1ParScanThreadState::trim": 400} {
		if boxes[name] != want {
			t.Errorf("%s has %d uJ, not %d; there are %v", name, boxes[name], want, boxes)
		}
	}
}

// TestHostileNamesInAFlameGraphTool: names that the format cannot have come out changed, and their
// energy is there.
func TestHostileNamesInAFlameGraphTool(t *testing.T) {
	p := sample(t)
	for i, name := range []string{"a;b", "</title><script>", "two\nlines 7", "\xff\xfe", "",
		"ends in 12"} {
		p.Frames[i%len(p.Frames)].Name = name
	}
	if boxes := draw(t, p); boxes["all"] != 1600 {
		t.Errorf("%v", boxes)
	}
}
