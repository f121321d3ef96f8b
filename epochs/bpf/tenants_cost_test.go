package bpf

import (
	"fmt"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/linux/cgroup"
)

const (
	// tenantRounds is the number of times that each way is measured, in turn.
	tenantRounds = 5
	// pairs of threads hand a turn to each other on one CPU.
	pairs = 8
)

// BenchmarkTenantSwitch measures the run of the program on_switch at a switch of the target, with
// more and more tenants, by the kernel's account, which adds some 20 ns itself. All ways make the
// same switches, nearly all of them the target's. In "spread" each pair of threads is another
// tenant's.
func BenchmarkTenantSwitch(b *testing.B) {
	stats, err := ebpf.EnableStats(unix.BPF_STATS_RUN_TIME)
	if err != nil {
		b.Skip(err)
	}
	defer stats.Close()
	program := compile(b, "../../test/workloads/c/pingpong.c")
	top := devtest.Cgroup(b)
	var dirs []string
	var ids []uint64
	for i := range 100 {
		c, err := cgroup.Open(devtest.ChildCgroup(b, top, fmt.Sprint("t", i)))
		if err != nil {
			b.Fatal(err)
		}
		defer c.Close()
		dirs, ids = append(dirs, fmt.Sprint(top, "/t", i)), append(ids, c.ID)
	}
	ways := []struct {
		name    string
		tenants int // 0: the one cgroup is the target
		spread  bool
	}{{"cgroup", 0, false}, {"1", 1, false}, {"10", 10, false}, {"100", 100, false},
		{"spread", 100, true}}
	times := map[string][]float64{}
	for range tenantRounds {
		for _, way := range ways {
			tr := openTracer(b, Config{Quantum: 5 * time.Millisecond, Tenants: way.tenants > 0,
				Cgroup: map[bool]uint64{true: ids[0]}[way.tenants == 0]})
			if way.tenants == 0 {
				err = tr.FollowCgroup()
			}
			for i := range way.tenants {
				if err == nil {
					err = tr.Follow(ids[i], uint16(i+1))
				}
			}
			if err != nil {
				b.Fatal(err)
			}
			r := drain(tr, func(*epochs.Event) {})
			before := programTime(b, tr.objects.OnSwitch)
			var running []*exec.Cmd
			for i := range pairs {
				cmd := pinned(program, "3000")()
				in := dirs[0]
				if way.spread {
					in = dirs[i]
				}
				started := devtest.InCgroup(b, in, cmd)
				if err := cmd.Start(); err != nil {
					b.Fatal(err)
				}
				started()
				running = append(running, cmd)
			}
			for _, cmd := range running {
				if err := cmd.Wait(); err != nil {
					b.Fatal(err)
				}
			}
			after := programTime(b, tr.objects.OnSwitch)
			r.finish(b)
			if err := tr.Close(); err != nil {
				b.Fatal(err)
			}
			times[way.name] = append(times[way.name],
				float64(after.Runtime-before.Runtime)/float64(after.RunCount-before.RunCount))
		}
	}
	b.ReportMetric(0, "ns/op")
	for _, way := range ways {
		of := times[way.name]
		slices.Sort(of)
		b.ReportMetric(of[len(of)/2], "ns/switch-"+way.name)
		b.Logf("%-8s median %.0f of %.0f", way.name, of[len(of)/2], of)
	}
}

func programTime(b *testing.B, p *ebpf.Program) *ebpf.ProgramStats {
	b.Helper()
	s, err := p.Stats()
	if err != nil {
		b.Fatal(err)
	}
	return s
}
