package main

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// source is one of Debian's programs, with the kernel of its name that drives it.
type source struct {
	name, argument string // argument: it has the kernel run for about a third of a second
	dir            string // directory of its sources, below that of all sources
	files, options []string
}

var debian = []source{
	{"bzip2", "3", "bzip2-1.0.8", []string{"blocksort.c", "huffman.c", "crctable.c", "randtable.c",
		"compress.c", "decompress.c", "bzlib.c"}, []string{"-DBZ_NO_STDIO"}},
	{"sqlite", "10", "sqlite3-3.40.1", []string{"sqlite3.c"},
		[]string{"-DSQLITE_THREADSAFE=0", "-DSQLITE_OMIT_LOAD_EXTENSION", "-lm"}},
}

// there are the sources that the script has fetched. Of the others it has written down why not.
func (b *bench) there() (list []source, missing []string) {
	for _, s := range debian {
		at := filepath.Join(b.sources, s.dir)
		if _, err := os.Stat(filepath.Join(at, s.files[len(s.files)-1])); err == nil {
			list = append(list, s)
			continue
		}
		why, err := os.ReadFile(at + ".why")
		if err != nil {
			why = []byte("tools/safari.sh has not fetched it")
		}
		missing = append(missing, fmt.Sprintf("%s: not measured: %s", s.name, why))
	}
	return list, missing
}

// compileSources compiles what is there in each way.
func (b *bench) compileSources() error {
	list, _ := b.there()
	for _, s := range list {
		at := filepath.Join(b.sources, s.dir)
		every := maps.Clone(ways)
		every[counting] = []string{"-finstrument-functions", filepath.Join(sources, "count.c")}
		for way, options := range every {
			args := append([]string{"-O2", "-w", "-I" + at, filepath.Join(sources, s.name+".c")},
				options...)
			for _, f := range s.files {
				args = append(args, filepath.Join(at, f))
			}
			out := b.program(s.name, false, way)
			if newer(out, filepath.Join(sources, s.name+".c"), filepath.Join(sources, "kernels.h"),
				filepath.Join(sources, "count.c")) {
				continue // SQLite takes a while
			}
			args = append(append(args, s.options...), "-o", out)
			if err := gcc(args); err != nil {
				return err
			}
		}
	}
	return nil
}

// newer reports whether a file is there and newer than all others.
func newer(path string, than ...string) bool {
	made, err := os.Stat(path)
	if err != nil {
		return false
	}
	for _, p := range than {
		if info, err := os.Stat(p); err != nil || info.ModTime().After(made.ModTime()) {
			return false
		}
	}
	return true
}

// counting is the way of the programs that count their calls.
const counting = "counting"

// called runs a program that counts its calls.
func (b *bench) called(name, argument string) (calls float64, err error) {
	program := b.program(name, false, counting)
	out, err := exec.Command(program, argument).Output()
	if err != nil {
		return 0, fmt.Errorf("%s: %w", program, err)
	}
	_, last, _ := strings.Cut(string(out), "calls ")
	_, err = fmt.Sscan(last, &calls)
	return calls, err
}
