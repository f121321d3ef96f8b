package main

import (
	"fmt"
	"math/bits"
	"os"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

const (
	splitThreads = 2
	lines        = 1 << 19 // of 64 bytes
)

var (
	parts   = [3]int64{6, 3, 1}
	sinks   [3]uint64
	chase   [lines * 16]uint32
	garbage [][]byte
)

// ownTime is the calling thread's CPU time, in ns.
func ownTime() int64 {
	const clockThreadCPUTime = 3
	var t syscall.Timespec
	if _, _, errno := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clockThreadCPUTime,
		uintptr(unsafe.Pointer(&t)), 0); errno != 0 {
		panic(errno)
	}
	return t.Nano()
}

// pin keeps the calling thread on the n-th of the CPUs that it may use, counted round.
func pin(n int) {
	var may [16]uint64
	if _, _, errno := syscall.RawSyscall(syscall.SYS_SCHED_GETAFFINITY, 0, unsafe.Sizeof(may),
		uintptr(unsafe.Pointer(&may))); errno != 0 {
		return
	}
	var cpus []int
	for i, word := range may {
		for ; word != 0; word &= word - 1 {
			cpus = append(cpus, 64*i+bits.TrailingZeros64(word))
		}
	}
	cpu := cpus[n%len(cpus)]
	var one [len(may)]uint64
	one[cpu/64] = 1 << (cpu % 64)
	_, _, _ = syscall.RawSyscall(syscall.SYS_SCHED_SETAFFINITY, 0, unsafe.Sizeof(one),
		uintptr(unsafe.Pointer(&one)))
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
	at := uint32(n % lines)
	for range n / 40 {
		at = chase[at*16]
	}
	return uint64(at)
}

//go:noinline
func little(n int) (x uint64) {
	for range n {
		x = x*3935559000370003845 + 2691343689449507681
	}
	return x
}

// work runs the function with the given number, or all if it is below zero.
func work(id, only int, until int64, spent *[3]int64) {
	runtime.LockOSThread()
	pin(id)
	// else the threads would do the same at the same moments of their CPU time
	random := uint32(time.Now().UnixNano())
	before := ownTime()
	for until += before; before < until; {
		next := max(only, 0)
		for i := range parts { // the function furthest behind its part
			if only < 0 && spent[i]*parts[next] < spent[next]*parts[i] {
				next = i
			}
		}
		// Long enough that reading the clock takes a small share of any function's time. The
		// lengths differ: a periodic sampler would otherwise see the same moment of each round.
		random = random*1664525 + 1013904223
		n := 300_000 + int(random>>16)*9
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

func litter() {
	for {
		garbage = nil
		for range 2000 {
			garbage = append(garbage, make([]byte, 512))
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// split has threads, each pinned to a CPU, that spend twice the given seconds of CPU time in three
// functions as 6 : 3 : 1, a goroutine that sleeps, and one that keeps the garbage collector busy.
// The second function waits for memory. Two threads have all three functions, or, with a second
// argument "apart", each function has a thread of its own. It prints the CPU time of each function,
// in ns, as the threads measured it.
func split() {
	seconds, apart := 5.0, len(os.Args) > 2 && os.Args[2] == "apart"
	if len(os.Args) > 1 {
		var err error
		if seconds, err = strconv.ParseFloat(os.Args[1], 64); err != nil {
			fmt.Fprintln(os.Stderr, "split:", err)
			os.Exit(2)
		}
	}
	// One cycle through all lines, in an order that no prefetcher guesses.
	for i := range uint32(lines) {
		chase[i*16] = (i*1664525 + 1013904223) % lines
	}
	go func() { time.Sleep(time.Hour) }()
	go litter()
	var spent [3][3]int64
	var all sync.WaitGroup
	if apart {
		for i, part := range parts {
			all.Go(func() { work(i, i, int64(seconds*splitThreads*1e9)*part/10, &spent[i]) })
		}
	} else {
		for i := range splitThreads {
			all.Go(func() { work(i, -1, int64(seconds*1e9), &spent[i]) })
		}
	}
	all.Wait()
	for i, name := range []string{"most", "some", "little"} {
		fmt.Println(name, spent[0][i]+spent[1][i]+spent[2][i])
	}
}
