// Talk sends and receives known numbers of bytes over loopback and prints them: its process id,
// sent, received. It has a child for a partner, which prints its own. An argument is the address of
// somebody else to send to.
package main

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"sync"
)

const (
	question  = 1_000_003 // bytes of a stream to the child
	answer    = 77_777    // and back
	datagrams = 100       // of size bytes to the child, each answered by one of back
	size      = 1200
	back      = 5
	outside   = 30_001 // to somebody else
)

var (
	mu             sync.Mutex
	sent, received int
)

func count(s, r int) {
	mu.Lock()
	defer mu.Unlock()
	sent += s
	received += r
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "talk:", err)
		os.Exit(1)
	}
}

func write(w io.Writer, n int) {
	k, err := w.Write(make([]byte, n))
	check(err)
	count(k, 0)
}

func read(r io.Reader, n int) {
	k, err := io.ReadFull(r, make([]byte, n))
	check(err)
	count(0, k)
}

func main() {
	if len(os.Args) == 4 && os.Args[1] == "child" {
		child(os.Args[2], os.Args[3])
	} else {
		parent()
	}
	fmt.Println(os.Getpid(), sent, received)
}

func parent() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	u, err := net.ListenPacket("udp", "127.0.0.1:0")
	check(err)
	c := exec.Command(os.Args[0], "child", l.Addr().String(), u.LocalAddr().String())
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	check(c.Start())
	var both sync.WaitGroup
	both.Go(func() {
		conn, err := l.Accept()
		check(err)
		write(conn, question)
		read(conn, answer)
	})
	both.Go(func() {
		buf := make([]byte, size)
		n, peer, err := u.ReadFrom(buf) // the child says where it is
		check(err)
		count(0, n)
		for range datagrams {
			n, err := u.WriteTo(buf, peer)
			check(err)
			count(n, 0)
			n, _, err = u.ReadFrom(buf)
			check(err)
			count(0, n)
		}
	})
	if len(os.Args) > 1 {
		conn, err := net.Dial("tcp", os.Args[1])
		check(err)
		write(conn, outside)
		check(conn.Close())
	}
	both.Wait()
	check(c.Wait())
}

func child(stream, packets string) {
	conn, err := net.Dial("tcp", stream)
	check(err)
	read(conn, question)
	write(conn, answer)
	u, err := net.Dial("udp", packets)
	check(err)
	write(u, back)
	buf := make([]byte, size)
	for range datagrams {
		n, err := u.Read(buf)
		check(err)
		count(0, n)
		write(u, back)
	}
}
