package network

import (
	"net"
	"runtime"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// BenchmarkCost reports the CPU time of a datagram that is sent to this machine and received:
// uncounted, counted for its thread, and counted also for its caller. It measures the three in
// turn, and reports the medians of all turns. Use -benchtime=1x.
func BenchmarkCost(b *testing.B) {
	const turns, datagrams = 15, 4000
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	s, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	to, piece := s.LocalAddr().(*net.UDPAddr).AddrPort(), make([]byte, 200)
	cpu := func() time.Duration {
		var u unix.Rusage
		if err := unix.Getrusage(unix.RUSAGE_THREAD, &u); err != nil {
			b.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	each := map[string][]float64{}
	for b.Loop() {
		for range turns {
			for _, by := range []string{"nobody", "thread", "caller"} {
				var c *Counter
				if by != "nobody" {
					c = openedBy(b, true, 100, by == "caller")
				}
				before := cpu()
				for range datagrams {
					if _, err := s.WriteToUDPAddrPort(piece, to); err != nil {
						b.Fatal(err)
					}
					if _, _, err := s.ReadFromUDPAddrPort(piece); err != nil {
						b.Fatal(err)
					}
				}
				each[by] = append(each[by], float64(cpu()-before)/datagrams)
				if c != nil {
					if err := c.Close(); err != nil {
						b.Fatal(err)
					}
				}
			}
		}
	}
	b.ReportMetric(0, "ns/op")
	for by, ns := range each {
		slices.Sort(ns)
		b.ReportMetric(ns[len(ns)/2], "ns-"+by)
	}
}
