package counts

import (
	"os"
	"runtime"
	"syscall"
	"testing"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"
)

// BenchmarkSwitch has two threads wake each other through pipes, both in one cgroup, and reports
// the time that each run of the program takes by the kernel's own account, which adds some 20 ns:
// ns/switch. In one cgroup most switches are to idle and back, or to a thread of the same cgroup.
func BenchmarkSwitch(b *testing.B) {
	c := opened(b, bucketsOfCPU)
	stats, err := ebpf.EnableStats(unix.BPF_STATS_RUN_TIME)
	if err != nil {
		b.Skip(err)
	}
	defer stats.Close()
	r1, w1 := pipe(b)
	r2, w2 := pipe(b)
	go func() {
		runtime.LockOSThread()
		one := make([]byte, 1)
		for {
			if n, _ := syscall.Read(r2, one); n != 1 {
				return
			}
			if n, _ := syscall.Write(w1, one); n != 1 {
				return
			}
		}
	}()
	one := make([]byte, 1)
	for b.Loop() {
		if n, err := syscall.Write(w2, one); n != 1 {
			b.Fatal(err)
		}
		if n, err := syscall.Read(r1, one); n != 1 {
			b.Fatal(err)
		}
	}
	b.StopTimer()
	st, err := c.objects.Switched.Stats()
	if err != nil {
		b.Fatal(err)
	}
	if st.RunCount > 0 {
		b.ReportMetric(float64(st.Runtime.Nanoseconds())/float64(st.RunCount), "ns/switch")
	}
}

func pipe(b *testing.B) (r, w int) {
	reader, writer, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		writer.Close()
		reader.Close()
	})
	return int(reader.Fd()), int(writer.Fd())
}
