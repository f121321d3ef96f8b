package rapl

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/units"
)

const powerDir = "bus/event_source/devices/power"

// pmuEvents are the PMU's events and the parts of the machine that they cover.
var pmuEvents = []struct {
	name string
	kind Kind
}{
	{"energy-pkg", Package}, {"energy-cores", Cores}, {"energy-gpu", Graphics},
	{"energy-ram", Memory}, {"energy-psys", Platform},
}

// pmuEvent is one event by the kernel's description.
type pmuEvent struct {
	config uint64
	scale  float64 // J per count
}

// openPMU opens the events of the PMU "power". Each event is counted on the CPUs of its cpumask:
// one for each package, or die.
func (m *Meters) openPMU(fs *sysfs.FS, open eventOpener) {
	kind, err := fs.ReadInt(powerDir + "/type")
	if err != nil {
		return
	}
	cpus, err := pmuCPUs(fs)
	if err != nil {
		return
	}
	machine, err := sysfs.ReadLayout(fs)
	if err != nil {
		return
	}
	for _, e := range pmuEvents {
		event, err := readEvent(fs, e.name)
		if err != nil {
			continue
		}
		dies := map[sysfs.Package]int{}
		for _, cpu := range cpus {
			place, ok := machine.Place(cpu)
			if !ok {
				continue
			}
			z := Zone{Kind: e.kind, Package: place.Package,
				Die: dies[place.Package], Source: powerPMU}
			dies[place.Package]++
			if e.kind == Platform && m.find(&z) >= 0 {
				continue
			}
			r, err := open(uint32(kind), &event, cpu)
			if err != nil {
				continue // the powercap class may have the event's zone
			}
			m.take(z, r, 0, nil)
		}
	}
}

func pmuCPUs(fs *sysfs.FS) ([]sysfs.CPU, error) {
	text, err := fs.Read(powerDir + "/cpumask")
	if err != nil {
		return nil, err
	}
	return sysfs.ParseCPUs(text)
}

// readEvent reads an event's description: "event=0x02", the joules per count and that they are
// joules.
func readEvent(fs *sysfs.FS, name string) (pmuEvent, error) {
	path := powerDir + "/events/" + name
	text, err := fs.Read(path)
	if err != nil {
		return pmuEvent{}, err
	}
	number, ok := strings.CutPrefix(text, "event=")
	config, err := strconv.ParseUint(number, 0, 64)
	if !ok || err != nil {
		return pmuEvent{}, fmt.Errorf("read %s: %w: %.40q", path, sysfs.ErrMalformed, text)
	}
	unit, err := fs.Read(path + ".unit")
	if err != nil {
		return pmuEvent{}, err
	}
	text, err = fs.Read(path + ".scale")
	if err != nil {
		return pmuEvent{}, err
	}
	scale, err := strconv.ParseFloat(text, 64)
	if err != nil || !(scale > 0 && scale < 1000) || unit != "Joules" {
		return pmuEvent{}, fmt.Errorf("read %s.scale: %w: %.40q %.40q", path, sysfs.ErrMalformed,
			text, unit)
	}
	return pmuEvent{config: config, scale: scale}, nil
}

// eventOpener opens an event of the PMU with the kernel's number kind.
type eventOpener func(kind uint32, e *pmuEvent, cpu sysfs.CPU) (meter, error)

func openEvent(kind uint32, e *pmuEvent, cpu sysfs.CPU) (meter, error) {
	attr := unix.PerfEventAttr{Type: kind,
		Size: uint32(unsafe.Sizeof(unix.PerfEventAttr{})), Config: e.config}
	fd, err := unix.PerfEventOpen(&attr, -1, int(cpu), -1, unix.PERF_FLAG_FD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("count energy on CPU %d: %w", cpu, err)
	}
	return &pmuMeter{fd, e.scale}, nil
}

// pmuMeter is an open event.
type pmuMeter struct {
	fd    int
	scale float64
}

var errShort = errors.New("a count of less than 8 bytes")

func (m *pmuMeter) read() (units.Energy, error) {
	var b [8]byte
	// Go's scheduler does not see this call: a counter is read at once, and the scheduler's monitor
	// thread would wake to look after the call.
	n, _, errno := unix.RawSyscall(unix.SYS_READ, uintptr(m.fd), uintptr(unsafe.Pointer(&b)),
		uintptr(len(b)))
	var err error
	switch {
	case errno != 0:
		err = errno
	case n != uintptr(len(b)):
		err = errShort
	}
	if err != nil {
		return 0, fmt.Errorf("read energy event: %w", err)
	}
	return inNanojoules(binary.NativeEndian.Uint64(b[:]), m.scale), nil
}

// inNanojoules scales a count. A double holds counts up to 2^53 exactly, at 2^-32 J each two
// megajoules; beyond, it is a few parts in 10^16 off, which for the difference of two readings
// would matter from some gigajoules on.
func inNanojoules(count uint64, scale float64) units.Energy {
	return units.Energy(float64(count) * (scale * 1e9))
}

func (m *pmuMeter) close() error { return unix.Close(m.fd) }
