package train

import (
	"bytes"
	"compress/flate"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"sync/atomic"
	"syscall"
	"time"
)

// kept takes results, so that the compiler cannot leave work out.
var kept atomic.Uint64

func keep(x uint64) { kept.Add(x) }

func integers(deadline time.Time, worker int) {
	x := uint64(worker)
	for time.Now().Before(deadline) {
		for range 100 {
			x = mix(x)
		}
	}
	keep(x)
}

// floats multiplies matrices that fit into a cache.
func floats(deadline time.Time, worker int) {
	const n = 96
	var a, b, c [n][n]float64
	for i := range n {
		for j := range n {
			a[i][j], b[i][j] = float64(i+j+worker), float64(i-j)
		}
	}
	for time.Now().Before(deadline) {
		for i := range n {
			for j := range n {
				sum := 0.0
				for k := range n {
					sum = math.FMA(a[i][k], b[k][j], sum)
				}
				c[i][j] = sum
			}
		}
		keep(uint64(int64(c[n/2][n/3])))
	}
}

// Sizes of memory that does not fit into caches.
const (
	streamBytes = 32 << 20
	chaseLinks  = 4 << 20
)

// stream copies memory from one place to another.
func stream(deadline time.Time, _ int) {
	from, to := make([]uint64, streamBytes/8), make([]uint64, streamBytes/8)
	for time.Now().Before(deadline) {
		copy(to, from)
		from, to = to, from
	}
	keep(from[0])
}

// chase follows links whose places no prefetcher guesses.
func chase(deadline time.Time, worker int) {
	r := rand.New(rand.NewPCG(1, uint64(worker)))
	next := make([]uint32, chaseLinks)
	for i := range next {
		next[i] = uint32(i)
	}
	for i := len(next) - 1; i > 0; i-- { // Sattolo: one cycle through all
		j := r.IntN(i)
		next[i], next[j] = next[j], next[i]
	}
	at := uint32(worker)
	for time.Now().Before(deadline) {
		for range 10000 {
			at = next[at]
		}
	}
	keep(uint64(at))
}

// switches lets two threads wake each other through pipes.
func switches(deadline time.Time, _ int) {
	r1, w1, err1 := os.Pipe()
	r2, w2, err2 := os.Pipe()
	if err1 != nil || err2 != nil {
		return
	}
	defer r1.Close()
	defer w2.Close()
	go func() {
		runtime.LockOSThread()
		defer w1.Close()
		defer r2.Close()
		b := make([]byte, 1)
		for {
			if n, err := syscall.Read(int(r2.Fd()), b); n != 1 || err != nil {
				return
			}
			if n, err := syscall.Write(int(w1.Fd()), b); n != 1 || err != nil {
				return
			}
		}
	}()
	b := make([]byte, 1)
	for time.Now().Before(deadline) {
		for range 50 {
			if n, err := syscall.Write(int(w2.Fd()), b); n != 1 || err != nil {
				return
			}
			if n, err := syscall.Read(int(r1.Fd()), b); n != 1 || err != nil {
				return
			}
		}
	}
}

// timers sleeps for short times and works a little in between.
func timers(deadline time.Time, worker int) {
	x := uint64(worker)
	short := syscall.Timespec{Nsec: 300_000}
	for time.Now().Before(deadline) {
		_ = syscall.Nanosleep(&short, nil) // a signal may end it early
		for range 20 {
			x = mix(x)
		}
	}
	keep(x)
}

// faults makes the kernel give pages, and gives them back.
func faults(deadline time.Time, _ int) {
	const size = 4 << 20
	for time.Now().Before(deadline) {
		b, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE,
			syscall.MAP_ANON|syscall.MAP_PRIVATE)
		if err != nil {
			return
		}
		for i := 0; i < size; i += os.Getpagesize() {
			b[i] = 1
		}
		if syscall.Munmap(b) != nil {
			return
		}
	}
}

// calls enters the kernel as often as it can.
func calls(deadline time.Time, _ int) {
	for time.Now().Before(deadline) {
		for range 1000 {
			_, _, _ = syscall.RawSyscall(syscall.SYS_GETPPID, 0, 0, 0)
		}
	}
}

// compress packs text-like bytes.
func compress(deadline time.Time, worker int) {
	r := rand.New(rand.NewPCG(2, uint64(worker)))
	text := make([]byte, 1<<18)
	for i := range text {
		text[i] = byte('a' + r.IntN(6)*r.IntN(4))
	}
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, flate.DefaultCompression)
	if err != nil {
		return
	}
	for time.Now().Before(deadline) {
		out.Reset()
		w.Reset(&out)
		_, _ = w.Write(text) // into memory
		_ = w.Close()
	}
	keep(uint64(out.Len()))
}

// sorting sorts new lists, so that the garbage collector also works.
func sorting(deadline time.Time, worker int) {
	r := rand.New(rand.NewPCG(3, uint64(worker)))
	for time.Now().Before(deadline) {
		list := make([]uint64, 1<<14)
		for i := range list {
			list[i] = r.Uint64()
		}
		slices.Sort(list)
		keep(list[7])
	}
}
