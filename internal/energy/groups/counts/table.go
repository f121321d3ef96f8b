package counts

import (
	"fmt"
	"math/bits"
	"sync/atomic"
	"unsafe"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"
)

const (
	// bucketsOfCPU is the number of buckets of each CPU. They have room for 8192 cgroups, in 128
	// KiB.
	bucketsOfCPU = 2048
	wordBits     = 64 // bits in a word of noted buckets

	// These values are those of the BPF program.
	idle   = 1 // a CPU's state
	places = 4 // places in a bucket
	tries  = 8 // number of successive buckets in which an entry may be
	golden = 0x9E3779B97F4A7C15
)

// entry has the layout of struct entry in counts.bpf.c.
type entry struct{ id, sum uint64 }

// table holds the program's entries, mapped: reading one needs no system call. Only a CPU itself
// writes its entries, except that free clears them.
type table struct {
	memory  [3][]byte
	entries []entry
	noted   []uint64 // a bit for each bucket in which a stretch began
	again   []uint64 // bits of buckets with a stretch that had not ended when read
	buckets int      // number of buckets for each CPU
	words   int      // number of words of bits for each CPU
	works   []Work   // work by entry; none where nothing counts
}

// wordsOf returns the number of words that have a bit for each bucket of a CPU.
func wordsOf(buckets int) int { return (buckets + wordBits - 1) / wordBits }

// size sets the size of the table.
func size(spec *ebpf.CollectionSpec, cpus, buckets int, counted bool) error {
	if counted {
		spec.Maps["works"].MaxEntries = uint32(cpus * buckets)
		if err := spec.Variables["counted"].Set(true); err != nil {
			return err
		}
	}
	spec.Maps["buckets"].MaxEntries = uint32(cpus * buckets)
	spec.Maps["noted"].MaxEntries = uint32(cpus * wordsOf(buckets))
	return spec.Variables["mask"].Set(uint32(buckets - 1))
}

func mapTable(o *countsObjects, cpus, buckets int, counted bool) (_ *table, err error) {
	t := &table{buckets: buckets, words: wordsOf(buckets)}
	n := cpus * buckets * places
	if t.memory[0], err = mapped(o.Buckets, n*int(unsafe.Sizeof(entry{}))); err != nil {
		return nil, err
	}
	t.entries = unsafe.Slice((*entry)(unsafe.Pointer(unsafe.SliceData(t.memory[0]))), n)
	n = cpus * t.words
	if t.memory[1], err = mapped(o.Noted, n*8); err != nil {
		_ = t.close() // the mapping's own error says more
		return nil, err
	}
	t.noted = unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(t.memory[1]))), n)
	t.again = make([]uint64, n)
	if !counted {
		return t, nil
	}
	n = len(t.entries)
	if t.memory[2], err = mapped(o.Works, n*int(unsafe.Sizeof(Work{}))); err != nil {
		_ = t.close()
		return nil, err
	}
	t.works = unsafe.Slice((*Work)(unsafe.Pointer(unsafe.SliceData(t.memory[2]))), n)
	return t, nil
}

func mapped(m *ebpf.Map, size int) ([]byte, error) {
	b, err := unix.Mmap(m.FD(), 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("map the counts of cgroups: %w", err)
	}
	return b, nil
}

// read appends the entries of all buckets in which something ran since the last read. The bits are
// cleared before: a stretch that begins meanwhile is read now, or the next time.
func (t *table) read(out []cell) []cell {
	for word := range t.noted {
		set := t.again[word]
		if atomic.LoadUint64(&t.noted[word]) != 0 {
			set |= atomic.SwapUint64(&t.noted[word], 0)
		}
		t.again[word] = 0
		for ; set != 0; set &= set - 1 {
			bit := bits.TrailingZeros64(set)
			cpu := word / t.words
			bucket := cpu*t.buckets + word%t.words*wordBits + bit
			for place := range places {
				c := t.cell(cpu, bucket*places+place)
				if c.id == 0 {
					continue
				}
				if c.sum&open1 != 0 {
					t.again[word] |= 1 << bit
				}
				out = append(out, c)
			}
		}
	}
	return out
}

// cell returns an entry as it is at the call.
func (t *table) cell(cpu, at int) cell {
	e := &t.entries[at]
	c := cell{cpu: cpu, at: at, id: atomic.LoadUint64(&e.id), sum: atomic.LoadUint64(&e.sum)}
	if at < len(t.works) {
		w := &t.works[at]
		c.Work = Work{atomic.LoadUint64(&w.Cycles), atomic.LoadUint64(&w.Instructions)}
	}
	return c
}

// of appends the entries of a cgroup. The program finds them in the same way.
func (t *table) of(id uint64, out []cell) []cell {
	first := int(uint32(id * golden >> 40))
	for from := 0; from < len(t.entries); from += t.buckets * places {
		for try := range min(tries, t.buckets) {
			bucket := ((first + try) & (t.buckets - 1)) * places
			for at := from + bucket; at < from+bucket+places; at++ {
				if c := t.cell(from/(t.buckets*places), at); c.id == id {
					out = append(out, c)
				}
			}
		}
	}
	return out
}

// free lets the program use an entry for another cgroup.
func (t *table) free(at int) {
	atomic.StoreUint64(&t.entries[at].sum, 0)
	atomic.StoreUint64(&t.entries[at].id, 0)
}

func (t *table) close() (err error) {
	for _, b := range t.memory {
		if b == nil {
			continue
		}
		if e := unix.Munmap(b); e != nil && err == nil {
			err = fmt.Errorf("unmap the counts of cgroups: %w", e)
		}
	}
	t.memory = [3][]byte{}
	return err
}
