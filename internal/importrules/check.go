package importrules

import (
	"fmt"
	"slices"
	"strings"
)

// Package is what the check needs of one package; `go list -json` prints these names.
type Package struct {
	ImportPath string
	Dir        string
	GoFiles    []string
	Imports    []string
	Deps       []string
	Standard   bool
}

// Check holds the packages of a module against the rules and returns one line for each violation, in order.
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
	var out []string
	for _, p := range packages {
		name, ours := strings.CutPrefix(p.ImportPath, module+"/")
		if !ours {
			continue
		}
		rule, known := byPath[name]
		if !known {
			out = append(out, fmt.Sprintf("%s has no rule: add it to internal/importrules/rules.go with its reason", name))
			continue
		}
		out = append(out, checkImports(module, p, rule, standard)...)
		uses, err := parse(module, p)
		if err != nil {
			return nil, fmt.Errorf("import rules of %s: %w", name, err)
		}
		if !slices.Contains(SysfsWriters, name) {
			out = append(out, sysfsWrites(module, name, uses)...)
		}
		if rule.Pure {
			out = append(out, checkPure(module, p, name, uses)...)
		}
	}
	slices.Sort(out)
	return out, nil
}

func checkImports(module string, p Package, rule Rule, standard map[string]bool) []string {
	var out []string
	for _, imp := range p.Imports {
		if standard[imp] || imp == "C" {
			continue
		}
		if rel, ours := strings.CutPrefix(imp, module+"/"); ours {
			if !slices.Contains(rule.May, rel) && !slices.Contains(rule.May, "*") {
				out = append(out, fmt.Sprintf("%s must not import %s: %s", rule.Package, rel, rule.Why))
			}
		} else if !slices.ContainsFunc(rule.Extern, func(prefix string) bool { return under(imp, prefix) }) {
			out = append(out, fmt.Sprintf("%s must not import %s: %s", rule.Package, imp, rule.Why))
		}
	}
	return out
}

func checkPure(module string, p Package, name string, uses []use) []string {
	var out []string
	for _, bad := range Impure {
		what := strings.Replace(bad.What, Module, module, 1)
		for _, dep := range p.Deps {
			if under(dep, what) {
				out = append(out, fmt.Sprintf("%s must not reach %s: %s", name, dep, bad.Why))
			}
		}
	}
	for _, bad := range ImpureDirect {
		if slices.Contains(p.Imports, bad.What) {
			out = append(out, fmt.Sprintf("%s must not import %s: %s", name, bad.What, bad.Why))
		}
	}
	for _, u := range uses {
		if why := u.impure(); why != "" {
			out = append(out, fmt.Sprintf("%s: %s must not use %s: %s", u.at, name, u.what(), why))
		}
	}
	return out
}

func sysfsWrites(module, name string, uses []use) []string {
	var out []string
	for _, u := range uses {
		if u.sysfsWrite(module) {
			out = append(out, fmt.Sprintf("%s: %s must not use %s: %s", u.at, name, u.what(), WhySysfs))
		}
	}
	return out
}

// under tells whether an import path is prefix or below it.
func under(path, prefix string) bool {
	return path == prefix || strings.HasPrefix(path, prefix+"/")
}
