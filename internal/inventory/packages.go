package inventory

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// PackageLists is the directory in which the package manager has a list of each package's files.
const PackageLists = "/var/lib/dpkg/info"

// Bounds of what is read: a machine with 5000 packages has 60 MB of lists.
const (
	maxNames = 1 << 17  // most names of all kinds of files there; some four a package
	maxList  = 16 << 20 // most bytes of one list
)

// PackageOwners returns the packages that have files, by their paths, from the lists in a
// directory. The names of packages of this machine's architecture stand without it. A file without
// a package is left out. Since /lib and others have become links to directories below /usr, a list
// can have either path.
func PackageOwners(lists string, paths []string) map[string]string {
	wanted, found := map[string]string{}, map[string]string{}
	for _, p := range paths {
		wanted[p] = p
		if below, ok := strings.CutPrefix(p, "/usr/"); ok {
			wanted["/"+below] = p
		} else {
			wanted["/usr"+p] = p
		}
	}
	dir, err := os.Open(lists)
	if err != nil {
		return found // the machine has another package manager
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(maxNames) // the names read so far count
	for _, name := range names {
		of, ok := strings.CutSuffix(name, ".list")
		if !ok {
			continue
		}
		f, err := os.Open(filepath.Join(lists, name))
		if err != nil {
			continue
		}
		lines := bufio.NewScanner(io.LimitReader(f, maxList))
		for lines.Scan() {
			if p, ok := wanted[lines.Text()]; ok {
				found[p] = strings.TrimSuffix(of, ":"+runtime.GOARCH)
			}
		}
		_ = f.Close() // it was only read
	}
	return found
}
