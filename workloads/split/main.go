// Command split has two threads that spend their CPU time in three functions as 6 : 3 : 1, and goroutines that sleep. It
// prints the CPU time of each function, in ns, as the threads measured it.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

const threads = 2

var sinks [threads]uint64

// ownTime is the calling thread's CPU time, in ns.
func ownTime() int64 {
	const clockThreadCPUTime = 3
	var t syscall.Timespec
	if _, _, errno := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clockThreadCPUTime, uintptr(unsafe.Pointer(&t)), 0); errno != 0 {
		panic(errno)
	}
	return t.Nano()
}

//go:noinline
func most(n int) (x uint64) {
	for range n {
		x = x*6364136223846793005 + 1442695040888963407
	}
	return x
}

//go:noinline
func some(n int) (x uint64) {
	for range n {
		x = x*2862933555777941757 + 3037000493
	}
	return x
}

//go:noinline
func little(n int) (x uint64) {
	for range n {
		x = x*3935559000370003845 + 2691343689449507681
	}
	return x
}

func work(id int, until int64, spent *[3]int64) {
	runtime.LockOSThread()
	parts := [3]int64{6, 3, 1}
	random := uint32(time.Now().UnixNano()) // else the threads would do the same at the same moments of their CPU time
	for before := ownTime(); before < until; {
		next := 0 // whoever is furthest behind his part
		for i := range parts {
			if spent[i]*parts[next] < spent[next]*parts[i] {
				next = i
			}
		}
		// Not all of a length: who looks every so often would see the same moment of each round.
		random = random*1664525 + 1013904223
		n := 50000 + int(random>>16)*3/2
		switch next {
		case 0:
			sinks[id] += most(n)
		case 1:
			sinks[id] += some(n)
		case 2:
			sinks[id] += little(n)
		}
		now := ownTime()
		spent[next] += now - before
		before = now
	}
}

func main() {
	seconds := 5.0
	if len(os.Args) > 1 {
		var err error
		if seconds, err = strconv.ParseFloat(os.Args[1], 64); err != nil {
			fmt.Fprintln(os.Stderr, "split:", err)
			os.Exit(2)
		}
	}
	go func() { time.Sleep(time.Hour) }()
	var spent [threads][3]int64
	var all sync.WaitGroup
	for i := range threads {
		all.Go(func() { work(i, int64(seconds*1e9), &spent[i]) })
	}
	all.Wait()
	for i, name := range []string{"most", "some", "little"} {
		fmt.Println(name, spent[0][i]+spent[1][i])
	}
}
