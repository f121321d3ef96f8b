package export

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/energy/profile"
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

// keys uses the page without a pointer, and sorts its table.
const keys = `<script>
function frames() { return Array.from(document.querySelectorAll("#flame div")); }
function press(d, key) { d.dispatchEvent(new KeyboardEvent("keydown", {key: key, bubbles: true})); }
const out = {walk: [], orders: []};
out.tabs = frames().filter(d => d.tabIndex === 0).length;
out.folded = frames().filter(d => d.textContent === "app.fib").length;
frames()[0].focus();
for (const key of ["ArrowDown", "ArrowDown", "ArrowDown", "ArrowUp", "Enter"]) {
  press(document.activeElement, key);
  out.walk.push(document.activeElement.textContent);
}
out.width = document.activeElement.style.width;
press(document.activeElement, "Escape");
out.back = document.activeElement.textContent;
const fold = document.getElementById("fold");
out.offered = !fold.parentElement.hidden;
fold.checked = false; fold.dispatchEvent(new Event("change"));
out.whole = frames().filter(d => d.textContent === "app.fib").length;
const heads = document.getElementById("rows").tHead.rows[0].cells;
function column(i) { return Array.from(document.querySelectorAll("#rows tr:not(.once) td:nth-child(" + (i + 1) + ")")).map(d => d.dataset.v || d.textContent); }
for (const i of [4, 4, 1]) { heads[i].click(); out.orders.push(column(i)); }
out.last = document.querySelector("#rows tbody").lastElementChild.className;
document.querySelector('#rows a[title="app.core.Parser.parse"]').click();
out.leads = document.querySelectorAll("#flame .found").length;
out.screen = document.getElementById("flame").getBoundingClientRect().height <= 0.76 * window.innerHeight;
const pre = document.createElement("pre"); pre.id = "seen"; pre.textContent = JSON.stringify(out); document.body.appendChild(pre);
</script>`

// TestKeysAndOrder: a page can be used with the keyboard alone, a function that calls itself is one
// frame until somebody wants all, and the table is sorted by its headings.
func TestKeysAndOrder(t *testing.T) {
	p := sample(t)
	p.Frames = append(p.Frames, profile.Frame{Name: "app.fib"})
	calls := make([]int, 60)
	for i := range calls {
		calls[i] = len(p.Frames) - 1
	}
	most := 0
	for i := range p.Stacks {
		if p.Stacks[i].EnergyNJ[0] > p.Stacks[most].EnergyNJ[0] {
			most = i
		}
	}
	s := &p.Stacks[most]
	s.Frames = append(append(s.Frames[:0:0], s.Frames...), calls...)
	var b bytes.Buffer
	if err := HTML(&b, &Run{Name: "java"}, p, rows(t, p), 0); err != nil {
		t.Fatal(err)
	}
	var seen struct {
		Tabs, Folded, Whole int
		Walk                []string
		Width, Back         string
		Last                string
		Offered, Screen     bool
		Leads               int // frames to which a unit's name leads
		Orders              [][]string
	}
	devtest.SeenInBrowser(t, b.String(), keys, &seen)
	if seen.Tabs != 1 || seen.Folded != 1 || seen.Whole != len(calls) || !seen.Offered {
		t.Errorf("%+v", seen)
	}
	if n := len(seen.Walk); n != 5 || seen.Walk[1] != seen.Walk[3] ||
		seen.Walk[3] != seen.Walk[4] ||
		seen.Walk[1] == seen.Walk[2] || seen.Width != "100%" || seen.Back != "all" {
		t.Errorf("the keys led to %q, width %s, back to %q", seen.Walk, seen.Width, seen.Back)
	}
	if seen.Last != "once" || seen.Leads == 0 {
		t.Errorf("the last line is %q, a name leads to %d frames", seen.Last, seen.Leads)
	}
	if !seen.Screen {
		t.Error("the flame graph is higher than the screen")
	}
	down, up, names := seen.Orders[0], seen.Orders[1], seen.Orders[2]
	number := func(a, b string) int {
		x, _ := strconv.ParseInt(a, 10, 64)
		y, _ := strconv.ParseInt(b, 10, 64)
		return cmp.Compare(x, y)
	}
	if len(up) < 3 || !slices.IsSortedFunc(up, number) ||
		!slices.IsSortedFunc(down, func(a, b string) int { return number(b, a) }) {
		t.Errorf("by energy: %q, then %q", down, up)
	}
	if !slices.IsSortedFunc(names, func(a, b string) int {
		return cmp.Compare(strings.ToLower(a), strings.ToLower(b))
	}) {
		t.Errorf("by name: %q", names)
	}
}

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
	devtest.SeenInBrowser(t, b.String(), `<script>
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
	devtest.SeenInBrowser(t, b.String(), probe, &seen)
	// all, [gc] with its thread and frame, idle, main with [unknown], Interpreter and three frames
	// below it, and run with four
	if seen.Frames != 15 || seen.Back != seen.Frames {
		t.Errorf("%d frames, after zooming out %d", seen.Frames, seen.Back)
	}
	// 600 of 1600 uJ below the interpreter
	if seen.Width < 0.36 || seen.Width > 0.39 {
		t.Errorf("a frame with 37.5 %% of the energy has %.3f of the width", seen.Width)
	}
	if !strings.Contains(seen.Details, "400.0 µJ") && !strings.Contains(seen.Details, "400 µJ") ||
		!strings.Contains(seen.Details, "25.0 % of all") {
		t.Errorf("details %q", seen.Details)
	}
	if seen.Zoomed != "100%" || !seen.Gone {
		t.Errorf("after a click the frame has width %q, others are gone: %v", seen.Zoomed,
			seen.Gone)
	}
	if !strings.Contains(seen.Found, "600 µJ, 100.0 %") || len(seen.Marked) != 1 ||
		seen.Marked[0] != "java.util.HashMap.get" {
		t.Errorf("search found %q, marked %q", seen.Found, seen.Marked)
	}
	if !strings.HasSuffix(seen.Low, " W") {
		t.Errorf("the legend begins with %q", seen.Low)
	}
}
