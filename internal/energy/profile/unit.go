package profile

import (
	"fmt"
	"slices"
	"strings"
)

// Views are the ways to look at a profile. By process, those of one command are together; by pid,
// each is apart.
// "cfa1" and "cfa2" are a method with one and two callers (Chappie's names for its
// context-sensitive units); other depths up to maxDepth are views as well.
var Views = []string{"method", "class", "package", "thread", "process", "pid", "context", "cfa1",
	"cfa2", "phase", "frequency", "method@frequency"}

// Library are the prefixes of code that is not the application's own: what it does is booked to the
// application's method that called it ("deep application method" of Chappie, with its list of
// prefixes).
var Library = []string{
	"java.", "javax.", "jdk.", "sun.", "com.sun.", "org.apache.commons.",
	"runtime.", "runtime/", "internal/", "sync.", "syscall.",
	"std::", "core::", "alloc::", "__gnu_cxx::", "operator ",
}

// View is the view of p for somebody who asks for none: methods, or threads if nothing was sampled.
func (p *Profile) View() string {
	if p.Unsampled() {
		return "thread"
	}
	return "method"
}

// Unsampled says that nothing was sampled, and threads are all that is known.
func (p *Profile) Unsampled() bool {
	return p.RateHz == 0 &&
		!slices.ContainsFunc(p.Stacks, func(s Stack) bool { return len(s.Frames) > 0 })
}

// sampledViews are the ways to look at a profile that need samples.
var sampledViews = []string{"method", "class", "package", "context", "method@frequency"}

// Shows refuses a view that needs samples of a profile without them.
func (p *Profile) Shows(by string) error {
	if p.Unsampled() && (depthOf(by) > 0 || slices.Contains(sampledViews, by)) {
		return fmt.Errorf("no view by %s: the run sampled no methods (ebb run --methods does)", by)
	}
	return nil
}

// View names the unit that a stack belongs to.
type View struct {
	by      string
	skip    []string // prefixes of library code
	profile *Profile
	depth   int    // number of callers of a method, by "cfa1" and so on
	method  string // method of a slice

	commands *commands    // nil until they are needed
	carriers map[int]bool // threads that carried virtual ones; nil until they are needed
	virtual  []string     // names of the virtual ones' lines; nil until they are needed
}

// NewView makes a view of p by one of Views. The prefixes of library code are Library when none are
// given.
func NewView(p *Profile, by string, library []string) (*View, error) {
	depth := depthOf(by)
	if !IsView(by) {
		return nil, fmt.Errorf("no view by %q; there are %s", by, strings.Join(Views, ", "))
	}
	if len(library) == 0 {
		library = Library
	}
	return &View{by: by, skip: library, profile: p, depth: depth}, nil
}

// Unit returns the name of what a view of methods books a stack to.
func (v *View) Unit(s *Stack) string { return v.unit(s) }

// By returns its name, one of Views or "cfa3" and so on.
func (v *View) By() string { return v.by }

// Instead is another view with the same library code; by is one of Views.
func (v *View) Instead(by string) *View {
	return &View{by: by, skip: v.skip, profile: v.profile, depth: depthOf(by)}
}

// unit returns the name of what s is booked to, whatever the frequency.
func (v *View) unit(s *Stack) string {
	switch v.by {
	case "thread":
		if s.Virtual > 0 {
			if v.virtual == nil {
				v.virtual = v.profile.VirtualUnits()
			}
			return v.virtual[s.Virtual-1]
		}
		t := &v.profile.Threads[s.Thread]
		if t.Ended > 0 {
			return t.together(t.Ended)
		}
		return fmt.Sprintf("%s (%s)", t.Title(), t.Number())
	case "process":
		return v.command(&v.profile.Threads[s.Thread])
	case "pid":
		if t := &v.profile.Threads[s.Thread]; t.Ended > 0 && t.PID == 0 {
			return t.together(t.Processes)
		}
		return v.process(v.profile.Threads[s.Thread].PID)
	case "phase":
		return v.profile.Threads[s.Thread].Phase
	}
	if v.profile.Counting(s) {
		return counting
	}
	switch v.by {
	case "context":
		return v.context(s)
	case byCaller, byCallee:
		return v.around(s)
	}
	if v.depth > 0 {
		return v.callSite(s)
	}
	f := v.application(s)
	if f == nil {
		return v.outside(s)
	}
	switch v.by {
	case "class":
		class, _ := splitName(f)
		return class
	case "package":
		return packageOf(f)
	}
	return nameOf(f)
}

// together names a line that stands for several ended threads.
func (t *Thread) together(n int) string {
	of := ""
	if t.PID != 0 {
		of = fmt.Sprintf(" of %d", t.PID)
	}
	return fmt.Sprintf("%s (%d ended%s)", t.Comm, n, of)
}

// application is the nearest application frame, from the innermost outwards. There is none behind
// code of which nothing is known: it could be the application's own.
func (v *View) application(s *Stack) *Frame {
	var interpreter *Frame
	for _, i := range s.Frames {
		f := &v.profile.Frames[i]
		switch {
		case v.isApplication(f) && interpreter != nil && f.Kind != "jit":
			return interpreter // what it ran has no name: what started it says less
		case v.isApplication(f):
			return f
		case f.unknown():
			return nil
		case f.interprets() && !isShared(f.Module):
			interpreter = f
		}
	}
	return nil
}

// unknown reports that not even the file is known.
func (f *Frame) unknown() bool { return f.Kind == "unresolved" && f.Module == "" }

