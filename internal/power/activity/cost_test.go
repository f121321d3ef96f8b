package activity

import (
	"os"
	"runtime"
	"syscall"
	"testing"
	"unsafe"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"
)

// BenchmarkSwitch lets two threads wake each other through pipes, and reports the time that each
// run of the programs takes by the kernel's own account: ns/switch, ns/wakeup. The account adds
// some 20 ns to each.
func BenchmarkSwitch(b *testing.B) {
	s := openSource(b)
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
	for name, p := range map[string]*ebpf.Program{"switch": s.programs.objects.Switched,
		"wakeup": s.programs.objects.Woken, "migration": s.programs.objects.Migrated} {
		st, err := p.Stats()
		if err != nil {
			b.Fatal(err)
		}
		if st.RunCount > 0 {
			b.ReportMetric(float64(st.Runtime.Nanoseconds())/float64(st.RunCount), "ns/"+name)
		}
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

// BenchmarkCounters reads six counters of each CPU, as a window's end does. They are the kernel's
// own: machines without a PMU have these as well, and reading them takes the same way.
func BenchmarkCounters(b *testing.B) {
	h := Hardware{Counters: make([]string, 6)}
	for cpu := range runtime.NumCPU() {
		var fds []int
		for range h.Counters {
			attr := unix.PerfEventAttr{Type: unix.PERF_TYPE_SOFTWARE,
				Size:   uint32(unsafe.Sizeof(unix.PerfEventAttr{})),
				Config: unix.PERF_COUNT_SW_CONTEXT_SWITCHES,
				Read_format: unix.PERF_FORMAT_TOTAL_TIME_ENABLED |
					unix.PERF_FORMAT_TOTAL_TIME_RUNNING}
			fd, err := unix.PerfEventOpen(&attr, -1, cpu, -1, unix.PERF_FLAG_FD_CLOEXEC)
			if err != nil {
				b.Skip(err)
			}
			b.Cleanup(func() { unix.Close(fd) })
			fds = append(fds, fd)
		}
		h.FDs = append(h.FDs, fds)
	}
	for b.Loop() {
		var r Reading
		if h.read(&r); len(r.Counts) != len(h.Counters) {
			b.Fatal("the counters cannot be read")
		}
	}
}
