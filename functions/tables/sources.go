package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/ebb-energy/ebb/functions/layout"
	"github.com/ebb-energy/ebb/functions/rings"
)

// source is a program of Debian's that a kernel of that name drives.
type source struct {
	name, argument string // that has the kernel run for about a third of a second
	dir            string // of the sources, below the directory of all
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
			why = []byte("scripts/safari.sh has not fetched it")
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
		for way, options := range ways {
			args := append([]string{"-O2", "-w", "-I" + at, filepath.Join(sources, s.name+".c")},
				options...)
			for _, f := range s.files {
				args = append(args, filepath.Join(at, f))
			}
			args = append(append(args, s.options...), "-o", b.program(s.name, false, way))
			if err := gcc(args); err != nil {
				return err
			}
		}
	}
	return nil
}

// called counts the calls of a program by the library itself.
func (b *bench) called(program, argument string) (calls float64, err error) {
	s := setting{follow: &layout.Settings{Records: 1}}
	s.ended = func(r *rings.Reader) {
		r.Calls(0, layout.Places, func(c *layout.Calls) { calls += float64(c.Calls) })
	}
	_, err = b.run(&s, program, argument)
	return calls, err
}
