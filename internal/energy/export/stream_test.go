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
