package sandbox

import "github.com/ebb-energy/ebb/internal/sandbox/protocol"

// Bounds of the kept names of virtual machines' threads.
const (
	maxThreads     = 1 << 15 // threads of all images together
	maxThreadBytes = 2 << 20 // bytes of names
)

// threads holds the names that virtual machines give their threads.
type threads struct {
	names  map[protocol.Image]map[uint32]string
	count  int
	bytes  int // bytes of the names that are kept
	beyond int // names that came and had no room
}

func (t *threads) add(image protocol.Image, list []protocol.Thread) {
	if t.names == nil {
		t.names = map[protocol.Image]map[uint32]string{}
	}
	for _, x := range list {
		name, of := clean(x.Name), t.names[image]
		before, known := of[x.ID]
		if t.bytes+len(name)-len(before) > maxThreadBytes || !known && t.count >= maxThreads {
			t.beyond++
			continue
		}
		if !known {
			t.count++
		}
		if of == nil { // only for a name that is kept: a child can make up any number of images
			of = map[uint32]string{}
			t.names[image] = of
		}
		t.bytes += len(name) - len(before)
		of[x.ID] = name
	}
}

// forget forgets an image's threads.
func (t *threads) forget(image protocol.Image) {
	t.count -= len(t.names[image])
	for _, name := range t.names[image] {
		t.bytes -= len(name)
	}
	delete(t.names, image)
}

// ThreadName returns the name that the virtual machine of an image last gave a thread, by the
// thread's id in its own PID namespace; "" where that is not known.
func (h *Host) ThreadName(image protocol.Image, id uint32) string {
	return h.threads.names[image][id]
}
