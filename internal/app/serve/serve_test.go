package serve

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/app/config"
)

func TestWatchdogTime(t *testing.T) {
	own := strconv.Itoa(os.Getpid())
	for _, c := range []struct {
		usec, pid string
		want      time.Duration
		problem   bool
	}{
		{"", "", 0, false}, {"30000000", "", 30 * time.Second, false},
		{"30000000", own, 30 * time.Second, false}, {"30000000", "1", 0, false},
		{"nonsense", "1", 0, false}, {"nonsense", own, 0, true}, {"-1", "", 0, true},
		{"0", "", 0, true}, {"99999", "", 0, true}, {"100000", "", 100 * time.Millisecond, false},
		{"1e9", "", 0, true}, {"18446744073709551615", "", 0, true},
		{"9223372036854775807", "", mostPatience, false},
	} {
		got, problem := watchdogTime(c.usec, c.pid)
		if got != c.want || (problem != "") != c.problem {
			t.Errorf("%q of %q: %v, %q", c.usec, c.pid, got, problem)
		}
	}
}

// TestLoad: the files in the order of their names are one set; others in the directory are none.
func TestLoad(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tenants.d")
	if set, err := load(dir); err != nil || len(set.Tenants) != 0 ||
		set.Rest != config.RestHighest {
		t.Errorf("no directory: %+v, %v", set, err)
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"b.toml":       "[tenant.b]\nunit = \"b\"\nslowdown = \"5%\"\n",
		"a.toml":       "[tenant.z]\ncgroup = \"/z\"\n[tenant.y]\nunit = \"y\"\n",
		"m.toml":       "[machine]\nrest = \"background\"\n",
		"empty.toml":   "",
		".hidden.toml": "nonsense", "a.toml.dpkg-old": "nonsense", "README": "nonsense",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{dir, link} {
		set, err := load(dir)
		var names []string
		for _, t := range set.Tenants {
			names = append(names, t.Name)
		}
		if got := strings.Join(names, " "); err != nil || got != "z y b" ||
			set.Rest != config.RestBackground {
			t.Errorf("%s: %q, %q, %v", dir, got, set.Rest, err)
		}
	}
}

// TestNobodyListens: a service by hand says nothing to nobody.
func TestNobodyListens(t *testing.T) {
	n, problem := newNotifier(func(string) string { return "" })
	n.Ready("x")
	n.Alive()
	n.close()
	if problem != "" || n.Patience() != 0 {
		t.Errorf("%q, %v", problem, n.Patience())
	}
}
