package symbols

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"strings"
)

// waiters lists functions in which threads of a runtime wait by spinning, by the beginnings of
// their names, and the name that their library gets in a frame.
var waiters = []struct {
	library   string
	functions []string
}{
	{"libgomp", []string{"gomp_barrier_wait", "gomp_team_barrier_wait", "gomp_mutex_lock_slow",
		"gomp_sem_wait_slow", "gomp_ptrlock_get_slow"}},
	{"libomp", []string{"__kmp_wait_", "bool __kmp_wait_", "__kmp_hyper_barrier_",
		"kmp_flag_32<", "kmp_flag_64<", "kmp_flag_oncore::wait", "__kmp_acquire_"}},
	{"Open MPI", []string{"opal_progress", "mca_btl_vader_component_progress",
		"mca_btl_sm_component_progress", "ompi_sync_wait", "ompi_request_default_wait"}},
	{"MPICH", []string{"MPIDI_CH3I_Progress", "MPIDI_POSIX_progress", "MPIDI_progress_",
		"MPID_Progress_wait", "MPIDI_Progress_"}},
	{"UCX", []string{"ucp_worker_progress", "uct_mm_iface_progress", "ucs_callbackq_"}},
	{"libjvm", []string{"SpinPause", "ObjectMonitor::TrySpin", "ObjectMonitor::try_spin"}},
}

// runtimes lists the files of these libraries, by the beginnings of their names.
var runtimes = []struct{ library, file string }{
	{"libgomp", "libgomp."}, {"libomp", "libomp."}, {"libomp", "libomp5."}, {"libomp", "libiomp5."},
	{"Open MPI", "libopen-pal."}, {"Open MPI", "libmpi."}, {"Open MPI", "mca_btl_"},
	{"MPICH", "libmpich."}, {"UCX", "libucp."}, {"UCX", "libuct"}, {"UCX", "libucs."},
	{"libjvm", "libjvm.so"},
}

// waits returns the frame of code, or, if a thread waits by spinning there, one that is named after
// the library. Such code is a known function of a runtime. In code without a name, and in a
// runtime's, it is also a short loop with the instruction PAUSE.
func (f *file) waits(out Frame, at uint64) Frame {
	if out.Kind == kindNative {
		for _, w := range waiters {
			for _, name := range w.functions {
				if strings.HasPrefix(out.Name, name) {
					return spinning(out.Module, w.library)
				}
			}
		}
	}
	library := ""
	for _, r := range runtimes {
		if strings.HasPrefix(out.Module, r.file) {
			library = r.library
		}
	}
	if out.Kind == kindNative && library == "" || !f.pauses(at) {
		return out
	}
	if library == "" {
		library = out.Module
	}
	return spinning(out.Module, library)
}

func spinning(module, library string) Frame {
	return Frame{Name: "[spins in " + library + "]", Module: module, Kind: kindNative}
}

const (
	loopSize = 64 // most bytes of a loop that waits
	leafSize = 16 // most bytes of a function that does nothing but wait once
)

// pause is the instruction PAUSE of x86-64.
var pause = []byte{0xf3, 0x90}

// pauses reports whether an address of the file lies in a short loop with PAUSE, or in a function
// that is little more than one, as HotSpot's SpinPause.
func (f *file) pauses(addr uint64) bool {
	if f.elf.Machine != elf.EM_X86_64 {
		return false
	}
	code, at := f.around(addr)
	for from := 0; ; from++ {
		k := bytes.Index(code[from:], pause)
		if k < 0 {
			return false
		}
		from += k
		if looped(code, from, at) || within(from, at, leafSize) &&
			bytes.IndexByte(code[from:min(from+leafSize, len(code))], 0xc3) >= 0 {
			return true
		}
	}
}

func within(a, b, most int) bool { return a-b <= most && b-a <= most }

// around returns the code around an address, and the address's index in it; nil where it cannot be
// read.
func (f *file) around(addr uint64) (code []byte, at int) {
	for _, p := range f.elf.Progs {
		if addr < p.Vaddr || addr-p.Vaddr >= p.Filesz || p.Flags&elf.PF_X == 0 {
			continue
		}
		offset := addr - p.Vaddr
		from := offset - min(offset, loopSize)
		code = make([]byte, min(p.Filesz-from, 2*loopSize))
		if n, err := p.ReadAt(code, int64(from)); err != nil || n < len(code) {
			return nil, 0
		}
		return code, int(offset - from)
	}
	return nil, 0
}

// looped reports whether a backward jump closes a short loop that holds both places.
func looped(code []byte, pause, at int) bool {
	first, last := min(pause, at), max(pause, at)
	// The sampled address can be the jump itself.
	for j := pause + 2; j < len(code) && j-first <= loopSize; j++ {
		length, by := jump(code[j:])
		if length == 0 || by >= 0 {
			continue
		}
		to := j + length + by
		if to <= first && j+length > last && j-to <= loopSize {
			return true
		}
	}
	return false
}

// jump returns the length of the jump that the code begins with, and by how many bytes it jumps; 0,
// 0 for other code.
func jump(code []byte) (length, by int) {
	switch {
	case len(code) >= 2 && (code[0]&0xf0 == 0x70 || code[0] == 0xeb):
		return 2, int(int8(code[1]))
	case len(code) >= 5 && code[0] == 0xe9:
		return 5, int(int32(binary.LittleEndian.Uint32(code[1:])))
	case len(code) >= 6 && code[0] == 0x0f && code[1]&0xf0 == 0x80:
		return 6, int(int32(binary.LittleEndian.Uint32(code[2:])))
	}
	return 0, 0
}
