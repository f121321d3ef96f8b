//go:build !race

package view

import (
	"context"
	"debug/elf"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/energy/profile"
)

const source = `
__attribute__((noinline)) static int hidden(int x) { return x * 3 + 1; }
int main(int n, char **a) { return hidden(n) ^ 7; }
`

// built is a program that was stripped, its symbols, and where its hidden function begins.
type built struct {
	stripped, symbols, id string
	hidden                uint64
}

func build(t *testing.T, optimise string) (b built) {
	t.Helper()
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(in("p.c"), []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"gcc " + optimise + " -g -Wl,--build-id -o whole p.c",
		"objcopy --only-keep-debug whole p.debug", "strip -o p whole"} {
		words := strings.Fields(line)
		c := exec.CommandContext(t.Context(), words[0], words[1:]...)
		if c.Dir = dir; c.Err != nil {
			t.Skip(c.Err)
		}
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", line, err, out)
		}
	}
	e, err := elf.Open(in("whole"))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	note, err := e.Section(".note.gnu.build-id").Data()
	if err != nil {
		t.Fatal(err)
	}
	list, err := e.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(list, func(s elf.Symbol) bool {
		return strings.HasPrefix(s.Name, "hidden")
	})
	return built{in("p"), in("p.debug"), hex.EncodeToString(note[16:]), list[i].Value}
}

// reportOf is an attribution in which the hidden function has no name.
func reportOf(b built) *profile.Profile {
	return &profile.Profile{Rules: []string{"ledger"}, Threads: []profile.Thread{{}},
		Frames: []profile.Frame{{Name: "p+0x1", Module: "p", Kind: "placed", BuildID: b.id,
			Address: b.hidden}, {Name: "f", Module: "lib", Kind: "native"}},
		Stacks: []profile.Stack{{Frames: []int{0, 1}, EnergyNJ: []int64{9}}},
		Nameless: []profile.Nameless{{Module: "p", Path: "/usr/bin/p", BuildID: b.id,
			EnergyNJ: []int64{9}}}}
}

// put copies a file to a place below a new directory, which it returns.
func put(t *testing.T, from, place string) string {
	t.Helper()
	b, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	return write(t, b, place)
}

