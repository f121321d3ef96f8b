package symbols

import (
	"debug/elf"
	"errors"
	"fmt"
	"os"
)

// Image is one program in one process. When the process executes another program, or its id goes to
// another process, that is another image. The caller gives out the numbers; zero is noImage.
type Image uint32

// noImage stands for programs that have gone, with all that could be found out about them.
const noImage Image = 0

// Source opens what a Resolver reads. It opens only regular files, apart from those of /proc. The
// error fs.ErrNotExist says that there is no such file.
type Source interface {
	// Maps opens a process's list of mappings (/proc/PID/maps).
	Maps(Image) (*os.File, error)
	// Memory opens its memory (/proc/PID/mem).
	Memory(Image) (*os.File, error)
	// Mapped opens the file that is mapped at a range of its addresses.
	Mapped(i Image, start, end uint64) (*os.File, error)
	// Debug opens the nth file, from 0 on, that may have the symbols of the file mapped there, by
	// its build id and the name in its .gnu_debuglink section, either of which may be empty.
	Debug(i Image, start, end uint64, buildID []byte, link string, nth int) (*os.File, error)
	// Status opens what the kernel says of the process (/proc/PID/status).
	Status(Image) (*os.File, error)
	// CommandLine opens its command line (/proc/PID/cmdline).
	CommandLine(Image) (*os.File, error)
	// PerfMap opens the list of code that a process's virtual machine compiled.
	PerfMap(Image) (*os.File, error)
	// Auxiliary opens the list that the kernel gave its program at the start (/proc/PID/auxv).
	Auxiliary(Image) (*os.File, error)
	// Program returns nil if a path, as the process sees it, is its program, or if the path's last
	// name in the program's own directory is.
	Program(i Image, path string) error
	// Release opens the os-release file of the process's root.
	Release(Image) (*os.File, error)
	// KernelSymbols opens the kernel's list of its functions (/proc/kallsyms).
	KernelSymbols() (*os.File, error)
	// Times returns the present time and when a file was made, in ns of CLOCK_MONOTONIC, the latter
	// 0 where it is not known, and by how many ns CLOCK_REALTIME is ahead.
	Times(*os.File) (now, made uint64, ahead int64, err error)
}

// regularELF reads the headers of an open ELF file. It closes f if it fails.
func regularELF(f *os.File) (_ *elf.File, err error) {
	e, err := func() (*elf.File, error) {
		info, err := f.Stat()
		if err != nil {
			return nil, err
		}
		if !info.Mode().IsRegular() {
			return nil, fmt.Errorf("%s is not a regular file", f.Name())
		}
		return readELF(f)
	}()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return e, nil
}
