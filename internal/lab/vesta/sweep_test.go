package vesta

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
)

const plan = `
[[program]]
name = "app"
command = ["java", "-Xmx1g", "-jar", "app.jar"]
time = "1m"
[[program]]
command = ["/opt/jdk/bin/java", "Other"]
[[program]]
command = ["./native", "java"]
progress = "file"
`

// TestPlanned: a variant changes the Java programs' command and their first options, and nothing
// else of the plan.
func TestPlanned(t *testing.T) {
	read := func(text []byte) (commands [][]string, rest string) {
		var f struct{ Program []map[string]any }
		if err := toml.Unmarshal(text, &f); err != nil {
			t.Fatal(err)
		}
		for _, p := range f.Program {
			var command []string
			for _, word := range p["command"].([]any) {
				command = append(command, word.(string))
			}
			delete(p, "command")
			commands = append(commands, command)
		}
		return commands, fmt.Sprint(f.Program)
	}
	_, rest := read([]byte(plan))
	for _, tc := range []struct {
		v    Variant
		want string
	}{
		{Variant{}, "[[java -Xmx1g -jar app.jar] [/opt/jdk/bin/java Other] [./native java]]"},
		{Variant{Options: []string{"-XX:+UseZGC", "-Xint"}},
			"[[java -XX:+UseZGC -Xint -Xmx1g -jar app.jar] " +
				"[/opt/jdk/bin/java -XX:+UseZGC -Xint Other] [./native java]]"},
		{Variant{Java: "/j/25/bin/java"}, "[[/j/25/bin/java -Xmx1g -jar app.jar] " +
			"[/j/25/bin/java Other] [./native java]]"},
	} {
		text, err := tc.v.planned([]byte(plan))
		if err != nil {
			t.Fatal(err)
		}
		if commands, left := read(text); fmt.Sprint(commands) != tc.want || left != rest {
			t.Errorf("%+v: %v, and %s", tc.v, commands, left)
		}
	}
	for _, bad := range []string{"", "x = [", "program = 3", "[[program]]\nname = 'x'",
		"[[program]]\ncommand = []", "[[program]]\ncommand = ['true']"} {
		if text, err := (&Variant{}).planned([]byte(bad)); err == nil {
			t.Errorf("%q became %q", bad, text)
		}
	}
}

// TestParseVariant: names become files, and options are options.
func TestParseVariant(t *testing.T) {
	v, err := ParseVariant("heap-1g=-Xmx1g  -XX:MaxGCPauseMillis=5")
	if err != nil || v.Name != "heap-1g" || !slices.Equal(v.Options, []string{"-Xmx1g",
		"-XX:MaxGCPauseMillis=5"}) {
		t.Errorf("%+v %v", v, err)
	}
	for _, bad := range []string{"", "x", "x=", "=-Xint", "../x=-Xint", ".x=-Xint", "a/b=-Xint",
		"x=Main", "x=-Xint Main"} {
		if v, err := ParseVariant(bad); err == nil {
			t.Errorf("%q: %+v", bad, v)
		}
	}
}

// TestVariants: each JDK is one setting, however many names it has; one without a java command that
// can be run is none. The first and the last change nothing.
func TestVariants(t *testing.T) {
	dir := t.TempDir()
	for _, bin := range []string{"jdk 21/bin", "jdk-25/bin", "8a/bin", "8a/jre/bin", "8b/bin",
		"8b/jre/bin"} {
		if err := os.MkdirAll(filepath.Join(dir, bin), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	java := func(jdk string) string { return filepath.Join(dir, jdk, "bin", "java") }
	err := errors.Join(os.WriteFile(java("jdk 21"), nil, 0o755),
		os.WriteFile(java("jdk-25"), nil, 0o644),
		os.WriteFile(java("8a/jre"), nil, 0o755), os.WriteFile(java("8b/jre"), nil, 0o755),
		os.Symlink("../jre/bin/java", java("8a")), os.Symlink("../jre/bin/java", java("8b")),
		os.Symlink("jdk 21", filepath.Join(dir, "default")))
	if err != nil {
		t.Fatal(err)
	}
	all := Variants(dir)
	var jdks []string
	for _, v := range all {
		if v.Java != "" {
			jdks = append(jdks, v.Name+" "+v.Java)
		}
	}
	last := len(all) - 1
	want := []string{"jdk-8a " + java("8a/jre"), "jdk-8b " + java("8b/jre"),
		"jdk-jdk-21 " + java("jdk 21")}
	if !slices.Equal(jdks, want) || all[0].Name != asGiven ||
		all[last].Name != again || len(all[0].Options)+len(all[last].Options) != 0 {
		t.Errorf("%v of %+v", jdks, all)
	}
}

// TestSweep: each setting is trained once, with its own plan; one that fails leaves the others; a
// second sweep does what is missing alone, without the data of a training that did not end.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	ebb := filepath.Join(dir, "ebb")
	// It fails where the plan has an option that no JVM has, and else writes what ebb train does.
	if err := os.WriteFile(ebb, []byte(`#!/bin/sh
echo "$@" >> `+filepath.Join(dir, "log")+`
case $5 in /*) ;; *) exit 8 ;; esac
test -e "${5%.ebbmodel}.csv" && exit 9
touch "${5%.ebbmodel}.csv"
grep -q UseNone "$7" && exit 1
touch "$5"
`), 0o755); err != nil {
		t.Fatal(err)
	}
	var said []string
	s := &Sweep{Ebb: ebb, Dir: dir, Plan: []byte(plan), Train: []string{"--each", "2s"},
		Variants: []Variant{{Name: "a"}, {Name: "bad", Options: []string{"-XX:+UseNone"}},
			{Name: "b", Options: []string{"-Xint"}}},
		Say: func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) }}
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
	for round := range 2 {
		err := s.Run(t.Context())
		if err == nil || !strings.HasPrefix(err.Error(), "bad: ebb train: ") ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("round %d: %v", round, err)
		}
	}
	log, err := os.ReadFile(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	line := func(name string) string {
		path := filepath.Join(dir, name)
		return fmt.Sprintf("train --each 2s -o %s.ebbmodel --plan %s.toml\n", path, path)
	}
	if want := line("a") + line("bad") + line("b") + line("bad"); string(log) != want {
		t.Errorf("ran\n%s, want\n%s", log, want)
	}
	// A model of another plan, or of other times, is not compared with these.
	s.Train = []string{"--each", "9s"}
	if err := s.Run(t.Context()); !errors.Is(err, ErrOtherPlan) {
		t.Errorf("with other flags: %v", err)
	}
	s.Train = []string{"--each", "2s"}
	first := Variant{Name: "first", Options: []string{"-XX:+UseNone"}}
	s.Dir, s.Variants = t.TempDir(), append([]Variant{first}, s.Variants...)
	if err := s.Run(t.Context()); err == nil || !strings.HasPrefix(err.Error(), "first: ") {
		t.Errorf("the first fails: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(s.Dir, "[ab]*")); len(left) > 0 {
		t.Errorf("it went on to %q", left)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	s.Variants = append(s.Variants, Variant{Name: "a"})
	if err := s.Check(); err == nil {
		t.Error("two settings of one name were accepted")
	}
}
