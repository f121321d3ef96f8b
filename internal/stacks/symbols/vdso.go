package symbols

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/ebb-energy/ebb/internal/stacks/unwind"
)

// vdso holds the code that the kernel maps into every process.
type vdso struct {
	functions *file
	size      uint64
}

// inVDSO returns the frame of an address in a process's mapping of the kernel's code, by this
// process's own mapping. Both are the same in processes of the same kind, which the size shows.
func (r *Resolver) inVDSO(m *mapping, addr uint64) Frame {
	if v := r.ownVDSO(); m.End-m.Start == v.size {
		if s, ok := v.functions.find(addr - m.Start); ok {
			return native(s.symbol, "[vdso]")
		}
	}
	return Frame{Name: "[vdso]", Module: "[vdso]"}
}

// ownVDSO returns the kernel's code in this process, which it reads once. It is empty where it
// cannot be read.
func (r *Resolver) ownVDSO() *vdso {
	if r.vdso == nil {
		v, err := readVDSO()
		if err != nil {
			r.problem("%v", err)
			v = &vdso{functions: &file{frames: &unwind.Table{}}}
		}
		r.vdso = v
	}
	return r.vdso
}

// readVDSO reads the kernel's code in this process.
func readVDSO() (v *vdso, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("read the kernel's code in processes: %w", err)
		}
	}()
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return nil, err
	}
	for _, m := range parseMaps(string(maps)) {
		if !strings.HasPrefix(m.Path, "[vdso]") {
			continue
		}
		mem, err := os.Open("/proc/self/mem")
		if err != nil {
			return nil, err
		}
		defer mem.Close()
		image := make([]byte, m.End-m.Start)
		if _, err := mem.ReadAt(image, int64(m.Start)); err != nil {
			return nil, err
		}
		e, err := readELF(bytes.NewReader(image))
		if err != nil {
			return nil, err
		}
		f := newFile(e)
		f.frames = unwind.Read(e)
		return &vdso{functions: f, size: m.End - m.Start}, nil
	}
	return nil, errors.New("this process has none")
}
