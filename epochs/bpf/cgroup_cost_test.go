package bpf

import (
	"os/exec"
	"testing"
	"time"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/linux/cgroup"
)

// BenchmarkCgroupBystander measures what a target cgroup costs programs outside it, by the kernel's
// account of each program's run, which adds some 20 ns itself. "tree" is the same without a cgroup,
// and "tenants" with several, where the time of those programs is counted.
func BenchmarkCgroupBystander(b *testing.B) {
	stats, err := ebpf.EnableStats(unix.BPF_STATS_RUN_TIME)
	if err != nil {
		b.Skip(err)
	}
	defer stats.Close()
	inner, err := cgroup.Open(devtest.ChildCgroup(b, devtest.Cgroup(b), "inner"))
	if err != nil {
		b.Fatal(err)
	}
	defer inner.Close()
	b.ReportMetric(0, "ns/op")
	measure := func(name string, c Config) {
		tr := openTracer(b, c)
		if c.Cgroup != 0 {
			if err := tr.FollowCgroup(); err != nil {
				b.Fatal(err)
			}
		}
		if c.Tenants {
			if err := tr.Follow(inner.ID, 1); err != nil {
				b.Fatal(err)
			}
		}
		r := drain(tr, func(*epochs.Event) {})
		if out, err := exec.Command("sh", "-c",
			"i=0; while [ $i -lt 2000 ]; do i=$((i+1)); /bin/true; done",
		).CombinedOutput(); err != nil {
			b.Fatalf("%v: %s", err, out)
		}
		r.finish(b)
		for what, p := range map[string]*ebpf.Program{"switch": tr.objects.OnSwitch,
			"fork": tr.objects.OnFork} {
			s, err := p.Stats()
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(s.Runtime.Nanoseconds())/float64(s.RunCount),
				"ns/"+what+"-"+name)
		}
	}
	measure("tree", Config{Quantum: 5 * time.Millisecond})
	measure("cgroup", Config{Quantum: 5 * time.Millisecond, Cgroup: inner.ID})
	measure("tenants", Config{Quantum: 5 * time.Millisecond, Tenants: true})
}
