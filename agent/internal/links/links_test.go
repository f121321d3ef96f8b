package links

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/agent/internal/names"
)

var id = strings.Repeat("9ec39b91f3d70e1b", 4)

func TestParse(t *testing.T) {
	a200 := strings.Repeat("a", 200)
	of := func(namespace, pod, container string) names.Container {
		return names.Container{Namespace: namespace, Pod: pod, Container: container}
	}
	for name, want := range map[string]names.Container{
		"web-7d4b9c-x2_shop_nginx-" + id + ".log":    of("shop", "web-7d4b9c-x2", "nginx"),
		"etcd-node1_kube-system_etcd-" + id + ".log": of("kube-system", "etcd-node1", "etcd"),
		"a.b.c_ns_side-car-2-" + id + ".log":         of("ns", "a.b.c", "side-car-2"),
		"a_ns_c-" + id:                               {}, // no log
		"a_ns_c-" + id[1:] + ".log":                  {}, // cut
		"a_ns_c-0" + id + ".log":                     {},
		"a_ns_-" + id + ".log":                       {},
		"_ns_c-" + id + ".log":                       {},
		"a__c-" + id + ".log":                        {},
		"a_b_ns_c-" + id + ".log":                    {},
		"ns_c-" + id + ".log":                        {},
		".log":                                       {},
		a200 + "_ns_c-" + id[:40] + ".log":           {},
		// A container whose name ends like another's id, in a pod whose name is so long that the
		// kubelet cut its own id off.
		a200[:180] + "_ns_x-" + id[:48] + ".log": {},
	} {
		got, c, ok := parse(name)
		if ok != (want != names.Container{}) || ok && (c != want || got != id) {
			t.Errorf("%s: %q, %v, %v", name, got, c, ok)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("web_shop_nginx-" + id + ".log")
	f.Add("a_b_c_d-" + id + ".log")
	f.Fuzz(func(t *testing.T, name string) {
		id, c, ok := parse(name)
		if ok && c.Pod+"_"+c.Namespace+"_"+c.Container+"-"+id+".log" != name {
			t.Fatalf("%q: %q, %v", name, id, c)
		}
	})
}

// TestSource: a container that starts later is found, one whose link went is still known, and
// nothing but names is read: the links lead nowhere.
func TestSource(t *testing.T) {
	dir := t.TempDir()
	link := func(name string) string {
		path := filepath.Join(dir, name)
		if err := os.Symlink("/nowhere", path); err != nil {
			t.Fatal(err)
		}
		return path
	}
	first := link("web_shop_nginx-" + id + ".log")
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(first); err != nil {
		t.Fatal(err)
	}
	other := "0123456789ab" + id[12:]
	link("db_shop_postgres-" + other + ".log")
	s.looked = time.Time{} // a second is over
	if c, ok := s.Of(other[:12]); !ok || c.Container != "postgres" {
		t.Errorf("%v, %v", c, ok)
	}
	if c, ok := s.Of(id[:12]); !ok || c.Container != "nginx" {
		t.Errorf("%v, %v", c, ok)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	s.looked = time.Time{}
	if _, ok := s.Of("ffffffffffff"); ok {
		t.Error("an id that nobody has is known")
	}
	if c, ok := s.Of(id[:12]); !ok || c.Container != "nginx" {
		t.Errorf("without the directory: %v, %v", c, ok)
	}
	if _, err := Open(dir); err == nil {
		t.Error("a directory that is not there")
	}
}
