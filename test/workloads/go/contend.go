package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"time"
)

const (
	outside = 60_000
	inside  = 20_000
)

// mix is integer work: n steps of xorshift.
func mix(x uint64, n int) uint64 {
	for range n {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}

// shared is what the threads contend for.
type shared struct {
	mu     sync.Mutex
	sum    uint64 // guarded by mu
	tokens chan uint64
}

func (s *shared) operation(seed uint64) uint64 {
	x := mix(seed|1, outside)
	s.mu.Lock()
	s.sum += mix(x, inside) & 0xff
	s.mu.Unlock()
	token := <-s.tokens
	s.tokens <- mix(token, inside)
	return x & 0xff
}

// threadLine is the kernel's figures of the calling thread.
func threadLine() (string, error) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_THREAD, &u); err != nil {
		return "", fmt.Errorf("getrusage of a thread: %w", err)
	}
	return fmt.Sprintf("thread role=worker tid=%d voluntary=%d run_ns=%d",
		syscall.Gettid(), u.Nvcsw, u.Utime.Nano()+u.Stime.Nano()), nil
}

func contendFor(threads int, seconds float64) error {
	s := &shared{tokens: make(chan uint64, 2)}
	s.tokens <- 1
	s.tokens <- 2
	end := time.Now().Add(time.Duration(seconds * float64(time.Second)))
	ops := make([]int, threads)
	sums := make([]uint64, threads)
	lines := make([]string, threads)
	errs := make([]error, threads)
	var wg sync.WaitGroup
	for t := range threads {
		wg.Go(func() {
			// Not unlocked: the thread ends with its goroutine and does no other goroutine's work.
			runtime.LockOSThread()
			for time.Now().Before(end) {
				sums[t] += s.operation(uint64(ops[t]))
				ops[t]++
			}
			lines[t], errs[t] = threadLine()
		})
	}
	wg.Wait()
	done, sink := 0, s.sum
	for t := range threads {
		if errs[t] != nil {
			return errs[t]
		}
		fmt.Println(lines[t])
		done += ops[t]
		sink += sums[t]
	}
	fmt.Printf("ops=%d sink=%d\n", done, sink)
	return nil
}

// contend has threads that contend for a mutex and for the places of a channel.
//
//	contend [threads] [seconds]
//
// Each operation computes outside, then a while under the mutex, then a while holding one of two
// tokens that go round through a channel. Each goroutine has a thread of its own. It prints the
// operations done, a sum that keeps the compiler from removing the work, and for each thread the
// run time the kernel counted.
func contend() {
	threads, seconds := 4, 10.0
	var err error
	if len(os.Args) > 1 {
		if threads, err = strconv.Atoi(os.Args[1]); err != nil || threads < 1 {
			fmt.Fprintf(os.Stderr, "contend: %q is no number of threads\n", os.Args[1])
			os.Exit(2)
		}
	}
	if len(os.Args) > 2 {
		if seconds, err = strconv.ParseFloat(os.Args[2], 64); err != nil || seconds <= 0 {
			fmt.Fprintf(os.Stderr, "contend: %q is no time in seconds\n", os.Args[2])
			os.Exit(2)
		}
	}
	if err := contendFor(threads, seconds); err != nil {
		fmt.Fprintf(os.Stderr, "contend: %v\n", err)
		os.Exit(1)
	}
}
