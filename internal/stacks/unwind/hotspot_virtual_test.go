package unwind

import (
	"slices"
	"testing"
)

// mounting is a machine with two threads, numbers 5 and 6, which say whom they carry: in themselves
// if owner, else by a reference. At are their addresses.
func mounting(t testing.TB, p *process, owner bool) (m *HotSpot, at [2]uint64) {
	m = threaded(t, p, 25, []uint32{100, 101},
		[]uint32{p.javaText("ForkJoinPool-1-worker-1", false), p.javaText("main", false)})
	l := &m.threads
	l.block, l.mounted = field{offset: 16, known: true}, field{offset: 32, known: true}
	l.owner = field{offset: 40, known: owner}
	list, _ := m.word(l.list.offset)
	array, _ := m.word(list + l.threads.offset)
	for i := range at {
		at[i], _ = m.word(array + 8*uint64(i))
		system, _ := m.word(at[i] + l.system.offset)
		p.put(system+16, 0x7000+uint64(i))
		own, _ := m.object(at[i] + l.object.offset)
		p.put(own+24, 5+uint64(i))
		p.put(at[i]+32, p.room(8))
		p.mount(m, at[i], own, 5+uint64(i))
	}
	m.forget()
	return m, at
}

// mount has a thread run as the one of an object, with its number.
func (p *process) mount(m *HotSpot, thread, object, number uint64) {
	m.forget()
	handle, _ := m.word(thread + 32)
	p.put(handle, object)
	p.put(thread+40, number)
}

// virtual is the object of a virtual thread.
func (p *process) virtual(number uint64, name string) uint64 {
	object, _ := p.object(48)
	p.put(object+24, number)
	p.half(object+40, p.javaText(name, false))
	return object
}

// TestVirtual: once a virtual thread was seen, all threads say where they have the number of the
// one that they carry, first those that did carry one; and one that is still mounted has its name.
func TestVirtual(t *testing.T) {
	for _, owner := range []bool{true, false} {
		p := newMachine(25)
		m, at := mounting(t, p, owner)
		if m.Threads(); m.Carriers() != nil {
			t.Errorf("without virtual threads: %v", m.Carriers())
		}
		p.mount(m, at[1], p.virtual(77, "one of them"), 77)
		m.Threads()
		want := make([]Carrier, 2)
		for i, thread := range []uint64{at[1], at[0]} {
			want[i] = Carrier{Block: 0x7001 - uint64(i), At: thread + 40, Own: 6 - uint64(i)}
			if !owner {
				want[i].At, want[i].Field = m.handleAt(thread), 24
			}
		}
		if got := m.Carriers(); !slices.Equal(got, want) {
			t.Errorf("%+v, want %+v", got, want)
		}
		for number, want := range map[uint64]string{77: "one of them", 78: "", 6: "", 5: ""} {
			if v, ok := m.Virtual(number); ok != (want != "") || v.Name != want {
				t.Errorf("%d: %+v, %v, want %q", number, v, ok, want)
			}
		}
		p.mount(m, at[1], p.virtual(78, ""), 78)
		if v, ok := m.Virtual(78); !ok || v != (Virtual{ID: 78}) {
			t.Errorf("one without a name: %+v, %v", v, ok)
		}
		if v, ok := m.Virtual(77); ok {
			t.Errorf("one that is gone: %+v", v)
		}
		if owner { // the number was changed, the object not yet
			p.put(at[1]+40, 79)
			if v, ok := m.Virtual(79); ok {
				t.Errorf("another's name: %+v", v)
			}
		}
		if m.Threads(); len(m.Carriers()) != 2 {
			t.Errorf("later: %v", m.Carriers())
		}
	}
}

func (h *HotSpot) handleAt(thread uint64) uint64 {
	at, _ := h.word(thread + 32)
	return at
}

// TestVirtualNotSaid: a machine that lacks a field, or whose references move as they are read, says
// of nobody whom it carries; nor does a thread without a number.
func TestVirtualNotSaid(t *testing.T) {
	for what, change := range map[string]func(*process, *HotSpot, [2]uint64){
		"JDK 20": func(_ *process, m *HotSpot, _ [2]uint64) {
			m.threads.mounted.known = false
		},
		"no own blocks": func(_ *process, m *HotSpot, _ [2]uint64) {
			m.threads.block.known = false
		},
		"ZGC of JDK 21": func(_ *process, m *HotSpot, _ [2]uint64) { m.threads.zgc = true },
		"threads unnumbered": func(p *process, m *HotSpot, at [2]uint64) {
			for _, thread := range at {
				own, _ := m.object(thread + m.threads.object.offset)
				p.put(own+24, 0)
			}
		},
		"numbers that nobody has": func(p *process, m *HotSpot, at [2]uint64) {
			p.mount(m, at[1], p.virtual(1<<60, "x"), 1<<60)
		},
		"no object": func(p *process, m *HotSpot, at [2]uint64) { p.mount(m, at[1], 0, 0) },
		"no memory": func(p *process, m *HotSpot, at [2]uint64) { p.mount(m, at[1], 1<<62, 0) },
	} {
		p := newMachine(25)
		m, at := mounting(t, p, false)
		m.Threads() // describes the threads' layout
		p.mount(m, at[1], p.virtual(77, "x"), 77)
		m.forget()
		change(p, m, at)
		m.Threads()
		if got := m.Carriers(); got != nil {
			t.Errorf("%s: %v", what, got)
		}
		if v, ok := m.Virtual(77); ok {
			t.Errorf("%s: %v", what, v)
		}
	}
}

// FuzzVirtual: whatever the memory says, no more threads carry than there are, and names are short.
func FuzzVirtual(f *testing.F) {
	f.Add([]byte{}, true)
	f.Add([]byte{1, 2, 9, 0, 20, 255}, false)
	f.Fuzz(func(t *testing.T, changes []byte, owner bool) {
		p := newMachine(25)
		m, at := mounting(t, p, owner)
		p.mount(m, at[1], p.virtual(77, "one of them"), 77)
		image := p.regions[imageAt]
		for ; len(changes) >= 3; changes = changes[3:] {
			image[(int(changes[0])|int(changes[1])<<8)%len(image)] = changes[2]
		}
		m.Threads()
		if n := len(m.Carriers()); n > maxThreads {
			t.Errorf("%d carriers", n)
		}
		if v, ok := m.Virtual(77); ok && (v.ID != 77 || len(v.Name) > 4*maxThreadName) {
			t.Errorf("%+v", v)
		}
	})
}
