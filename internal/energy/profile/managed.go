package profile

import (
	"path"
	"strings"
)

// managed is a function of a language whose runtime lists compiled code in a perf map, each in a
// form of its own.
type managed struct {
	name    string // name in the language's own form
	file    string // file of its source, or its assembly
	class   string // class in .NET; the file for others
	library bool   // code of the runtime itself
}

// group returns the namespace of a class, or the directory of a file.
func (m *managed) group() string {
	if m.class == m.file {
		return path.Dir(m.file)
	}
	if i := strings.LastIndexByte(m.class, '.'); i > 0 {
		return m.class[:i]
	}
	if m.file == "" {
		return m.class
	}
	return bracketed(m.file)
}

// String returns its name in a view.
func (m *managed) String() string {
	if m.file == "" {
		return m.name
	}
	return m.name + " (" + path.Base(m.file) + ")"
}

// managedOf parses a name of a perf map; false where it has none of the known forms.
func managedOf(f *Frame) (managed, bool) {
	if f.Kind != "jit" {
		return managed{}, false
	}
	if rest, ok := strings.CutPrefix(f.Name, "py::"); ok {
		return python(rest)
	}
	for _, kind := range []string{"JS:", "Function:", "LazyCompile:", "Script:", "Eval:"} {
		if rest, ok := strings.CutPrefix(f.Name, kind); ok {
			return script(rest), true
		}
	}
	if m, ok := dotnet(f.Name); ok {
		return m, true
	}
	return mono(f.Name)
}

// python parses a function of CPython 3.12 or later under -X perf: "heavy:/srv/app.py"
// (Python/perf_trampoline.c).
func python(name string) (managed, bool) {
	name, file, ok := strings.Cut(name, ":")
	return managed{name, file, file, strings.HasPrefix(file, "<frozen") ||
		strings.Contains(file, "/lib/python")}, ok
}

// script parses a function of V8 under --perf-basic-prof, with a mark for how well it is compiled:
// "*heavy /srv/app.js:1:15" (src/logging/log.cc, Logger's ComputeMarker).
func script(name string) managed {
	name = strings.TrimLeft(name, "*~^+-'")
	m := managed{name: name}
	if i := strings.LastIndexByte(name, ' '); i >= 0 {
		m.name, m.file = name[:i], name[i+1:]
		// the line is enough
		if j := strings.LastIndexByte(m.file, ':'); strings.Count(m.file, ":") > 1 {
			m.file = m.file[:j]
		}
	}
	if m.name == "" {
		m.name = "(anonymous)"
	}
	m.class = m.file
	m.library = m.file == "" || strings.HasPrefix(m.file, "node:")
	return m
}

// dotnet parses a method of .NET under DOTNET_PerfMapEnabled=1: "int32 [App]
// Some.Type::Method(int32)" and the tier of its compilation (src/coreclr/vm/perfmap.cpp).
func dotnet(name string) (managed, bool) {
	before, method, member := strings.Cut(name, "::")
	// the type returned may have brackets as well: "int32[] [App] Some.Type"
	end := strings.LastIndex(before, "] ")
	begin := strings.LastIndexByte(before[:max(end, 0)], '[')
	if !member || begin < 0 {
		return managed{}, false
	}
	assembly, typ := before[begin+1:end], before[end+2:]
	if method, _, _ = strings.Cut(method, "("); assembly == "" || typ == "" || method == "" {
		return managed{}, false
	}
	library := assembly == "System" || strings.HasPrefix(assembly, "System.") ||
		strings.HasPrefix(assembly, "Microsoft.")
	return managed{typ + "." + method, assembly, typ, library}, true
}

// mono parses a method of Mono under --jitmap: "Some.Type:Method (int)". What calls for the runtime
// begins with "(wrapper" (mono_method_full_name in mono/metadata/debug-helpers.c).
func mono(name string) (managed, bool) {
	before, _, signature := strings.Cut(name, " (")
	i := strings.LastIndexByte(before, ':')
	if !signature || !strings.HasSuffix(name, ")") || i <= 0 || i+1 == len(before) ||
		before[i-1] == ':' {
		return managed{}, false
	}
	class := before[:i]
	library := strings.HasPrefix(class, "(wrapper") || strings.HasPrefix(class, "System.") ||
		strings.HasPrefix(class, "Mono.") || strings.HasPrefix(class, "Microsoft.")
	return managed{name: class + "." + before[i+1:], class: class, library: library}, true
}

// nameOf returns what a view calls a function.
func nameOf(f *Frame) string {
	if m, ok := managedOf(f); ok {
		return m.String()
	}
	return f.Name + beside(f)
}

// beside returns what lies beside a function that has no name.
func beside(f *Frame) string {
	if f.Near == "" {
		return ""
	}
	return " (" + f.Near + ")"
}
