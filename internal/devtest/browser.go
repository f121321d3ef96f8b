package devtest

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// patience bounds the time that the browser takes for a page.
const patience = 2 * time.Minute

// SeenInBrowser opens a page in Chromium, 1280 pixels wide, with a script at its end. The script
// appends a <pre id="seen"> with what it finds, as JSON, which SeenInBrowser decodes into a value.
// Without Chromium the test is skipped.
func SeenInBrowser(t *testing.T, page, script string, seen any) {
	t.Helper()
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("chromium is not installed: see packages.txt")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "page.html")
	page = strings.Replace(page, "</body>", script+"</body>", 1)
	if err := os.WriteFile(path, []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, chromium, "--headless", "--no-sandbox", "--disable-gpu",
		"--window-size=1280,1000",
		"--user-data-dir="+filepath.Join(dir, "profile"), "--dump-dom", "file://"+path)
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
	if err := json.Unmarshal([]byte(text), seen); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
}
