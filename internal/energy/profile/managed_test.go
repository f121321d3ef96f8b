package profile

import (
	"fmt"
	"strings"
	"testing"
)

// TestManagedNames: the forms in which runtimes list their functions, and what a view shows.
func TestManagedNames(t *testing.T) {
	for name, want := range map[string]string{
		"py::heavy:/srv/app.py":                                    "heavy (app.py)",
		"py::C.m.<lambda>:/srv/a b.py":                             "C.m.<lambda> (a b.py)",
		"py::_find_and_load:<frozen importlib._bootstrap>":         "library",
		"py::loads:/usr/lib/python3.12/json/__init__.py":           "library",
		"JS:*heavy /srv/busy.js:1:15":                              "heavy (busy.js:1)",
		"JS:~ /srv/busy.js:1:1":                                    "(anonymous) (busy.js:1)",
		"LazyCompile:^C.m file:///srv/x.mjs:7:3":                   "C.m (x.mjs:7)",
		"JS:~Module.load node:internal/modules/cjs/loader:1257:33": "library",
		"int32 [App] App.Work::Heavy(int32)[OptimizedTier1]":       "App.Work.Heavy (App)",
		"void [System.Private.CoreLib] System.T::Run()[X]":         "library",
		"int32 [App] App.Work::Heavy(int32)":                       "App.Work.Heavy (App)",
		"instance void [App] App.Work+Inner::.ctor(int32)":         "App.Work+Inner..ctor (App)",
		"int32[] [App] Work::All(class List`1<int32[]>)":           "Work.All (App)",
		"valuetype T/N [t x] T::up(int32,int32)[Tier0]":            "T.up (t x)",
		"stub GenerateLookupStub<GenerateLookupStub>":              "",
		"[] a::b()": "", "x [A] ::b()": "", "x [A] B::()": "", "x[A]B::c()": "",
		"Two:Heavy (int)":                                   "Two.Heavy",
		"A.B.Two:Add (int,A.C[])":                           "A.B.Two.Add",
		"System.String:Concat (string,string)":              "library",
		"(wrapper runtime-invoke) object:run (object,void)": "library",
		"generic_trampoline_jit":                            "", "a::b (c)": "",
		":a ()": "", "a: ()": "", "a:b (c": "",
		"$lists:map/2":              "",
		"Builtin:RecordWriteSaveFP": "",
		"java.util.HashMap.get":     "",
		"[oops":                     "", "py::": "", "a] b::c(": "",
	} {
		m, ok := managedOf(&Frame{Name: name, Kind: "jit"})
		got := m.String()
		if !ok {
			got = ""
		} else if m.library {
			got = "library"
		}
		if got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
		if _, ok := managedOf(&Frame{Name: name, Kind: "native"}); ok {
			t.Errorf("%s: a native function is managed", name)
		}
	}
}

