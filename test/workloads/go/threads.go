package main

import (
	"fmt"
	"runtime"
	"sync"
)

const (
	fourThreads = 4
	rounds      = 60
	steps       = 400_000
)

//go:noinline
func compute(x uint64) uint64 {
	for range steps {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}

// threads has four threads that compute, and wait for each other: a program to follow in the
// virtual machine of another architecture, for which there may be no C compiler.
func threads() {
	runtime.GOMAXPROCS(fourThreads)
	var all sync.WaitGroup
	var held sync.Mutex
	total := uint64(0)
	for i := range fourThreads {
		all.Go(func() {
			runtime.LockOSThread()
			for range rounds {
				x := compute(uint64(i) + 1)
				held.Lock()
				total += compute(x) & 1
				held.Unlock()
			}
		})
	}
	all.Wait()
	fmt.Println("total", total)
}
