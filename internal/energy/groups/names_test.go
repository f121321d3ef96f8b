package groups

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

const id = "9ec39b91f3d70e1beff50a308f77067065ea6be0d91a3378375056cd4422cf3d"

// TestOf compares with paths as machines have them.
func TestOf(t *testing.T) {
	text, err := os.ReadFile("testdata/paths.txt")
	if err != nil {
		t.Fatal(err)
	}
	unquote := func(s string) string {
		s, err := strconv.Unquote(strings.ReplaceAll(s, "ID", id))
		if err != nil {
			t.Fatalf("%s: %v", s, err)
		}
		return s
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		path, want := unquote(f[0]), Name{f[1], unquote(f[2])}
		if want.Kind == "nobody" {
			want = Name{}
		}
		if got := NameOf(path); got != want {
			t.Errorf("%q: %q, want %q", path, got, want)
		}
	}
}

func TestAtDepth(t *testing.T) {
	for _, c := range []struct {
		path  string
		depth int
		want  Name
	}{
		{"/a/b/c", 1, Name{other, "/a"}}, {"/a/b/c", 2, Name{other, "/a/b"}},
		{"/a/b/c", 9, Name{other, "/a/b/c"}}, {"/", 2, Name{}},
	} {
		if got := NameAtDepth(c.path, c.depth); got != c.want {
			t.Errorf("%q at %d: %q, want %q", c.path, c.depth, got, c.want)
		}
	}
}

// TestLongNames: names of 4 KB are bounded, and stay apart.
func TestLongNames(t *testing.T) {
	long := "/" + strings.Repeat("x", 4090)
	a, b := NameOf(long+"a"), NameOf(long+"b")
	if a == b || len(a.Name) > mostName || len(b.Name) > mostName {
		t.Errorf("%q and %q", a, b)
	}
}

// TestIsPod: a pod's own cgroup is one at the place where the kubelet puts it.
func TestIsPod(t *testing.T) {
	const uid = "74c13223-5a00-11e9-b385-42010a80018d"
	under, id := strings.ReplaceAll(uid, "-", "_"), strings.Repeat("5", 64)
	for path, want := range map[string]bool{
		"/kubepods/pod" + uid:                                                   true,
		"/kubelet/kubepods/burstable/pod" + uid:                                 true,
		"/kubepods.slice/kubepods-pod" + under + ".slice":                       true,
		"/kubepods/pod" + uid + "/" + id:                                        false,
		"/kubepods/pod" + uid + "/init":                                         false,
		"/kubepods/pod" + uid + "/pod" + uid:                                    false,
		"/kubepods/pod" + uid + "/" + id + "/pod" + uid:                         false,
		"/kubepods.slice/kubepods-pod" + under + ".slice/crio-" + id + ".scope": false,
		"/kubepods": false, "/kubepods/burstable": false, "/pod" + uid: false, "/": false,
		"": false,
		"/user.slice/user-7.slice/kubepods/pod" + uid: false, "/docker/kubepods/pod" + uid: false,
	} {
		if got := IsPod(path); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
}

// FuzzOf: each path has a kind and one line of printable text of a bounded length; all below a
// user's slice is the user's.
func FuzzOf(f *testing.F) {
	f.Add("/system.slice/docker-" + id + ".scope")
	f.Add("/kubepods/pod-/x")
	f.Add("/slurm/uid_1/job_/step_")
	f.Add(`/machine.slice/machine-qemu\x2d\x00.scope`)
	f.Add("/user.slice/user-1.slice/" + strings.Repeat("a", 300))
	f.Fuzz(func(t *testing.T, path string) {
		n := NameOf(path)
		if n == (Name{}) {
			if strings.Trim(path, "/") != "" {
				t.Fatalf("%q is nobody's", path)
			}
			return
		}
		if n.Name == "" || len(n.Name) > mostName || !utf8.ValidString(n.Name) {
			t.Fatalf("%q: %q", path, n)
		}
		for _, r := range n.Name {
			if !unicode.IsPrint(r) {
				t.Fatalf("%q: %q", path, n)
			}
		}
		if strings.HasPrefix(path, "/user.slice/user-1.slice/") &&
			n.Name != "1" && !strings.HasPrefix(n.Name, "1/") {
			t.Fatalf("%q is %q", path, n)
		}
	})
}
