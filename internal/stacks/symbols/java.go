package symbols

import (
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/ebb-energy/ebb/internal/stacks/unwind"
)

// java holds what is known of the Java virtual machine in a process, if it has one.
type java struct {
	machine *unwind.HotSpot // nil while nothing is known of it
	begins  *unwind.HotSpot // the machine while it has no code cache yet
	memory  *os.File
	// objects that libjvm.so exports for debuggers, by name: their addresses in the process
	objects map[string]uint64
	at      uint64            // start of the mapping of libjvm.so
	stacks  int               // stacks that came while the machine was not ready
	codes   []unwind.JavaCode // what each mark in stacks stands for, set by close
	names   map[uint32]string // names of the threads that Threads has returned, by id
	until   int               // stacks until its threads are read again
	failed  bool
	carried carried
}

// maxVMs bounds the Java machines that are read at a time. Each takes some 10 MB.
const maxVMs = 8

// lookAgain is the number of stacks between two attempts to find a machine whose description of
// itself cannot be read yet.
const lookAgain = 16

func (j *java) close() {
	if j.memory != nil {
		_ = j.memory.Close() // it was only read
	}
	codes := j.all()
	*j = java{failed: true, codes: codes}
}

// due reports, for one more stack, whether to look for the machine again. New code in its process
// is another reason to look.
func (j *java) due() bool {
	if j.machine != nil || j.memory == nil {
		return false
	}
	j.stacks++
	return j.begins != nil || j.stacks%lookAgain == 0
}

// ended reports whether the process's memory is gone.
func (j *java) ended() bool {
	n, _ := j.memory.ReadAt(make([]byte, 1), int64(j.at))
	return n == 0
}

// Codes returns the code that each mark in an image's stacks stands for, by the mark's number.
func (r *Resolver) Codes(i Image) []unwind.JavaCode {
	if p := r.processes[i]; p != nil {
		return p.java.all()
	}
	return nil
}

func (j *java) all() []unwind.JavaCode {
	if j.machine != nil {
		return j.machine.Codes()
	}
	return j.codes
}

// stacksPerList is the least number of stacks between two readings of a machine's threads. A
// reading takes some 14 reads of memory a thread.
const stacksPerList = 32

// Threads returns the threads of the Java machine in an image that are new, or have another name,
// since the last call. It is called after each stack, and reads the threads only now and then: the
// more threads there are, the less often.
func (r *Resolver) Threads(i Image) (list []unwind.JavaThread) {
	p := r.processes[i]
	if p == nil || p.java.machine == nil {
		return nil
	}
	j := &p.java
	if j.until--; j.until > 0 {
		return nil
	}
	all := j.machine.Threads()
	j.until = max(stacksPerList, len(all))
	j.carried.listed(j.machine.Carriers())
	if j.names == nil || len(j.names) > maxNamedThreads {
		j.names = map[uint32]string{}
	}
	for _, t := range all {
		if replaces(j.names[t.ID], t.Name) {
			j.names[t.ID] = t.Name
			list = append(list, t)
		}
	}
	return list
}

// afterMain is the name that HotSpot gives the thread that ran main once main has returned. The
// thread keeps the name it had, since its work was main's.
const afterMain = "DestroyJavaVM"

// replaces reports whether a name that was read replaces the one before. An unprintable text does
// not: the name's object had been moved away.
func replaces(before, name string) bool {
	return name != before && (before == "" || printable(name) == name && name != afterMain)
}

// maxNamedThreads bounds the threads of a machine whose names are kept.
const maxNamedThreads = 1 << 14

// frame returns the frame that a mark stands for.
func (j *java) frame(mark uint64) Frame {
	codes := j.all()
	n := mark &^ unwind.Marked
	if n >= uint64(len(codes)) {
		return Frame{Name: "[unknown]"}
	}
	return FrameOf(codes[n].Name, codes[n].Interpreted)
}

// FrameOf returns the frame of a Java method, or of other code that the machine made.
func FrameOf(name string, interpreted bool) Frame {
	f := Frame{Name: stable(printable(name)), Module: "[java]", Kind: kindJIT}
	if interpreted {
		f.Kind = kindInterpreted
	}
	return f
}

