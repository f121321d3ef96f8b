package network

import (
	"encoding/binary"
	"net"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// wire makes a network of its own for the calling test: this machine is 192.0.2.1 (RFC 5737:
// documentation's), and what others would get and send goes through the returned file. Nothing
// leaves the machine.
func wire(t *testing.T) int {
	t.Helper()
	runtime.LockOSThread() // for good: the thread ends with the test
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		t.Skipf("no network of its own: %v", err)
	}
	tun, err := unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_NONBLOCK, 0)
	if err != nil {
		t.Skipf("no network device of its own: %v", err)
	}
	t.Cleanup(func() { unix.Close(tun) })
	ifr := must[*unix.Ifreq](t)(unix.NewIfreq("wire"))
	ifr.SetUint16(unix.IFF_TUN | unix.IFF_NO_PI)
	if err := unix.IoctlIfreq(tun, unix.TUNSETIFF, ifr); err != nil {
		t.Skipf("no network device of its own: %v", err)
	}
	s := must[int](t)(unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0))
	defer unix.Close(s)
	set := func(request uint, ifr *unix.Ifreq) {
		if err := unix.IoctlIfreq(s, request, ifr); err != nil {
			t.Fatal(err)
		}
	}
	for _, a := range []struct {
		request uint
		ip      [4]byte
	}{{unix.SIOCSIFADDR, [4]byte{192, 0, 2, 1}}, {unix.SIOCSIFNETMASK, [4]byte{255, 255, 255, 0}}} {
		ifr := must[*unix.Ifreq](t)(unix.NewIfreq("wire"))
		if err := ifr.SetInet4Addr(a.ip[:]); err != nil {
			t.Fatal(err)
		}
		set(a.request, ifr)
	}
	for _, name := range []string{"wire", "lo"} {
		ifr := must[*unix.Ifreq](t)(unix.NewIfreq(name))
		ifr.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
		set(unix.SIOCSIFFLAGS, ifr)
	}
	return tun
}

// packet returns a UDP packet from 192.0.2.2 to 192.0.2.1.
func packet(port, size int) []byte {
	p := make([]byte, 28+size)
	be := binary.BigEndian
	p[0], p[8], p[9] = 0x45, 64, unix.IPPROTO_UDP
	be.PutUint16(p[2:], uint16(len(p)))
	copy(p[12:], []byte{192, 0, 2, 2, 192, 0, 2, 1})
	var sum uint32
	for i := 0; i < 20; i += 2 {
		sum += uint32(be.Uint16(p[i:]))
	}
	be.PutUint16(p[10:], ^uint16(sum+sum>>16))
	be.PutUint16(p[20:], 9)
	be.PutUint16(p[22:], uint16(port))
	be.PutUint16(p[24:], uint16(8+size)) // the checksum stays 0: none
	return p
}

// TestLeaves: what goes to another machine and comes from it is the card's; what goes to an outer
// address of this one is not.
func TestLeaves(t *testing.T) {
	tun := wire(t)
	c := opened(t, true, 100)
	other, self := net.IPv4(192, 0, 2, 2), net.IPv4(192, 0, 2, 1)
	free := must[*net.UDPConn](t)(net.ListenUDP("udp4", nil))
	defer free.Close()
	own := must[*net.UDPConn](t)(net.ListenUDP("udp4", &net.UDPAddr{IP: self}))
	defer own.Close()
	joined := must[*net.UDPConn](t)(net.DialUDP("udp4", nil, &net.UDPAddr{IP: other, Port: 9}))
	defer joined.Close()
	must[int](t)(free.WriteToUDP(make([]byte, 300), &net.UDPAddr{IP: other, Port: 9}))
	must[int](t)(free.WriteToUDP(make([]byte, 50), own.LocalAddr().(*net.UDPAddr)))
	must[int](t)(free.WriteToUDP(make([]byte, 7), &net.UDPAddr{IP: other, Port: 9}))
	must[int](t)(joined.Write(make([]byte, 4000))) // the kernel sends it in three packets
	port := joined.LocalAddr().(*net.UDPAddr).Port
	must[int](t)(unix.Write(tun, packet(port, 61)))
	buf := make([]byte, 100)
	if n := must[int](t)(joined.Read(buf)); n != 61 {
		t.Fatalf("%d bytes came, want 61", n)
	}
	if got, want := total(t, c), (Bytes{Sent: 4307, Received: 61, LoopSent: 50}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
