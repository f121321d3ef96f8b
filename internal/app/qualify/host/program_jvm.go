package host

import (
	_ "embed"
	"fmt"
	"io"
	"path/filepath"
	"strconv"

	"github.com/ebb-energy/ebb/internal/safefile"
)

// class is the class file that javac --release 8 -g:none makes of EbbQualify.java.
//
//go:embed java/EbbQualify.class
var class []byte

// classes is the first argument of a JVM that runs the program.
const classes = "-cp"

// unpackJVM writes the program of a JVM into a directory.
func unpackJVM(dir string) error {
	err := safefile.Whole(filepath.Join(dir, "EbbQualify.class"), func(w io.Writer) error {
		_, err := w.Write(class)
		return err
	})
	if err != nil {
		return fmt.Errorf("unpack the program of a JVM: %w", err)
	}
	return nil
}

// runJVM returns the command of the JVM's program, which was unpacked into a directory.
func runJVM(java, dir string, work uint64, threads int) []string {
	return []string{java, classes, dir, "-Xmx128m", "EbbQualify", strconv.FormatUint(work, 10),
		strconv.Itoa(threads)}
}