func (v *View) isApplication(f *Frame) bool {
	switch {
	case f.Kind == "kernel" || f.Kind == "unresolved":
		return false
	case f.Kind == "jit" || f.Kind == "interpreted":
		if m, ok := managedOf(f); ok {
			return !m.library
		}
		// A virtual machine's stubs have blanks or underscores and no dots.
		if !strings.Contains(f.Name, ".") || strings.ContainsAny(f.Name, " ") {
			return false
		}
	case f.spins(), isShared(f.Module) || f.Module == "java" || strings.HasPrefix(f.Name, "_"),
		strings.HasSuffix(f.Name, "@plt"): // a stub by which a library is called
		return false
	}
	for _, p := range v.skip {
		if strings.HasPrefix(f.Name, p) {
			return false
		}
	}
	return true
}

// isShared reports whether a file is a shared library by its name, as libjvm.so or libc.so.6.
func isShared(module string) bool {
	return strings.HasSuffix(module, ".so") || strings.Contains(module, ".so.") ||
		strings.HasPrefix(module, "ld-") || module == "[vdso]"
}

// counting is the unit of the time in which the program counts its calls, which it does for ebb.
const counting = "[counting of calls]"

// Counting reports whether a stack is in a function by which programs count: the library's, or the
// Java agent's classes.
func (p *Profile) Counting(s *Stack) bool {
	return slices.ContainsFunc(s.Frames, func(n int) bool {
		f := &p.Frames[n]
		return f.Module == "libebb-functions.so" ||
			strings.HasPrefix(f.Name, "__cyg_profile_func_") ||
			f.Module == "[java]" && strings.HasPrefix(f.Name, "ebb.")
	})
}

// Units of amounts without a known stack.
const (
	neverSampled = "[never sampled]" // followed by the thread's name
	noCaller     = "[unknown caller]"
)

// outside names what no application method caused.
func (v *View) outside(s *Stack) string {
	t := &v.profile.Threads[s.Thread]
	switch {
	case t.Phase != Application:
		return PhaseUnit(t.Phase)
	case len(s.Frames) == 0:
		return neverSampled + " " + t.Title()
	case v.collects(s):
		return PhaseUnit(GC)
	}
	for n, i := range s.Frames {
		f := &v.profile.Frames[i]
		switch {
		case f.Kind == "kernel":
			continue
		case f.unknown():
			return "[unresolved]"
		case v.by != "method":
			return bracketed(f.Module)
		case f.Kind == "unresolved":
			return bracketed(f.Module) + beside(f)
		}
		if f.spins() {
			return f.Name
		}
		if f.Kind == "placed" {
			return v.placed(f, s.Frames[n+1:])
		}
		return bracketed(f.Module) + " " + f.Name
	}
	return "[kernel]" + v.worker(s)
}

// begins are the kernel's functions with which a thread that the kernel made for a process begins,
// such as io_uring's, before what it is for.
var begins = []string{"ret_from_fork_asm", "ret_from_fork", "kthread"}

// worker names what a stack of such a thread, which has none of the program's frames, is for.
func (v *View) worker(s *Stack) string {
	n := len(s.Frames)
	for n > 0 && slices.Contains(begins, v.profile.Frames[s.Frames[n-1]].Name) {
		n--
	}
	if v.by != "method" || n == 0 || n == len(s.Frames) {
		return ""
	}
	return " " + v.profile.Frames[s.Frames[n-1]].Name
}

// placed names a function that has no name by the nearest one of its file that has one and called
// it, and its own place: "[libz.so.1] deflate > libz.so.1+0x2a40".
func (v *View) placed(f *Frame, callers []int) string {
	for _, i := range callers {
		caller := &v.profile.Frames[i]
		if caller.Module != f.Module {
			break
		}
		if caller.Kind == "native" {
			return bracketed(f.Module) + " " + caller.Name + " > " + f.Name
		}
	}
	return bracketed(f.Name) + beside(f)
}

// collects reports whether a thread that also has other work was collecting garbage.
func (v *View) collects(s *Stack) bool {
	return slices.ContainsFunc(s.Frames, func(i int) bool {
		f := &v.profile.Frames[i]
		return f.Kind == "native" && slices.Contains(collectors, f.Name)
	})
}

// bracketed marks a name that is no function's.
func bracketed(s string) string {
	if strings.HasPrefix(s, "[") {
		return s
	}
	return "[" + s + "]"
}

// splitName splits a function's name in class (or namespace, or receiver) and method.
func splitName(f *Frame) (class, method string) {
	if m, ok := managedOf(f); ok {
		return m.class, m.name
	}
	name := f.Name
	switch f.Kind {
	case "placed":
		return bracketed(f.Module), name
	case "native":
		if i := strings.LastIndex(name, "::"); i > 0 {
			return name[:i], name[i+2:]
		}
		slash := strings.LastIndexByte(name, '/')
		if i := strings.LastIndexByte(name, '.'); i > slash && i > 0 {
			return name[:i], name[i+1:]
		}
		return "[" + f.Module + "]", name
	}
	if i := strings.LastIndexByte(name, '.'); i > 0 {
		return name[:i], name[i+1:]
	}
	return name, ""
}

// packageOf returns a Java package, a Go import path, an outermost C++ namespace, or the file.
func packageOf(f *Frame) string {
	class, _ := splitName(f)
	if m, ok := managedOf(f); ok {
		return m.group()
	}
	switch f.Kind {
	case "placed":
		return class
	case "native":
		if i := strings.Index(f.Name, "::"); i > 0 {
			return f.Name[:i]
		}
		slash := strings.LastIndexByte(f.Name, '/')
		if i := strings.IndexByte(f.Name[slash+1:], '.'); i > 0 {
			return f.Name[:slash+1+i]
		}
		return "[" + f.Module + "]"
	}
	if i := strings.LastIndexByte(class, '.'); i > 0 {
		return class[:i]
	}
	return "[no package]"
}
