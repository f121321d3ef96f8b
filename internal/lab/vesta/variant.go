package vesta

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// Variant changes the Java programs of a plan: the JVM that runs them, and its options.
type Variant struct {
	Name    string
	Java    string   // path of the java command; empty: the plan's
	Options []string // options before the plan's own
}

// asGiven and again are the names of the variants that change nothing: the first, whose model is
// taken to the others, and one at the end. The model's loss there is what time alone costs.
const (
	asGiven = "as-given"
	again   = "again"
)

// usual are the settings of the paper's section 5.8 but its heap, which is ebb's addition. HotSpot
// of Java 17 and newer has all.
var usual = []Variant{
	{Name: "gc-serial", Options: []string{"-XX:+UseSerialGC"}},
	{Name: "gc-parallel", Options: []string{"-XX:+UseParallelGC"}},
	{Name: "gc-g1", Options: []string{"-XX:+UseG1GC"}},
	{Name: "gc-z", Options: []string{"-XX:+UseZGC"}},
	{Name: "heap-256m", Options: []string{"-Xmx256m"}},
	{Name: "jit-all", Options: []string{"-Xcomp"}},
	{Name: "jit-none", Options: []string{"-Xint"}},
}

// Variants returns the settings that a sweep goes through by itself, with the JDKs below a
// directory (/usr/lib/jvm) other than the one whose java command runs without a path.
func Variants(jdks string) []Variant {
	out := append([]Variant{{Name: asGiven}}, usual...)
	var seen []string
	if path, err := exec.LookPath("java"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err == nil {
			seen = append(seen, path)
		}
	}
	found, _ := filepath.Glob(filepath.Join(jdks, "*", "bin", "java")) // its pattern is right
	for _, java := range found {
		path, err := filepath.EvalSymlinks(java)
		if info, statErr := os.Stat(path); err != nil || statErr != nil ||
			info.Mode()&0o111 == 0 || slices.Contains(seen, path) {
			continue
		}
		seen = append(seen, path)
		// The command may be a link to one elsewhere in the same JDK.
		home, err := filepath.EvalSymlinks(filepath.Dir(filepath.Dir(java)))
		if err != nil {
			continue
		}
		name := free(out, "jdk-"+plain(filepath.Base(home)))
		out = append(out, Variant{Name: name, Java: path})
	}
	return append(out, Variant{Name: again})
}

// free returns a name that no variant has: with a number, where one has it.
func free(all []Variant, name string) string {
	try := name
	for n := 2; slices.ContainsFunc(all, func(v Variant) bool { return v.Name == try }); n++ {
		try = fmt.Sprintf("%s-%d", name, n)
	}
	return try
}

// plain returns a directory's name as a part of a file's.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if nameRune(r) {
			return r
		}
		return '-'
	}, name)
}

func nameRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' ||
		r == '-' || r == '_'
}

// variantName matches the names of variants, which name files.
var variantName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// ParseVariant reads NAME=OPTION..., with spaces between the options.
func ParseVariant(text string) (v Variant, err error) {
	name, options, ok := strings.Cut(text, "=")
	v = Variant{Name: name, Options: strings.Fields(options)}
	switch {
	case !ok || len(v.Options) == 0:
		return v, errors.New("it is NAME=OPTIONS, as heap-1g=-Xmx1g")
	case !variantName.MatchString(name):
		return v, fmt.Errorf("%q cannot name files: letters, digits, dots, - and _", name)
	}
	for _, o := range v.Options {
		if !strings.HasPrefix(o, "-") {
			return v, fmt.Errorf("%q is no option: it begins with -", o)
		}
	}
	return v, nil
}

// errNoJava says that a plan has no program that a variant could change.
var errNoJava = errors.New("no program's command is java, so there is nothing to vary")

// planned returns a plan of ebb train with its Java programs changed: those whose command is called
// java. The others stay as they are.
func (v *Variant) planned(plan []byte) ([]byte, error) {
	var all map[string]any
	if err := toml.Unmarshal(plan, &all); err != nil {
		return nil, err
	}
	programs, ok := all["program"].([]map[string]any)
	if !ok {
		return nil, errors.New("it has no [[program]]")
	}
	found := false
	for _, p := range programs {
		command, ok := p["command"].([]any)
		if !ok || len(command) == 0 {
			return nil, errors.New("a program has no command")
		}
		if java, _ := command[0].(string); filepath.Base(java) != "java" {
			continue
		}
		found = true
		changed := []any{command[0]}
		if v.Java != "" {
			changed[0] = v.Java
		}
		for _, o := range v.Options {
			changed = append(changed, o)
		}
		p["command"] = append(changed, command[1:]...)
	}
	if !found {
		return nil, errNoJava
	}
	var out bytes.Buffer
	err := toml.NewEncoder(&out).Encode(all)
	return out.Bytes(), err
}
