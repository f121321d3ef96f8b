package export

import (
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/energy/stream"
)

// TestPage: the page loads itself again until the run has ended, and shows no name as HTML.
func TestPage(t *testing.T) {
	for _, ended := range []bool{false, true} {
		var h stream.History
		h.Last = &stream.Line{Command: "<b>x</b>", Ended: ended, EveryNS: 2e9,
			Methods: []stream.Method{{Unit: "<script>", EnergyNJ: 1, Share: 1}},
			Threads: []stream.Thread{{TID: 3, Name: "\x1b[2J"}}}
		h.Points = []stream.Point{{AtNS: 0, DurNS: 1e9, Watts: 3}}
		var b strings.Builder
		if err := WriteStream(&b, &h); err != nil {
			t.Fatal(err)
		}
		page := b.String()
		if strings.Contains(page, `http-equiv="refresh" content="2"`) == ended ||
			strings.Contains(page, "<b>x") || strings.Contains(page, "<script>") ||
			strings.Contains(page, "\x1b") {
			t.Errorf("ended %t: %.3000s", ended, page)
		}
	}
}

// TestShares: one bar has the parts of the program's energy, by method or without methods by
// thread, and what has no name of its own is one part of it, so that the parts are the whole.
func TestShares(t *testing.T) {
	many := &stream.Line{Source: "measured", SampledNJ: 100e9, TargetNJ: 300e9, MoreMethods: 40}
	for i := range 8 {
		many.Methods = append(many.Methods, stream.Method{Unit: string(rune('a' + i)),
			EnergyNJ: int64(20-2*i) * 1e9})
	}
	threads := &stream.Line{Source: "measured", TargetNJ: 10e9, Threads: []stream.Thread{
		{TID: 7, Name: "busy", EnergyNJ: 9e9}, {TID: 8, Name: "idle", EnergyNJ: 1e9}}}
	for name, tc := range map[string]struct {
		line  *stream.Line
		whole float64
		first string
		last  string
		parts int
	}{
		"methods": {many, 100e9, "a", "42 others", mostParts + 1},
		"threads": {threads, 10e9, "busy (7)", "idle (8)", 2},
	} {
		b := shares(tc.line)
		sum := 0.0
		for _, p := range b.Parts {
			sum += p.Value
		}
		if len(b.Parts) != tc.parts || sum != tc.whole || b.Parts[0].Name != tc.first ||
			b.Parts[len(b.Parts)-1].Name != tc.last {
			t.Errorf("%s: %+v", name, b.Parts)
		}
	}
	if got := label("org.apache.tomcat.NioChannel.write"); got != "…tomcat.NioChannel.write" {
		t.Errorf("a long name became %q", got)
	}
	if b := shares(&stream.Line{}); len(b.Parts) != 0 {
		t.Errorf("of nothing: %+v", b.Parts)
	}
}
