package importrules

import (
	"fmt"
	"slices"
	"strings"
)

// Package has the facts on one package that the check needs; `go list -export -json` prints these
// names.
type Package struct {
	ImportPath string
	Dir        string
	Export     string
	GoFiles    []string
	Imports    []string
	Deps       []string
	Standard   bool
}

// Check checks the packages of a module against the rules and returns one line for each violation,
// in order.
func Check(module string, packages []Package, rules []Rule) ([]string, error) {
	byPath := map[string]Rule{}
	for _, r := range rules {
		byPath[r.Package] = r
	}
	standard := map[string]bool{}
	for _, p := range packages {
		if p.Standard {
			standard[p.ImportPath] = true
		}
	}
	l := newLoader(packages)
	var out []string
	for _, p := range packages {
		name, ours := strings.CutPrefix(p.ImportPath, module+"/")
		if !ours {
			continue
		}
		rule, known := byPath[name]
		if !known {
			out = append(
				out, fmt.Sprintf(
					"%s has no rule: add it to test/importrules with its reason", name,
				),
			)
			continue
		}
		out = append(out, checkImports(module, p, rule, standard)...)
		out = append(out, checkParsing(module, name, p)...)
		files, uses, err := l.load(p)
		if err != nil {
			return nil, fmt.Errorf("import rules of %s: %w", name, err)
		}
		if !slices.Contains(sysfsWriters, name) {
			out = append(out, sysfsWrites(module, name, uses)...)
		}
		if !slices.Contains(fileWriters, name) {
			for _, u := range uses {
				if why := u.writesFile(); why != "" {
					out = append(out, fmt.Sprintf("%s: %s must not use %s: %s", u.at, name,
						u.what(), why))
				}
			}
		}
		if rule.Pure {
			out = append(out, checkPure(module, p, rule, files, uses)...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

func checkImports(module string, p Package, rule Rule, standard map[string]bool) []string {
	var out []string
	for _, imp := range p.Imports {
		if standard[imp] {
			continue
		}
		if rel, ours := strings.CutPrefix(imp, module+"/"); ours {
			if !slices.Contains(rule.May, rel) {
				out = append(out, fmt.Sprintf("%s must not import %s: %s", rule.Package, rel,
					rule.Why))
			}
		} else if !slices.ContainsFunc(rule.Extern,
			func(prefix string) bool { return under(imp, prefix) }) {
			out = append(out, fmt.Sprintf("%s must not import %s: %s", rule.Package, imp, rule.Why))
		}
	}
	return out
}

// checkParsing checks the imports of the module's own packages. A library may parse anything
// (cilium/ebpf reads ebb's programs as ELF files).
func checkParsing(module, name string, p Package) []string {
	if slices.Contains(parsers, name) || slices.Contains(formats, name) {
		return nil
	}
	var out []string
	for _, imp := range p.Imports {
		if slices.ContainsFunc(parsing, func(prefix string) bool { return under(imp, prefix) }) {
			out = append(out, fmt.Sprintf("%s must not parse with %s: %s", name, imp, whyParsing))
		}
	}
	for _, dep := range p.Deps {
		if rel, ours := strings.CutPrefix(dep, module+"/"); ours && slices.Contains(parsers, rel) &&
			!slices.Contains(sandbox, name) {
			out = append(out, fmt.Sprintf("%s must not reach %s: %s", name, rel, whyParsing))
		}
	}
	return out
}

func checkPure(module string, p Package, rule Rule, files []file, uses []use) []string {
	var out []string
	for _, bad := range impure {
		what := strings.Replace(bad.What, Module, module, 1)
		for _, dep := range p.Deps {
			if under(dep, what) {
				out = append(out, fmt.Sprintf("%s must not reach %s: %s", rule.Package, dep,
					bad.Why))
			}
		}
	}
	for _, f := range files {
		for _, bad := range impureDirect {
			if slices.Contains(f.imports, bad.What) {
				out = append(out, fmt.Sprintf("%s: %s must not import %s: %s", f.name, rule.Package,
					bad.What, bad.Why))
			}
		}
	}
	for _, u := range uses {
		if why := u.impure(); why != "" {
			out = append(out, fmt.Sprintf("%s: %s must not use %s: %s", u.at, rule.Package,
				u.what(), why))
		}
	}
	return out
}

func sysfsWrites(module, name string, uses []use) []string {
	var out []string
	for _, u := range uses {
		if u.path == module+"/internal/linux/sysfs" && slices.Contains(SysfsWriting, u.name) {
			out = append(out, fmt.Sprintf("%s: %s must not use %s: %s", u.at, name, u.name,
				whySysfs))
		}
	}
	return out
}

// under reports whether an import path is prefix or below it.
func under(path, prefix string) bool {
	return path == prefix || strings.HasPrefix(path, prefix+"/")
}