// TestManagedViews: by class it is the file, or .NET's class; by package the directory, or the
// namespace.
func TestManagedViews(t *testing.T) {
	for name, want := range map[string][2]string{
		"py::heavy:/srv/app.py":              {"/srv/app.py", "/srv"},
		"JS:*heavy /srv/x/busy.js:1:15":      {"/srv/x/busy.js:1", "/srv/x"},
		"int32 [App] A.B.Work::Heavy(int32)": {"A.B.Work", "A.B"},
		"int32 [App] Work::Heavy(int32)":     {"Work", "[App]"},
		"A.B.Two:Heavy (int)":                {"A.B.Two", "A.B"},
		"Two:Heavy (int)":                    {"Two", "Two"},
	} {
		f := Frame{Name: name, Kind: "jit"}
		class, _ := splitName(&f)
		if got := [2]string{class, packageOf(&f)}; got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// TestBookedTo: an interpreter has a line where what it ran has no name, and its program's
// functions have theirs where they have names. A library's stub counts for its caller.
func TestBookedTo(t *testing.T) {
	const loop = "_PyEval_EvalFrameDefault"
	p := sample()
	p.Frames = []Frame{
		frame(loop, "python3.11", "native"), frame("PyEval_EvalCode", "python3.11", "native"),
		frame("py::inner:/srv/a.py", "[jit]", "jit"),
		frame("PyObject_Free", "python3.11", "native"),
		frame("main", "app", "native"), frame("memcpy", "libc.so.6", "native"),
		frame(loop, "libpython3.13.so.1.0", "native"), frame("puts@plt", "app", "native"),
		frame("_helper", "app", "native"),
	}
	for _, c := range []struct {
		frames []int
		want   string
	}{
		{[]int{0, 1, 4}, loop}, {[]int{5, 0, 1, 4}, loop}, {[]int{0, 2, 0, 1}, "inner (a.py)"},
		{[]int{3, 0, 1}, "PyObject_Free"}, {[]int{6, 4}, "main"}, {[]int{0}, loop},
		{[]int{7, 4}, "main"}, {[]int{5, 7, 4}, "main"}, {[]int{8, 4}, "main"},
	} {
		got := view(t, p, "method").unit(&Stack{Frames: c.frames})
		if strings.TrimPrefix(got, "[python3.11] ") != c.want {
			t.Errorf("%v: %q, want %q", c.frames, got, c.want)
		}
	}
}

// TestRuntimesThatNameNothing: the report says by which switch a runtime names its functions, and
// nothing where it does already.
func TestRuntimesThatNameNothing(t *testing.T) {
	frames := []Frame{{Name: "_PyEval_EvalFrameDefault", Kind: "native", Module: "python3.12"},
		{Name: "py::heavy:/srv/app.py", Kind: "jit"}, {Kind: "unresolved"},
		{Name: "Builtins_JSEntryTrampoline", Kind: "native", Module: "node"},
		{Name: "x", Kind: "native", Module: "libcoreclr.so"}}
	for _, c := range []struct {
		stack []int
		says  string
	}{
		{[]int{0}, "python3 -X perf"}, {[]int{0, 1}, ""}, {[]int{2, 3}, "node --perf-basic-prof"},
		{[]int{2, 4}, "DOTNET_PerfMapEnabled=1"}, {[]int{2}, ""},
	} {
		p := Profile{Rules: []string{"ledger"}, Frames: frames, Threads: []Thread{{}},
			Stacks: []Stack{{Frames: c.stack, EnergyNJ: []int64{100}}}}
		says := strings.Join(p.WithoutNames(0), "\n")
		if !strings.Contains(says, c.says) || c.says == "" && says != "" {
			t.Errorf("%v: %q, want %q", c.stack, says, c.says)
		}
	}
}

// TestSwitchesThatAreOn: nobody is advised to turn on what is on.
func TestSwitchesThatAreOn(t *testing.T) {
	p := Profile{Rules: []string{"ledger"}, Threads: []Thread{{PID: 5}, {PID: 6}},
		Frames: []Frame{{Name: "Builtins_JSEntryTrampoline", Kind: "native"},
			{Name: "_PyEval_EvalFrameDefault", Kind: "native"}},
		Stacks: []Stack{{Frames: []int{0}, EnergyNJ: []int64{50}},
			{Thread: 1, Frames: []int{0}, EnergyNJ: []int64{30}},
			{Thread: 1, Frames: []int{1}, EnergyNJ: []int64{20}}}}
	if got := fmt.Sprint(p.Runtimes()); got != "[5 6]" {
		t.Error(got)
	}
	const node, python = "of the energy is used by functions of Node.js that have no name",
		"of the energy is used by functions of Python that have no name"
	for _, c := range []struct {
		five, six []string
		want      string
	}{
		{[]string{"--perf-prof", "jitdump"}, nil,
			"20.0 % " + python + ": python3 -X perf, of Python 3.12 or later, names them\n" +
				"30.0 % " + node + ": node --perf-basic-prof names them; with " +
				"--interpreted-frames-native-stack also those that are not compiled yet\n" +
				"50.0 % " + node + ", though it lists its code (--perf-prof, jitdump): " +
				"--interpreted-frames-native-stack names those that are not compiled yet; a " +
				"program that runs on may not have written its last records yet"},
		{[]string{"--interpreted-frames-native-stack", "perf map"}, []string{"perf map"},
			"20.0 % " + python + ", though it lists its code (perf map)\n" +
				"50.0 % " + node + ", though it lists its code " +
				"(--interpreted-frames-native-stack, perf map)\n" +
				"30.0 % " + node + ", though it lists its code (perf map): " +
				"--interpreted-frames-native-stack names those that are not compiled yet"},
		{[]string{"--interpreted-frames-native-stack"}, []string{"-X perf", "--perf-basic-prof"},
			"20.0 % " + python + ": it was asked for a list of its code (-X perf, " +
				"--perf-basic-prof), and none was found; Python has lists from 3.12 on\n" +
				"50.0 % " + node + ": node --perf-basic-prof names them; with " +
				"--interpreted-frames-native-stack also those that are not compiled yet\n" +
				"30.0 % " + node + ": it was asked for a list of its code (-X perf, " +
				"--perf-basic-prof), and none was found"},
	} {
		p.Switches = nil
		for pid, on := range map[int32][]string{5: c.five, 6: c.six} {
			if on != nil {
				p.Switches = append(p.Switches, Switches{pid, on})
			}
		}
		if got := strings.Join(p.WithoutNames(0), "\n"); got != c.want {
			t.Errorf("%s\nwant\n%s", got, c.want)
		}
	}
}
