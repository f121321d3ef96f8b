package fakekernel

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func (k *Kernel) newPolicy(id int) *policy {
	s := &k.spec
	p := &policy{id: id, governor: s.Governor, min: s.Min, max: s.Max, speed: s.Speed}
	if p.min == 0 {
		p.min = s.Table[0]
	}
	if p.max == 0 {
		p.max = s.Table[len(s.Table)-1]
	}
	for name, value := range map[string]string{
		"related_cpus":                fmt.Sprint(id),
		"affected_cpus":               fmt.Sprint(id),
		"scaling_driver":              s.Driver,
		"scaling_available_governors": s.Governors,
		"cpuinfo_min_freq":            fmt.Sprint(s.Table[0]),
		"cpuinfo_max_freq":            fmt.Sprint(s.Table[len(s.Table)-1]),
	} {
		k.put(p.path(name), value)
	}
	if !s.NoTable {
		k.put(p.path("scaling_available_frequencies"), strings.Trim(fmt.Sprint(s.Table), "[]")+" ")
	}
	if s.EPP {
		k.put(p.path("energy_performance_preference"), "balance_performance")
	}
	p.apply(k)
	k.publish(p)
	return p
}

// put sets a file's content to value. The file stays the same one, so that processes with it open
// read the new value; and a value of the same length replaces the old one at once.
func (k *Kernel) put(path, value string) {
	full := filepath.Join(k.Dir, path)
	must(os.MkdirAll(filepath.Dir(full), 0o755))
	f, err := os.OpenFile(full, os.O_WRONLY|os.O_CREATE, 0o644)
	must(err)
	_, err = f.WriteAt([]byte(value+"\n"), 0)
	must(err)
	must(f.Truncate(int64(len(value) + 1)))
	must(f.Close())
}

// must panics: the fake's own tree is in a temporary directory.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