func write(t *testing.T, b []byte, place string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	path := filepath.Join(dir, place)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// do names a report's functions and returns what was said.
func do(t *testing.T, p *profile.Profile, from symbolSource) string {
	t.Helper()
	said := ""
	if err := nameFunctions(t.Context(), p, from, func(s string) { said += s + "\n" }); err != nil {
		t.Fatal(err)
	}
	if err := p.Check(); err != nil {
		t.Error(err)
	}
	return said
}

// TestDirectory: symbols are found wherever packages, clients and builds leave them.
func TestDirectory(t *testing.T) {
	b := build(t, "-O1")
	rest := filepath.Join(b.id[:2], b.id[2:]+".debug")
	for _, place := range []string{".build-id/" + rest, "usr/lib/debug/.build-id/" + rest, rest,
		b.id + "/debuginfo", "p.debug", "p"} {
		p := reportOf(b)
		said := do(t, p, symbolDirectory(put(t, b.symbols, place)))
		if f := p.Frames[0]; !strings.HasPrefix(f.Name, "hidden") || f.Kind != "native" ||
			f.BuildID != "" || len(p.Nameless) > 0 || !strings.Contains(said, "1 of 1 function") {
			t.Errorf("%s: %+v, %+v, %s", place, f, p.Nameless, said)
		}
		if p.Frames[1].Name != "f" {
			t.Errorf("%+v", p.Frames[1])
		}
		if said := do(t, p, symbolDirectory("/")); !strings.Contains(said, "have names") {
			t.Errorf("afterwards: %s", said)
		}
	}
}

// TestHostileSymbols: a file of another build, one without symbols, one that is cut and one that is
// none name nothing, and the next one is tried.
func TestHostileSymbols(t *testing.T) {
	b, other := build(t, "-O1"), build(t, "-O1 -DOTHER -fno-pie -no-pie")
	whole, err := os.ReadFile(b.symbols)
	if err != nil {
		t.Fatal(err)
	}
	cut := slices.Clone(whole[:len(whole)/2])
	for what, dir := range map[string]string{
		"another build": put(t, other.symbols, b.id+"/debuginfo"),
		"stripped":      put(t, b.stripped, b.id+"/debuginfo"),
		"cut":           write(t, cut, b.id+"/debuginfo"),
		"a text":        write(t, []byte("<html>no such file</html>"), b.id+"/debuginfo"),
		"empty":         write(t, nil, b.id+"/debuginfo"),
		"a directory":   filepath.Dir(filepath.Dir(put(t, b.symbols, b.id+"/debuginfo/x"))),
	} {
		p := reportOf(b)
		said := do(t, p, symbolDirectory(dir))
		if f := p.Frames[0]; f.Kind != "placed" || len(p.Nameless) != 1 || said == "" {
			t.Errorf("%s: %+v, %s", what, f, said)
		}
		if err := os.WriteFile(filepath.Join(dir, "p.debug"), whole, 0o644); err != nil {
			t.Fatal(err)
		}
		if do(t, p, symbolDirectory(dir)); !strings.HasPrefix(p.Frames[0].Name, "hidden") {
			t.Errorf("%s: the next file is not tried", what)
		}
	}
}

// TestHostileReport: what a report says of files is no path that leads elsewhere, and no argument.
func TestHostileReport(t *testing.T) {
	b := build(t, "-O1")
	dir := put(t, b.symbols, "p.debug")
	for _, id := range []string{"--help", "../" + b.id, strings.ToUpper(b.id), "ab", b.id + "0",
		strings.Repeat("ab", 100)} {
		p := reportOf(b)
		p.Frames[0].BuildID = id
		if said := do(t, p, symbolDirectory(dir)); said != "" || p.Frames[0].Kind != "placed" {
			t.Errorf("%s: %s", id, said)
		}
	}
	p := reportOf(b)
	p.Nameless[0].Path, p.Frames[0].Module = "../p", "../"+filepath.Base(dir)+"/p"
	if do(t, p, symbolDirectory(filepath.Join(dir, "nowhere"))); p.Frames[0].Kind != "placed" {
		t.Error("a name led out of the directory")
	}
}

// TestClient: what the client prints is opened and read as any file is; without one its reason is
// said, and no file is larger than the bound.
func TestClient(t *testing.T) {
	b := build(t, "-O1")
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	d := &debuginfod{urls: []string{"http://127.0.0.1:1"}, client: own, cache: t.TempDir(),
		silence: silence}
	t.Setenv("DEBUGINFOD_CACHE_PATH", d.cache)
	others := filepath.Join(d.cache, b.id, "debuginfo.0tHer5")
	if _, err := fill(others, 0); err != nil {
		t.Fatal(err)
	}
	for answer, want := range map[string]string{
		b.symbols:       "1 of 1 function named by " + b.symbols,
		"/no/such/file": "no file has its symbols",
		"":              "no server gave its symbols: exit status 1: ebb: Server query failed",
		"endless":       "file size", "/dev/zero": "not a regular file",
	} {
		t.Setenv("ANSWER", answer)
		p := reportOf(b)
		said := do(t, p, d)
		if !strings.Contains(said, want) && !(answer == "endless" &&
			strings.Contains(said, "file too large")) || strings.Contains(said, "\x1b") {
			t.Errorf("%q: %s", answer, said)
		}
		if named := p.Frames[0].Kind == "native"; named != (answer == b.symbols) {
			t.Errorf("%q: %+v", answer, p.Frames[0])
		}
	}
	if list, err := os.ReadDir(filepath.Dir(others)); err != nil || len(list) != 1 {
		t.Errorf("%v, %v are left, and only what another client had begun should be", list, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := nameFunctions(ctx, reportOf(b), d, func(string) {}); err == nil {
		t.Error("an interrupted question has names")
	}
}

// TestAllThatIsFetchedHasABound: servers whose every answer is as large as is allowed fill no disk,
// and a file that was there before counts for nothing.
func TestAllThatIsFetchedHasABound(t *testing.T) {
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	d := &debuginfod{urls: []string{"http://127.0.0.1:1"}, client: own, cache: t.TempDir(),
		silence: silence}
	t.Setenv("DEBUGINFOD_CACHE_PATH", d.cache)
	t.Setenv("ANSWER", "huge")
	var sum, most int64
	for i := range 2 * maxSum / maxFetched {
		f := &unnamed{BuildID: fmt.Sprintf("abcdef%02x", i/2)} // each is asked for twice
		s, err := d.Find(t.Context(), f, 0)
		if err != nil {
			if err != errNoRoom {
				t.Fatal(err)
			}
			break
		}
		stat, err := s.Stat()
		if err != nil {
			t.Fatal(err)
		}
		if s.Close(); i%2 == 0 {
			sum, most = sum+stat.Size(), max(most, stat.Size())
		}
	}
	if d.sum = maxSum - 100; sum > maxSum || most > maxFetched || most == 0 {
		t.Errorf("%d bytes were fetched, of one file %d", sum, most)
	}
	s, err := d.Find(t.Context(), &unnamed{BuildID: "abcdefff"}, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if stat, err := s.Stat(); err != nil || stat.Size() > 100 {
		t.Errorf("%v, %v, where 100 bytes were left", stat, err)
	}
	if _, err := d.Find(t.Context(), &unnamed{BuildID: "abcdeffe"}, 0); err != errNoRoom {
		t.Errorf("beyond the bound: %v", err)
	}
}

// TestCacheDirectory: files are where the client looks for them.
func TestCacheDirectory(t *testing.T) {
	old := t.TempDir()
	if err := os.Mkdir(filepath.Join(old, ".debuginfod_client_cache"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ named, home, cache, want string }{
		{"", "/home/u", "", "/home/u/.cache/debuginfod_client"},
		{"", "/home/u", "/var/c", "/var/c/debuginfod_client"},
		{"/named", "/home/u", "/var/c", "/named"},
		{"", "", "", "/.cache/debuginfod_client"},
		{"", old, "/var/c", old + "/.debuginfod_client_cache"},
	} {
		t.Setenv("DEBUGINFOD_CACHE_PATH", c.named)
		t.Setenv("HOME", c.home)
		t.Setenv("XDG_CACHE_HOME", c.cache)
		if got := cacheDirectory(); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

// TestServers: addresses of servers, and words that are none.
func TestServers(t *testing.T) {
	for text, want := range map[string]string{
		"https://debuginfod.debian.net":                 "debuginfod.debian.net",
		" http://a:8002/x \thttps://b/ ima:enforcing\n": "a:8002 b",
		"https://a/ https://a/other":                    "a",
		"":                                              "", "ima:ignore": "", "debuginfod.debian.net": "", "file:///etc/passwd": "",
		"https://user:word@a/": "", "http://": "", "https://a ftp://b": "",
		strings.Repeat("https://a ", maxServers+1): "",
	} {
		urls, err := servers(text)
		if got := strings.Join((&debuginfod{urls: urls}).Hosts(), " "); got != want ||
			(err != nil) != (want == "") {
			t.Errorf("%q asks %q (%v), want %q", text, got, err, want)
		}
	}
	if _, err := newDebuginfod("https://a", true); err != errRoot {
		t.Errorf("root: %v", err)
	}
}

// FuzzServers: whatever the variable has, only hosts are asked that were said.
func FuzzServers(f *testing.F) {
	f.Add("https://a http://b:1/c ima:enforcing")
	f.Add("https://a\x00b %zz")
	f.Fuzz(func(t *testing.T, text string) {
		urls, err := servers(text)
		if (err == nil) != (len(urls) > 0) || len(urls) > maxServers {
			t.Errorf("%q: %q, %v", text, urls, err)
		}
		for _, u := range urls {
			if strings.ContainsAny(u, " \t\n\x00") ||
				!strings.HasPrefix(u, "http://") && !strings.HasPrefix(u, "https://") {
				t.Errorf("%q", u)
			}
		}
	})
}

// TestUnreadablePlace: a place that cannot be looked into hides no other, and is said where no
// other has the file.
func TestUnreadablePlace(t *testing.T) {
	b := build(t, "-O1")
	dir := put(t, b.symbols, "p.debug")
	if err := os.Symlink(".build-id", filepath.Join(dir, ".build-id")); err != nil { // for ever
		t.Fatal(err)
	}
	p := reportOf(b)
	if said := do(t, p, symbolDirectory(dir)); !strings.HasPrefix(p.Frames[0].Name, "hidden") {
		t.Errorf("beside a place that is a loop: %s", said)
	}
	if err := os.Remove(filepath.Join(dir, "p.debug")); err != nil {
		t.Fatal(err)
	}
	said := do(t, reportOf(b), symbolDirectory(dir))
	if !strings.Contains(said, "levels of symbolic") {
		t.Errorf("nowhere else: %s", said)
	}
}
