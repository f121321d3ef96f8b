package pages

import (
	"bytes"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/app/qualify"
)

// hostile is a stranger's result whose texts are not what they should be.
const hostile = `{"format":1,"ebb_version":"<script>alert(1)</script>","machine":{"cpu_model":"\u001b[31mred\u202e"},
"steps":[{"step":1,"state":"<b>","because":"</td><img src=x onerror=alert(1)>","there":{"findings":[{"what":"<i>"}]}},
{"step":2,"state":"finished","requests":{"actuator":"<u>","speed_ratio":3,"asked_ratio":4,"trouble":"\u001b]0;x\u0007",
"busy_cores":[{"busy":1},{"busy":2,"relative_speed":0.5}],"domains":[{"moves_with":[3]}]}},
{"step":3,"counters":{"programs":[{"program":"<p onclick=x>","known_instructions":1,"instructions":2}],"memory":{}}},
{"step":4,"meters":{"meters":[{"name":"<m>","loads":[{"busy_share":1,"power_w":-4}]}],"against":[{"of":"<m>","with":"<n>"}]}},
{"step":5,"predictions":{"clocks_hz":[1,2],"runs":[{"program":"<q>","freq_hz":1}],
"errors":[{"model":"wake","program":"<q>","from_hz":1,"to_hz":2,"error_percent":1e9}]}},
{"step":6,"comparisons":[{"program":"<c>","settings":[{"setting":"<s>","kind":"static","slowdown":{"estimate":1},"energy_change":{"estimate":2}},
{"setting":"x","budget":0.05}],"against":[{"of":"<v>"}]}]},
{"step":8,"killed":{"left":["<l>"]}}]}`

// Nothing of a stranger's result becomes markup, or reaches a terminal as a sequence.
func TestHostile(t *testing.T) {
	r, err := qualify.Read([]byte(hostile))
	if err != nil {
		t.Fatal(err)
	}
	var html, text bytes.Buffer
	if err := QualificationHTML(&html, r); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"<script>", "<img", "<b>", "<i>", "<u>", "<m>", "<q>", "<c>",
		"<s>", "<v>", "<l>", "<p onclick", "\x1b", "\u202e"} {
		if strings.Contains(html.String(), bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	if err := QualificationText(&text, r); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(text.String(), "\x1b\x07\u202e") {
		t.Errorf("the text has a sequence: %q", text.String())
	}
}

// FuzzHTML: every result that can be read can be shown.
func FuzzHTML(f *testing.F) {
	f.Add([]byte(hostile))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := qualify.Read(text)
		if err != nil {
			return
		}
		var out bytes.Buffer
		if err := QualificationHTML(&out, r); err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(out.Bytes(), []byte("<script")) {
			t.Error("the page has a script")
		}
		if err := QualificationText(&out, r); err != nil {
			t.Fatal(err)
		}
	})
}
