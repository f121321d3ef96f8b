package sandbox

import "github.com/ebb-energy/ebb/internal/sandbox/protocol"

// Bounds of the kept names of virtual machines' threads.
const (
	maxThreads     = 1 << 15 // threads of all images together
	maxThreadBytes = 2 << 20 // bytes of names
)

// threads holds the names that virtual machines give their threads.
type threads struct {
	names map[protocol.Image]map[uint32]string
	count int
	bytes int // bytes of all names that came, those that others have replaced among them
}

func (t *threads) add(image protocol.Image, list []protocol.Thread) {
	if t.names == nil {
		t.names = map[protocol.Image]map[uint32]string{}
	}
	for _, x := range list {
		name := clean(x.Name)
		if t.bytes += len(name); t.bytes > maxThreadBytes {
			return
		}
		of := t.names[image]
		if _, known := of[x.ID]; !known {
			if t.count >= maxThreads {
				continue
			}
			t.count++
		}
		if of == nil { // only for a name that is kept: a child can make up any number of images
			of = map[uint32]string{}
			t.names[image] = of
		}
		of[x.ID] = name
	}
}

// forget forgets an image's threads.
func (t *threads) forget(image protocol.Image) {
	t.count -= len(t.names[image])
	delete(t.names, image)
}

// ThreadName returns the name that the virtual machine of an image last gave a thread, by the
// thread's id in its own PID namespace; "" where that is not known.
func (h *Host) ThreadName(image protocol.Image, id uint32) string {
	return h.threads.names[image][id]
}
