package export

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// probe is what the test does to the page, as a person would: it points, clicks, searches, and writes down what it sees.
const probe = `<script>
function frames() { return Array.from(document.querySelectorAll("#flame div")); }
function named(n) { return frames().find(d => d.textContent === n); }
const out = {};
out.frames = frames().length;
out.width = named("app.core.Parser.parse").getBoundingClientRect().width / document.getElementById("flame").getBoundingClientRect().width;
named("GC Thread#0").dispatchEvent(new MouseEvent("mouseenter"));
out.told = document.getElementById("told").textContent;
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

// TestPageInABrowser opens the page, clicks and reads it.
func TestPageInABrowser(t *testing.T) {
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("chromium is not installed: see packages.txt")
	}
	p := sample(t)
	var b bytes.Buffer
	if err := HTML(&b, "java -jar app.jar", p, rows(t, p), 0); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	page := filepath.Join(dir, "page.html")
	if err := os.WriteFile(page, []byte(strings.Replace(b.String(), "</body>", probe+"</body>", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, chromium, "--headless", "--no-sandbox", "--disable-gpu", "--window-size=1280,1000",
		"--user-data-dir="+filepath.Join(dir, "profile"), "--dump-dom", "file://"+page)
	cmd.WaitDelay = 5 * time.Second
	dom, err := cmd.Output()
	if err != nil {
		t.Fatalf("chromium: %v", err)
	}
	_, rest, ok := strings.Cut(string(dom), `<pre id="seen">`)
	text, _, _ := strings.Cut(rest, "</pre>")
	if !ok {
		t.Fatalf("the page's script did not come to its end:\n%.2000s", dom)
	}
	text = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&").Replace(text)
	var seen struct {
		Frames, Back             int
		Width                    float64
		Told, Zoomed, Found, Low string
		Gone                     bool
		Marked                   []string
	}
	if err := json.Unmarshal([]byte(text), &seen); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	// all, [gc] with its thread and frame, idle, main with [unknown], Interpreter and three frames below it, and run with four
	if seen.Frames != 15 || seen.Back != seen.Frames {
		t.Errorf("%d frames, after zooming out %d", seen.Frames, seen.Back)
	}
	// 600 of 1600 uJ below the interpreter
	if seen.Width < 0.36 || seen.Width > 0.39 {
		t.Errorf("a frame with 37.5 %% of the energy has %.3f of the width", seen.Width)
	}
	if !strings.Contains(seen.Told, "400.0 uJ") && !strings.Contains(seen.Told, "400 uJ") || !strings.Contains(seen.Told, "25.0 % of all") {
		t.Errorf("told %q", seen.Told)
	}
	if seen.Zoomed != "100%" || !seen.Gone {
		t.Errorf("after a click the frame has width %q, others are gone: %v", seen.Zoomed, seen.Gone)
	}
	if !strings.Contains(seen.Found, "600 uJ, 100.0 %") || len(seen.Marked) != 1 || seen.Marked[0] != "java.util.HashMap.get" {
		t.Errorf("search found %q, marked %q", seen.Found, seen.Marked)
	}
	if !strings.HasSuffix(seen.Low, " W") {
		t.Errorf("the legend begins with %q", seen.Low)
	}
}
