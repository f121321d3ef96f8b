package export

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/page/pagetest"
)

// probe uses the page as a person would: it points, clicks, searches, and writes down what it sees.
const probe = `<script>
function frames() { return Array.from(document.querySelectorAll("#flame div")); }
function named(n) { return frames().find(d => d.textContent === n); }
const out = {};
out.frames = frames().length;
out.width = named("app.core.Parser.parse").getBoundingClientRect().width / document.getElementById("flame").getBoundingClientRect().width;
named("GC Thread#0").dispatchEvent(new MouseEvent("mouseenter"));
out.details = document.getElementById("details").textContent;
named("app.core.Parser.parse").click();
out.zoomed = named("app.core.Parser.parse").style.width;
out.gone = !named("GC Thread#0");
const field = document.getElementById("search");
field.value = "hashmap"; field.dispatchEvent(new Event("input"));
out.found = document.getElementById("found").textContent;
out.marked = frames().filter(d => d.classList.contains("found")).map(d => d.textContent);
named("app.core.Parser.parse").click();
document.getElementById("reset").click();
out.back = frames().length;
out.low = document.getElementById("low").textContent;
const pre = document.createElement("pre"); pre.id = "seen"; pre.textContent = JSON.stringify(out); document.body.appendChild(pre);
</script>`

// TestOnePowerOneColour: where all ran at the same power but for rounding, all frames have the
// colour of the middle.
func TestOnePowerOneColour(t *testing.T) {
	p := sample(t)
	for i := range p.Stacks {
		s := &p.Stacks[i]
		s.CPUNS = s.EnergyNJ[0]/19 + int64(i)
	}
	var b bytes.Buffer
	if err := HTML(&b, &Run{Name: "alike"}, p, rows(t, p), 0); err != nil {
		t.Fatal(err)
	}
	var seen struct{ Colours []string }
	pagetest.Seen(t, b.String(), `<script>
const pre = document.createElement("pre"); pre.id = "seen";
pre.textContent = JSON.stringify({colours: [...new Set(Array.from(document.querySelectorAll("#flame div")).map(d => d.style.background))]});
document.body.appendChild(pre);
</script>`, &seen)
	for _, c := range seen.Colours {
		var red, green, blue int
		if _, err := fmt.Sscanf(c, "rgb(%d, %d, %d)", &red, &green, &blue); err != nil ||
			red < 230 || green < 205 || blue > 150 {
			t.Errorf("a frame is %s, not yellow: %v", c, seen.Colours)
		}
	}
	if len(seen.Colours) == 0 {
		t.Error("no frame")
	}
}

// TestPageInABrowser opens the page, clicks and reads it.
func TestPageInABrowser(t *testing.T) {
	p := sample(t)
	var b bytes.Buffer
	if err := HTML(&b, &Run{Name: "java"}, p, rows(t, p), 0); err != nil {
		t.Fatal(err)
	}
	var seen struct {
		Frames, Back                int
		Width                       float64
		Details, Zoomed, Found, Low string
		Gone                        bool
		Marked                      []string
	}
	pagetest.Seen(t, b.String(), probe, &seen)
	// all, [gc] with its thread and frame, idle, main with [unknown], Interpreter and three frames
	// below it, and run with four
	if seen.Frames != 15 || seen.Back != seen.Frames {
		t.Errorf("%d frames, after zooming out %d", seen.Frames, seen.Back)
	}
	// 600 of 1600 uJ below the interpreter
	if seen.Width < 0.36 || seen.Width > 0.39 {
		t.Errorf("a frame with 37.5 %% of the energy has %.3f of the width", seen.Width)
	}
	if !strings.Contains(seen.Details, "400.0 uJ") && !strings.Contains(seen.Details, "400 uJ") ||
		!strings.Contains(seen.Details, "25.0 % of all") {
		t.Errorf("details %q", seen.Details)
	}
	if seen.Zoomed != "100%" || !seen.Gone {
		t.Errorf("after a click the frame has width %q, others are gone: %v", seen.Zoomed,
			seen.Gone)
	}
	if !strings.Contains(seen.Found, "600 uJ, 100.0 %") || len(seen.Marked) != 1 ||
		seen.Marked[0] != "java.util.HashMap.get" {
		t.Errorf("search found %q, marked %q", seen.Found, seen.Marked)
	}
	if !strings.HasSuffix(seen.Low, " W") {
		t.Errorf("the legend begins with %q", seen.Low)
	}
}
