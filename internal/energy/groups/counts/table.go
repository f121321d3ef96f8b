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
	// ownersPart is the part of a CPU's entries that the cgroups of one owner other than root can
	// take: one of so many.
	ownersPart = 32

	// These values are those of the BPF program.
	idle   = 1 // a CPU's state
	places = 4 // places in a bucket
	tries  = 8 // number of buckets in which an entry may be
	// near is the number of a CPU's first buckets, and nearTries that of the tries among these.
	near, nearTries = 256, 2
	owners          = 256 // numbers of owners on a CPU
)

// The layouts are those of counts.bpf.c.
type (
	entry struct{ id, sum uint64 }
	owner struct {
		of [places]uint8
		_  uint32
	}
	owned struct{ taken, freed uint64 }
)

// table holds the program's entries, mapped: reading one needs no system call. Only a CPU itself
// writes its entries, except that free clears them.
type table struct {
	memory  [5][]byte
	entries []entry
	owners  []owner  // by bucket
	owned   []owned  // by CPU and owner's number
	noted   []uint64 // a bit for each bucket in which a stretch began
	again   []uint64 // bits of buckets with a stretch that had not ended when read
	buckets int      // number of buckets for each CPU
	factor  uint64   // of the hash
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
	spec.Maps["owners"].MaxEntries = uint32(cpus * buckets)
	spec.Maps["owned"].MaxEntries = uint32(cpus * owners)
	if err := spec.Variables["most"].Set(uint64(buckets * places / ownersPart)); err != nil {
		return err
	}
	spec.Maps["noted"].MaxEntries = uint32(cpus * wordsOf(buckets))
	return spec.Variables["mask"].Set(uint32(buckets - 1))
}

func mapTable(o *countsObjects, cpus, buckets int, factor uint64, counted bool,
) (_ *table, err error) {
	t := &table{buckets: buckets, words: wordsOf(buckets), factor: factor}
	defer func() {
		if err != nil {
			_ = t.close() // the mapping's own error says more
		}
	}()
	if t.entries, err = mapped[entry](&t.memory[0], o.Buckets, cpus*buckets*places); err != nil {
		return nil, err
	}
	if t.noted, err = mapped[uint64](&t.memory[1], o.Noted, cpus*t.words); err != nil {
		return nil, err
	}
	t.again = make([]uint64, len(t.noted))
	if t.owners, err = mapped[owner](&t.memory[2], o.Owners, cpus*buckets); err != nil {
		return nil, err
	}
	if t.owned, err = mapped[owned](&t.memory[3], o.Owned, cpus*owners); err != nil {
		return nil, err
	}
	if counted {
		t.works, err = mapped[Work](&t.memory[4], o.Works, len(t.entries))
	}
	return t, err
}

// mapped maps a map's n values.
func mapped[T any](memory *[]byte, m *ebpf.Map, n int) ([]T, error) {
	b, err := unix.Mmap(m.FD(), 0, n*int(unsafe.Sizeof(*new(T))), unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("map the counts of cgroups: %w", err)
	}
	*memory = b
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n), nil
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

// golden is GOLDEN of counts.bpf.c.
const golden = 0x9e3779b97f4a7c15

// tried returns the bucket of a try, of those of a CPU. The program tries the same.
func (t *table) tried(first, try int) int {
	if t.buckets <= near || try < nearTries {
		return (first + try) & (min(t.buckets, near) - 1)
	}
	far := t.buckets - near
	return near + (first*far>>24+try-nearTries)%far
}

// first returns a cgroup's hash, of 24 bits. The program looks for its entry from there on.
func (t *table) first(id uint64) int {
	mixed := id * golden
	mixed ^= mixed >> 32
	return int(uint32(mixed * t.factor >> 40))
}

// of appends the entries of a cgroup. The program finds them in the same way.
func (t *table) of(id uint64, out []cell) []cell {
	first := t.first(id)
	for from := 0; from < len(t.entries); from += t.buckets * places {
		for try := range min(tries, t.buckets) {
			bucket := t.tried(first, try) * places
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
func (t *table) free(c *cell) {
	if by := t.owners[c.at/places].of[c.at%places]; by != 0 {
		t.owned[c.cpu*owners+int(by)].freed++
	}
	atomic.StoreUint64(&t.entries[c.at].sum, 0)
	atomic.StoreUint64(&t.entries[c.at].id, 0)
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
	t.memory = [5][]byte{}
	return err
}
