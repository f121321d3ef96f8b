package symbols

import (
	"debug/elf"
	"errors"
	"fmt"
	"os"
)

// Image is one program in one process: when the process executes another one, or its id is another
// process's, that is another image. The caller gives out the numbers; zero is noImage.
type Image uint32

// noImage is a program that has gone, with all that could be found out about it.
const noImage Image = 0

// Source opens what a Resolver reads. Regular files only are opened, but for those of /proc. An
// error that is fs.ErrNotExist says that there is no such thing.
type Source interface {
	// Maps is a process's list of mappings (/proc/PID/maps).
	Maps(Image) (*os.File, error)
	// Memory is its memory (/proc/PID/mem).
	Memory(Image) (*os.File, error)
	// Mapped is the file that is mapped at a range of its addresses.
	Mapped(i Image, start, end uint64) (*os.File, error)
	// Debug is the nth file, from 0 on, that may have the symbols of the file mapped there, by its
	// build id and the name in its .gnu_debuglink section, either of which may be empty.
	Debug(i Image, start, end uint64, buildID []byte, link string, nth int) (*os.File, error)
	// Status is what the kernel says of the process (/proc/PID/status).
	Status(Image) (*os.File, error)
	// CommandLine is its command line (/proc/PID/cmdline).
	CommandLine(Image) (*os.File, error)
	// PerfMap is the list of code that a process's virtual machine compiled.
	PerfMap(Image) (*os.File, error)
	// Auxiliary is what the kernel gave its program at the start (/proc/PID/auxv).
	Auxiliary(Image) (*os.File, error)
	// Program returns nil if a path of the process's is its program, or if its name beside the
	// program is.
	Program(i Image, path string) error
	// Release is the os-release file of the process's root.
	Release(Image) (*os.File, error)
	// KernelSymbols is the kernel's list of its functions (/proc/kallsyms).
	KernelSymbols() (*os.File, error)
	// Times are the time now and when a file was made, in ns of CLOCK_MONOTONIC, 0 where that is
	// not known, and the time that CLOCK_REALTIME is ahead.
	Times(*os.File) (now, made uint64, ahead int64, err error)
}

// regularELF reads an open ELF file. It closes f if it fails.
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
