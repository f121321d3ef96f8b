package sandbox

import "github.com/ebb-energy/ebb/internal/sandbox/protocol"

// Bounds of the kept code of virtual machines.
const (
	maxCodes     = 1 << 17
	maxCodeBytes = 16 << 20 // bytes of names
	maxMarks     = 1 << 20  // marks of all images together
)

// codes holds the code that each mark stands for. The child numbers codes by image, and the next
// child numbers them anew; here each distinct code has one number for the whole run.
type codes struct {
	list     []protocol.Code
	index    map[protocol.Code]uint32
	marksOf  map[protocol.Image][]uint32 // by image, the number in list of each of its marks
	compiled map[protocol.Image]bool     // images whose compiled code was found
	bytes    int
	marks    int // number of marks in marksOf
}

func newCodes() codes {
	return codes{
		list: []protocol.Code{{Name: "[unknown]"}}, index: map[protocol.Code]uint32{},
		marksOf: map[protocol.Image][]uint32{}, compiled: map[protocol.Image]bool{},
	}
}

// add takes what an image's marks stand for, from number first on. A list that is out of order is
// ignored.
func (c *codes) add(image protocol.Image, first uint32, list []protocol.Code) {
	if int(first) != len(c.marksOf[image]) || len(list) == 0 || c.marks+len(list) > maxMarks {
		return
	}
	c.marks += len(list)
	if len(c.compiled) < maxImages {
		c.compiled[image] = true
	}
	for _, code := range list {
		n, known := c.index[code]
		if !known && len(c.list) < maxCodes && c.bytes+len(code.Name) <= maxCodeBytes {
			n = uint32(len(c.list))
			own := protocol.Code{Name: clean(code.Name), Interpreted: code.Interpreted}
			c.list = append(c.list, own)
			c.index[code] = n
			c.bytes += len(code.Name)
		}
		c.marksOf[image] = append(c.marksOf[image], n) // 0, the unknown, where there is no room
	}
}

// translate replaces an image's marks with the run's.
func (c *codes) translate(image protocol.Image, frames []uint64) {
	of := c.marksOf[image]
	for i, f := range frames {
		if f&protocol.Marked == 0 {
			continue
		}
		var n uint32
		if at := f &^ protocol.Marked; at < uint64(len(of)) {
			n = of[at]
		}
		frames[i] = protocol.Marked | uint64(n)
	}
}

// forget forgets an image's numbers.
func (c *codes) forget(image protocol.Image) {
	c.marks -= len(c.marksOf[image])
	delete(c.marksOf, image)
	delete(c.compiled, image)
}

// restarted forgets the numbers of a child that has gone.
func (c *codes) restarted() {
	clear(c.marksOf)
	c.marks = 0
}

// frame returns the frame that a mark of the run stands for.
func (c *codes) frame(mark uint64) protocol.Frame {
	n := mark &^ protocol.Marked
	if n == 0 || n >= uint64(len(c.list)) {
		return protocol.Frame{Name: "[unknown]", Kind: "unresolved"}
	}
	f := protocol.Frame{Name: c.list[n].Name, Module: "[java]", Kind: "jit"}
	if c.list[n].Interpreted {
		f.Kind = "interpreted"
	}
	return f
}

// Java reports whether an image is a Java machine whose compiled code was found.
func (h *Host) Java(image protocol.Image) bool { return h.codes.compiled[image] }
