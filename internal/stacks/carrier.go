package stacks

// Carrier says where a thread of a Java machine has the number of the thread that it runs as: its
// own, or that of the virtual thread that is mounted on it.
type Carrier struct {
	Block uint64 // address of the thread's own block, its thread pointer
	// At is the address of the number. With Field it is that of a reference to the object which has
	// the number, and Field is where.
	At, Field uint64
	Own       uint64 // number of the thread itself
}

// Itself stands in Sample.Mounted for a thread that carries no other.
const Itself = ^uint64(0)

// Bounds of what the program's memory can make Carry keep, and the sampler read.
const (
	maxCarriers = 4096 // of all processes; the map's size in sample.bpf.c
	maxField    = 1 << 16
	userEnd     = 1 << 47 // where the memory of programs ends on x86-64
)

// fits reports whether a carrier is one that a machine can have. The kernel reads only the memory
// of the sampled thread itself, whatever the address is.
func (c *Carrier) fits() bool {
	return c.Block > 0 && c.Block < userEnd && c.At > 0 && c.At < userEnd && c.Field < maxField
}

// carrierKey is struct carrier_key of sample.bpf.c, carrierValue struct carrier.
type (
	carrierKey   struct{ Block, PID uint64 }
	carrierValue struct{ At, Field, Own uint64 }
)

// entry returns the entry of a process's carrier in the kernel's table.
func (c *Carrier) entry(pid int) (carrierKey, carrierValue) {
	return carrierKey{c.Block, uint64(pid)}, carrierValue{c.At, c.Field, c.Own}
}

// Carry replaces the carriers of a process. It leaves out those that do not fit:
// of such threads it is not known whom they carry.
func (s *Sampler) Carry(pid int, list []Carrier) {
	left := maxCarriers - s.carrying + len(s.carried[pid])
	wanted, there := map[Carrier]bool{}, map[carrierKey]carrierValue{}
	for _, c := range list {
		wanted[c] = true
	}
	for _, c := range s.carried[pid] {
		if key, value := c.entry(pid); wanted[c] {
			there[key] = value
		} else {
			delete(there, key)
			_ = s.objects.Carriers.Delete(key) // it fails where two had one key
		}
	}
	var kept []Carrier
	for _, c := range list {
		if !c.fits() || len(kept) == left {
			continue
		}
		key, value := c.entry(pid)
		if old, is := there[key]; is && old == value || s.objects.Carriers.Put(key, value) == nil {
			there[key], kept = value, append(kept, c)
		}
	}
	s.carrying = maxCarriers - left + len(kept)
	if len(kept) > 0 {
		s.carried[pid] = kept
	} else {
		delete(s.carried, pid)
	}
	s.carriers++
	// Variables of a map that is there; the number last, since nothing is read before it.
	_ = s.objects.CarriersVersion.Set(s.carriers)
	_ = s.objects.Carrying.Set(uint64(s.carrying))
}
