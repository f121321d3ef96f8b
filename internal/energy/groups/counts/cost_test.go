package counts

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"

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

// BenchmarkGroups has 1,000 threads in as many cgroups wake again and again, and reads the counts
// every second: ns/switch by the kernel's own account, switches/s, and the part of a CPU that the
// program and the reader have.
func BenchmarkGroups(b *testing.B) {
	const groups = 1000
	threads := filepath.Join(b.TempDir(), "threads")
	out, err := exec.Command("gcc", "-O2", "-static", "-pthread", "-o", threads,
		"testdata/threads.c").CombinedOutput()
	if err != nil {
		b.Skipf("%v: %s", err, out)
	}
	dir, _ := cgroupOf(b, "groups")
	for i := range groups {
		own := filepath.Join(dir, strconv.Itoa(i))
		if err := os.Mkdir(own, 0o755); err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { os.Remove(own) })
		err := os.WriteFile(filepath.Join(own, "cgroup.type"), []byte("threaded"), 0o644)
		if err != nil {
			b.Skip(err)
		}
	}
	in, err := os.Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	defer in.Close()
	cmd := exec.Command(threads, dir, strconv.Itoa(groups), "36000")
	cmd.SysProcAttr = &syscall.SysProcAttr{UseCgroupFD: true, CgroupFD: int(in.Fd())}
	ready, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	if _, err := ready.Read(make([]byte, 3)); err != nil {
		b.Fatal(err)
	}
	c := opened(b, bucketsOfCPU)
	stats, err := ebpf.EnableStats(unix.BPF_STATS_RUN_TIME)
	if err != nil {
		b.Skip(err)
	}
	defer stats.Close()
	parts, reading := 0, time.Duration(0)
	for b.Loop() {
		time.Sleep(time.Second)
		runtime.LockOSThread()
		before := ownTime()
		r, err := c.Read()
		if err != nil {
			b.Fatal(err)
		}
		reading += ownTime() - before
		runtime.UnlockOSThread()
		parts += len(r.Parts)
	}
	st, err := c.objects.Switched.Stats()
	if err != nil || st.RunCount == 0 {
		b.Fatal(err)
	}
	wall := b.Elapsed().Seconds()
	b.ReportMetric(float64(st.Runtime.Nanoseconds())/float64(st.RunCount), "ns/switch")
	b.ReportMetric(float64(st.RunCount)/wall, "switches/s")
	b.ReportMetric(100*st.Runtime.Seconds()/wall, "%CPU-program")
	b.ReportMetric(100*reading.Seconds()/wall, "%CPU-reading")
	b.ReportMetric(float64(parts)/float64(b.N), "parts")
}

// ownTime is the CPU time of this thread.
func ownTime() time.Duration {
	var ts unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &ts) // every kernel has it
	return time.Duration(ts.Nano())
}
