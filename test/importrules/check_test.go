package importrules_test

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/test/importrules"
)

// list is what `go list` says of all packages of the module in dir, for Linux, and of what they
// import.
func list(t *testing.T, dir string) []importrules.Package {
	t.Helper()
	cmd := exec.Command("go", "list", "-export", "-deps",
		"-json=ImportPath,Dir,Export,GoFiles,Imports,Deps,Standard", "./...")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOWORK=off", "CGO_ENABLED=0")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list in %s: %v", dir, err)
	}
	var packages []importrules.Package
	dec := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var p importrules.Package
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatalf("go list: %v", err)
		}
		packages = append(packages, p)
	}
}

func TestModuleKeepsTheRules(t *testing.T) {
	root := filepath.Join("..", "..")
	noteDirectories(t, root)
	packages := list(t, root)
	violations, err := importrules.Check(importrules.Module, packages, importrules.Rules)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range violations {
		t.Error(v)
	}
	// A rule for a package that is gone, or misspelt, would hold nothing; and what nobody uses need
	// not be allowed.
	for _, r := range importrules.Rules {
		i := slices.IndexFunc(packages, func(p importrules.Package) bool {
			return p.ImportPath == importrules.Module+"/"+r.Package
		})
		if i < 0 {
			t.Errorf("rule for %s: there is no such package", r.Package)
			continue
		}
		for _, may := range r.May {
			if !slices.Contains(packages[i].Imports, importrules.Module+"/"+may) {
				t.Errorf("rule for %s: it may import %s and does not", r.Package, may)
			}
		}
		for _, may := range r.Extern {
			if !slices.ContainsFunc(packages[i].Imports,
				func(imp string) bool { return imp == may || strings.HasPrefix(imp, may+"/") }) {
				t.Errorf("rule for %s: it may import %s and does not", r.Package, may)
			}
		}
	}
}

// noteDirectories reads the module's directories, so that a test result is not taken from go test's
// cache when a package has come since: the cache knows what this process opens, not what go list
// does.
func noteDirectories(t *testing.T, root string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() && path != root &&
			(strings.HasPrefix(d.Name(), ".") || d.Name() == "build") {
			return filepath.SkipDir
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestCheckFindsViolations runs the check on a module that breaks the rules in each way it can.
func TestCheckFindsViolations(t *testing.T) {
	got, err := importrules.Check("example.com/bad", list(t, filepath.Join("testdata", "bad")),
		importrules.Rules)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"epochs must not import predictor: ",
		"epochs must not reach net: ",
		"epochs must not reach net/http: ",
		"extra has no rule",
		"predictor must not reach net: ",
		"predictor must not reach net/http: ",
		"policy must not reach net: ",
		"files.go: predictor must not import os: ",
		"files.go:7: predictor must not use os.WriteFile: ",
		"files.go:8: predictor must not use os.OpenFile: ",
		"files.go:9: predictor must not use os.OpenFile: ",
		"internal/sandbox must not import internal/stacks/symbols: ",
		"internal/sandbox must not parse with debug/gosym: ",
		"internal/sandbox must not reach internal/stacks/symbols: ",
		"rapl.go:8: rapl must not use FS.Write: ",
		"rapl.go:9: rapl must not use FS.Keep: ",
		"units.go: units must not import os: ",
		"units.go:12: units must not use a go statement: ",
		"units.go:14: units must not use math/rand/v2.IntN: ",
		"units.go:14: units must not use time.Now: ",
	}
	for _, w := range want {
		i := slices.IndexFunc(got, func(g string) bool { return strings.HasPrefix(g, w) })
		switch {
		case i < 0:
			t.Errorf("not found: %s", w)
		case strings.HasSuffix(got[i], ": "):
			t.Errorf("no reason given: %s", got[i])
		}
	}
	for _, g := range got {
		if strings.HasPrefix(g, "internal/linux/sysfs") || strings.HasPrefix(g, "sysfs.go") ||
			strings.HasPrefix(g, "files.go:10") || strings.Contains(g, "rand/v2.New") ||
			strings.HasPrefix(g, "internal/stacks/symbols") {
			t.Errorf("found what is allowed: %s", g)
		}
	}
	if t.Failed() {
		t.Logf("all:\n%s", strings.Join(got, "\n"))
	}
}

func TestEveryRuleHasAReason(t *testing.T) {
	for _, r := range importrules.Rules {
		if len(strings.Fields(r.Why)) < 4 {
			t.Errorf("rule for %s: reason %q says nothing", r.Package, r.Why)
		}
	}
}

// TestSysfsWritingFunctionsExist keeps the list from going stale when a function is renamed.
func TestSysfsWritingFunctionsExist(t *testing.T) {
	out, err := exec.Command("go", "doc", "-all",
		importrules.Module+"/internal/linux/sysfs").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range importrules.SysfsWriting {
		typ, method, _ := strings.Cut(name, ".")
		if !regexp.MustCompile(`(?m)^func \(\w+ \*?` + typ + `\) ` + method + `\(`).Match(out) {
			t.Errorf("internal/linux/sysfs has no %s", name)
		}
	}
	for _, m := range regexp.MustCompile(
		`(?m)^func \(\w+ \*?(\w+)\) (Write\w*)\(`,
	).FindAllSubmatch(out, -1) {
		name := string(m[1]) + "." + string(m[2])
		if name != "FS.Writable" && !slices.Contains(importrules.SysfsWriting, name) {
			t.Errorf("%s is not in the list of functions that write", name)
		}
	}
}
