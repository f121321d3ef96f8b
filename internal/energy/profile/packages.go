package profile

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// distribution describes how a distribution ships the symbols that it strips.
type distribution struct {
	ids []string // ids in os-release(5)
	// install is a command for packages that have files, by the files' paths or the packages' names
	install func(n []*Nameless) string
	source  func(codename string) string // source of such packages, not configured by default
	server  string                       // server with the files of symbols, by build id
}

// everybodys is a server for the symbols of all distributions.
const everybodys = "https://debuginfod.elfutils.org"

var distributions = []distribution{
	{ids: []string{"debian"}, install: apt, server: "https://debuginfod.debian.net",
		source: func(codename string) string {
			if codename == "" {
				codename = "unstable"
			}
			return "deb http://deb.debian.org/debian-debug " + codename + "-debug main"
		}},
	{ids: []string{"ubuntu"}, install: apt, server: "https://debuginfod.ubuntu.com",
		source: func(codename string) string {
			return "deb http://ddebs.ubuntu.com " + codename + " main universe"
		}},
	{ids: []string{"fedora"}, install: dnf, server: "https://debuginfod.fedoraproject.org"},
	{ids: []string{"centos"}, install: dnf, server: "https://debuginfod.centos.org"},
	{ids: []string{"rhel", "rocky", "almalinux", "ol"}, install: dnf, server: everybodys},
	{ids: []string{"opensuse-leap", "opensuse-tumbleweed", "opensuse", "suse", "sles"},
		install: zypper, server: "https://debuginfod.opensuse.org"},
	{ids: []string{"arch"}, server: "https://debuginfod.archlinux.org"},
}

// apt installs the packages that have a file's symbols, by the name of the one that has the file,
// else by the file's symbols.
func apt(files []*Nameless) string {
	var names, paths []string
	for _, n := range files {
		if isPackage(n.Package) {
			names = append(names, debugPackage(n.Package))
		} else if installed(n.Path) {
			paths = append(paths, n.Path)
		}
	}
	var parts []string
	if len(names) > 0 {
		parts = append(parts, "sudo apt install "+joined(names))
	}
	if len(paths) > 0 {
		parts = append(parts, "find-dbgsym-packages --install "+joined(paths)+
			" (of debian-goodies)")
	}
	return strings.Join(parts, "; ")
}

// debugPackage returns the name of a package's symbols. A package of another architecture keeps
// that in its name.
func debugPackage(name string) string {
	name, arch, other := strings.Cut(name, ":")
	name += "-dbgsym"
	if other {
		name += ":" + arch
	}
	return name
}

func dnf(files []*Nameless) string {
	return byPaths(files, "sudo dnf debuginfo-install $(rpm -qf %s)")
}

func zypper(files []*Nameless) string {
	return byPaths(files, "sudo zypper --plus-content debug install "+
		"$(rpm -qf --qf '%%{NAME}-debuginfo ' %s)")
}

func byPaths(files []*Nameless, format string) string {
	var paths []string
	for _, n := range files {
		if installed(n.Path) {
			paths = append(paths, n.Path)
		}
	}
	if len(paths) == 0 {
		return ""
	}
	return fmt.Sprintf(format, joined(paths))
}

// joined returns the words of a command, each once.
func joined(words []string) string {
	slices.Sort(words)
	return strings.Join(slices.Compact(words), " ")
}

// patterns are those of the words that a command may contain. The program chose its files' names
// and its root's records of packages, and somebody will copy the command. So nothing stands in it
// that a shell or a package tool could take for more than the name of a package, or for a file that
// a package has installed.
var patterns = sync.OnceValue(func() (of struct{ packageName, codeName, filePath *regexp.Regexp }) {
	of.packageName = regexp.MustCompile(`^[a-z0-9][a-z0-9+.-]+(:[a-z0-9]+)?$`)
	of.codeName = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$`)
	of.filePath = regexp.MustCompile(`^/(usr|lib|opt)(/[A-Za-z0-9+_:.-]+)+$`)
	return of
})

func isPackage(s string) bool { return len(s) <= maxName && patterns().packageName.MatchString(s) }

func isCodename(s string) bool { return len(s) <= maxName && patterns().codeName.MatchString(s) }

// installed reports whether a path is one where packages put programs and libraries, and no package
// itself: a tool would install that.
func installed(path string) bool {
	return len(path) <= maxName && patterns().filePath.MatchString(path) &&
		filepath.Clean(path) == path &&
		!slices.Contains([]string{".rpm", ".deb"}, strings.ToLower(filepath.Ext(path)))
}

// distributionOf finds a distribution by its name, or by those that it is made from.
func distributionOf(n *Nameless) *distribution {
	for _, id := range append([]string{n.Distribution}, strings.Fields(n.Like)...) {
		for i := range distributions {
			if slices.Contains(distributions[i].ids, id) {
				return &distributions[i]
			}
		}
	}
	return nil
}

// toName has the commands that name the functions of files that have build ids, by the distribution
// of each.
func toName(files []*Nameless) (lines []string) {
	of, order := map[*distribution][]*Nameless{}, []*distribution{}
	for _, n := range files {
		d := distributionOf(n)
		if of[d] == nil {
			order = append(order, d)
		}
		of[d] = append(of[d], n)
	}
	for _, d := range order {
		server := everybodys
		if d != nil {
			server = d.server
		}
		if d != nil && d.install != nil {
			if s := d.install(of[d]); s != "" {
				lines = append(lines, "to name them: "+s+d.from(of[d])+
					"; then ebb report --debug-dir /usr/lib/debug REPORT, or run it again")
			}
		}
		lines = append(lines, "to name them by a server that has the symbols: DEBUGINFOD_URLS="+
			server+" ebb report --debuginfod REPORT")
	}
	return lines
}

// from returns the source of the packages, for a sentence.
func (d *distribution) from(files []*Nameless) string {
	codename := files[0].Codename
	if d.source == nil || codename != "" && !isCodename(codename) {
		return ""
	}
	return fmt.Sprintf(", with %q among apt's sources", d.source(codename))
}
