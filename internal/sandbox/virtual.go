package sandbox

import "github.com/ebb-energy/ebb/internal/sandbox/protocol"

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
	names map[protocol.Image]map[uint64]string
	count int
	bytes int // bytes of all names that came
}

// Carriers sets who takes the carriers of a process, all of them each time that they change. An
// empty list comes when the process is replaced or forgotten. The program can make them up.
func (h *Host) Carriers(take func(pid int, list []protocol.Carrier)) { h.virtual.carry = take }

// carried hands on an image's carriers. Pid is the process that Bind named, 0 for none.
func (v *virtual) carried(image protocol.Image, pid int, list []protocol.Carrier) {
	if v.carry == nil || pid == 0 {
		return
	}
	if v.pids == nil {
		v.pids = map[protocol.Image]int{}
	}
	v.pids[image] = pid
	v.carry(pid, list)
}

// dropped takes an image's carriers away.
func (v *virtual) dropped(image protocol.Image) {
	if pid, ok := v.pids[image]; ok {
		delete(v.pids, image)
		v.carry(pid, nil)
	}
}

func (v *virtual) add(image protocol.Image, list []protocol.Virtual) {
	if v.names == nil {
		v.names = map[protocol.Image]map[uint64]string{}
	}
	for _, x := range list {
		name := clean(x.Name)
		_, known := v.names[image][x.ID]
		if v.bytes += len(name); v.bytes > maxVirtualBytes || !known && v.count >= maxVirtual {
			return
		}
		if v.names[image] == nil {
			v.names[image] = map[uint64]string{}
		}
		if !known {
			v.count++
		}
		v.names[image][x.ID] = name
	}
}

// forget forgets an image's names.
func (v *virtual) forget(image protocol.Image) {
	v.count -= len(v.names[image])
	delete(v.names, image)
}

// VirtualName returns the name of a virtual thread of an image; "" where it is not known, or has
// none.
func (h *Host) VirtualName(image protocol.Image, id uint64) string {
	return h.virtual.names[image][id]
}