// compiled returns the description of the machine's code, for one more stack; nil without a
// machine.
func (j *java) compiled() unwind.Compiled {
	if j.machine == nil {
		return nil
	}
	j.machine.Stack()
	return j.machine
}

// refreshJava looks, in a process with libjvm.so, for the machine's description of itself. Without
// that, the stacks of its code are walked by frame pointers.
func (r *Resolver) refreshJava(p *process) {
	j := &p.java
	if j.machine != nil {
		j.machine.Refresh()
		return
	}
	if j.failed {
		return
	}
	if j.begins != nil {
		if j.begins.Begun() {
			j.machine, j.begins = j.begins, nil
		}
		return
	}
	m, ok := mappingOf(p.maps, "libjvm.so")
	if !ok {
		return
	}
	live := 0
	for _, other := range r.processes { // close the memory files of those that have ended
		if o := &other.java; o.memory != nil && o.ended() {
			o.close()
		} else if o.memory != nil && o != j {
			live++
		}
	}
	if live >= maxVMs {
		r.problem(
			"the program has more than %d Java virtual machines: the code of others has no names",
			maxVMs,
		)
		return // there is room when one of them has ended
	}
	if err := j.open(r.source, p.image, m); err != nil && !errors.Is(err, unwind.ErrNoCodeCache) {
		r.problem(
			"read how the Java virtual machine in process %d lays out its frames: %v; "+
				"stacks are cut short if it runs without -XX:+PreserveFramePointer", p.pid, err,
		)
		j.close()
	}
}

// Maps reports whether an image's process was seen to have a library of this name.
func (r *Resolver) Maps(i Image, library string) bool {
	p := r.processes[i]
	if p == nil {
		return false
	}
	_, ok := mappingOf(p.maps, library)
	return ok
}

// mappingOf returns the mapping of the library that has this name.
func mappingOf(maps []mapping, name string) (*mapping, bool) {
	for i := range maps {
		if m := &maps[i]; m.file != nil && module(m.Path) == name {
			return m, true
		}
	}
	return nil, false
}

func (j *java) open(source Source, i Image, m *mapping) (err error) {
	if j.memory == nil {
		j.at = m.Start
		if j.memory, err = source.Memory(i); err != nil {
			return err
		}
	}
	if j.objects == nil {
		if j.objects, err = objects(m.file, "gHotSpotVM"); err != nil {
			return err
		}
		at, ok := m.file.address(m.Offset)
		if !ok {
			return fmt.Errorf("%s is mapped where it has nothing", m.Path)
		}
		for name := range j.objects {
			j.objects[name] += m.Start - at
		}
	}
	machine, err := unwind.OpenHotSpot(j.memory, func(name string) (addr uint64, ok bool) {
		addr, ok = j.objects[name]
		return addr, ok
	})
	if errors.Is(err, unwind.ErrNoCodeCache) {
		j.begins = machine
	} else {
		j.machine = machine
	}
	return err
}

// maxObjects bounds the exported objects that are kept of a library. HotSpot describes itself by
// some 50.
const maxObjects = 512

// objects returns a library's exported objects whose names begin with prefix: addresses in its own
// numbering, by name.
func objects(f *file, prefix string) (list map[string]uint64, err error) {
	e := f.elf
	section := e.SectionByType(elf.SHT_DYNSYM)
	if section == nil || int(section.Link) >= len(e.Sections) || e.Class != elf.ELFCLASS64 {
		return nil, fmt.Errorf("%s exports nothing", f.path)
	}
	r, ok1 := sectionOf(section)
	text, ok2 := sectionOf(e.Sections[section.Link])
	if !ok1 || !ok2 {
		return nil, fmt.Errorf("%s exports nothing that can be read", f.path)
	}
	list = map[string]uint64{}
	err = records(r, elf.Sym64Size, f.budget, func(b []byte) bool {
		info, where := b[4], elf.SectionIndex(e.ByteOrder.Uint16(b[6:]))
		if elf.ST_TYPE(info) != elf.STT_OBJECT || where == elf.SHN_UNDEF {
			return true
		}
		if name := (fileText{text}).name(e.ByteOrder.Uint32(b)); strings.HasPrefix(name, prefix) {
			list[name] = e.ByteOrder.Uint64(b[8:])
		}
		return len(list) < maxObjects
	})
	return list, err
}
