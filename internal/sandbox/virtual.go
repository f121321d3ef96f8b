package sandbox

import (
	"time"

	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
	"github.com/ebb-energy/ebb/units"
)

// Bounds of the kept names of virtual threads.
const (
	maxVirtual      = 1 << 14 // threads of all images together
	maxVirtualBytes = 1 << 20 // bytes of names
)

// virtual holds what virtual machines say of their virtual threads.
type virtual struct {
	// carry takes the carriers of a process, whose id is as Bind has it; nil: nobody wants them.
	carry func(pid int, list []protocol.Carrier)
	pids  map[protocol.Image]int // of the processes that have carriers
	// newest are lists that came and were not handed on yet; handed is the time of the last one.
	newest map[protocol.Image][]protocol.Carrier
	handed units.Instant
	names  map[protocol.Image]map[uint64]virtualName
	count  int // of names
	spares int // names of them that are spare
	bytes  int // of names
	beyond int // names that came and had no room
}

// virtualName is what a virtual thread is called. A spare one goes where there is no more room.
type virtualName struct {
	name  string
	spare bool
}

// Carriers sets who takes the carriers of a process, all of them each time that they change. An
// empty list comes when the process is replaced or forgotten. The program can make them up.
func (h *Host) Carriers(take func(pid int, list []protocol.Carrier)) { h.virtual.carry = take }

// carryEvery is the least time between two lists. To take one can need some milliseconds, and a
// child that was taken over sends as many as it likes.
const carryEvery = 50 * time.Millisecond

// carried takes the carriers of an image that is some process's.
func (v *virtual) carried(image protocol.Image, list []protocol.Carrier) {
	if v.newest == nil {
		v.newest = map[protocol.Image][]protocol.Carrier{}
	}
	v.newest[image] = list
}

// hand hands on one list, if it is time. Pids has the processes that Bind named.
func (v *virtual) hand(at units.Instant, pids map[protocol.Image]int) {
	if len(v.newest) == 0 || v.handed != 0 && at.Sub(v.handed) < carryEvery {
		return
	}
	for image, list := range v.newest {
		delete(v.newest, image)
		pid := pids[image]
		if v.carry == nil || pid == 0 {
			continue
		}
		if v.pids == nil {
			v.pids = map[protocol.Image]int{}
		}
		v.handed, v.pids[image] = at, pid
		v.carry(pid, list)
		return
	}
}

// dropped takes an image's carriers away.
func (v *virtual) dropped(image protocol.Image) {
	delete(v.newest, image)
	if pid, ok := v.pids[image]; ok {
		delete(v.pids, image)
		v.carry(pid, nil)
	}
}

func (v *virtual) add(image protocol.Image, list []protocol.Virtual) {
	if v.names == nil {
		v.names = map[protocol.Image]map[uint64]virtualName{}
	}
	for _, x := range list {
		name := clean(x.Name)
		v.drop(image, x.ID)
		if !v.room(name) && v.spares > 0 {
			v.clear()
		}
		if !v.room(name) {
			v.beyond++
			continue
		}
		if v.names[image] == nil {
			v.names[image] = map[uint64]virtualName{}
		}
		v.count++
		v.bytes += len(name)
		v.names[image][x.ID] = virtualName{name: name}
	}
}

// room reports whether there is room for a name.
func (v *virtual) room(name string) bool {
	return v.count < maxVirtual && v.bytes+len(name) <= maxVirtualBytes
}

// drop forgets a name.
func (v *virtual) drop(image protocol.Image, id uint64) {
	if x, known := v.names[image][id]; known {
		v.count--
		v.bytes -= len(x.name)
		if x.spare {
			v.spares--
		}
		delete(v.names[image], id)
		if len(v.names[image]) == 0 {
			delete(v.names, image) // a child can make up any number of images
		}
	}
}

// clear drops the spare names.
func (v *virtual) clear() {
	for image, names := range v.names {
		for id, x := range names {
			if x.spare {
				v.drop(image, id)
			}
		}
	}
}

// forget forgets an image's names.
func (v *virtual) forget(image protocol.Image) {
	for id := range v.names[image] {
		v.drop(image, id)
	}
}

// VirtualName returns the name of a virtual thread of an image; "" where it is not known, or has
// none.
func (h *Host) VirtualName(image protocol.Image, id uint64) string {
	return h.virtual.names[image][id].name
}

// SpareVirtual says whether a virtual thread has lost its line, so that its name can make room for
// another's.
func (h *Host) SpareVirtual(image protocol.Image, id uint64, spare bool) {
	x, known := h.virtual.names[image][id]
	if !known || x.spare == spare {
		return
	}
	if x.spare = spare; spare {
		h.virtual.spares++
	} else {
		h.virtual.spares--
	}
	h.virtual.names[image][id] = x
}
