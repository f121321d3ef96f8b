package machine

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/energy/groups"
	"github.com/ebb-energy/ebb/internal/power/wattmeter"
	"github.com/ebb-energy/ebb/internal/safefile"
	"github.com/ebb-energy/ebb/units"
)

// shareFile is a guest's file, in a directory of its own: a host shares directories.
const shareFile = "energy.json"

// guests writes for each virtual machine the energy that it used, for the guest to read.
type guests struct {
	dir      string
	sequence uint64
	last     map[string]*guest // by name
	several  map[string]bool   // names of several guests
}

// guest is the state of one guest's file.
type guest struct {
	had     units.Energy // energy written so far, idle energy included
	known   bool         // a window before this one has set had
	written bool         // ebb wrote a file, which it removes with the guest
	problem string       // why the last line could not be written; "" where it could
}

func newGuests(dir string) *guests {
	return &guests{dir: dir, last: map[string]*guest{}, several: map[string]bool{}}
}

// errOthersDirectory says that another user could put something else in a guest's place.
var errOthersDirectory = errors.New("other users may write the directory: give one of your own")

// checkGuests returns an error for a directory that is missing, or that other users can write. It
// accepts "".
func checkGuests(dir string) error {
	if dir == "" {
		return nil
	}
	return checkOwn(dir)
}

// checkOwn returns an error unless this user alone can write the directory.
func checkOwn(dir string) error {
	var st unix.Stat_t
	if err := unix.Lstat(dir, &st); err != nil {
		return &os.PathError{Op: "look at", Path: dir, Err: err}
	}
	switch {
	case st.Mode&unix.S_IFMT != unix.S_IFDIR:
		return fmt.Errorf("%s is no directory", dir)
	case st.Uid != uint32(os.Geteuid()) || st.Mode&0o022 != 0:
		return fmt.Errorf("%s: %w", dir, errOthersDirectory)
	}
	return nil
}

// fileOf returns the path of a guest's file. The guest's user may have chosen its name, so every
// character but letters, digits, points and hyphens is escaped, and so is a point at the begin.
func (g *guests) fileOf(guest string) string {
	var b strings.Builder
	for i := range len(guest) {
		c := guest[i]
		plain := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-'
		if plain || c == '.' && i > 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "_%02x", c)
		}
	}
	return filepath.Join(g.dir, b.String(), shareFile)
}

// mostName bounds a guest's name in bytes. Escaped, it has three times as many, and a directory's
// name has 255 at most.
const mostName = 80

// write writes the window that has ended, which lasted every. known says that its energy is known.
// here are the groups that exist. A guest that is gone loses its file, and so do guests of one
// name, whose energy is not known apart. A guest whose file cannot be written keeps its last line,
// which it takes for stale. Its error comes back once for each new reason, and the next window
// tries again.
func (g *guests) write(
	r *Report, here []groups.Use, every time.Duration, known bool,
) (problems []error) {
	g.sequence++
	there := map[string]bool{}
	for i := range here {
		n := here[i].Group
		if n.Kind != groups.VM || n.Name == "" || len(n.Name) > mostName {
			continue
		}
		if here[i].Several && !g.several[n.Name] {
			problems = append(problems, fmt.Errorf("several guests have the name %q for their "+
				"host: none of them gets a share", n.Name))
		}
		g.several[n.Name] = here[i].Several
		there[n.Name] = !here[i].Several
	}
	for i := range r.Groups {
		x := &r.Groups[i]
		if x.Kind != groups.VM || !there[x.Name] {
			continue
		}
		if err := g.put(g.line(r, x, every, known)); err != nil {
			problems = append(problems, err)
		}
	}
	for name, last := range g.last {
		if there[name] {
			continue
		}
		if err := g.remove(name, last); err != nil {
			problems = append(problems, err)
		}
		delete(g.last, name)
	}
	maps.DeleteFunc(g.several, func(name string, several bool) bool {
		_, is := there[name]
		return !several || !is
	})
	return problems
}

// line returns a guest's line for a window. Its energy is the sum so far; the difference of two
// lines is a window's.
func (g *guests) line(r *Report, x *Group, every time.Duration, known bool) *wattmeter.Share {
	idle := r.sum(x, func(j *joule) int64 {
		if j.IdleNJ == nil {
			return 0
		}
		return *j.IdleNJ
	})
	all := r.sum(x, func(j *joule) int64 { return j.EnergyNJ }) + idle
	line := &wattmeter.Share{Version: wattmeter.ShareVersion, Guest: x.Name, Source: r.Power,
		Sequence: g.sequence, IntervalNS: int64(every), EnergyNJ: int64(all), IdleNJ: int64(idle)}
	last := g.last[x.Name]
	if last == nil {
		last = &guest{}
		g.last[x.Name] = last
	}
	if last.known && known && all >= last.had {
		line.LastNJ = new(int64(all - last.had))
	}
	last.had, last.known = all, true
	return line
}

// put writes a guest's line. It returns nil if the error is the same as the last time.
func (g *guests) put(line *wattmeter.Share) error {
	last := g.last[line.Guest]
	err := g.replace(line)
	if err == nil {
		last.written, last.problem = true, ""
		return nil
	}
	said := last.problem
	if last.problem = err.Error(); last.problem == said {
		return nil
	}
	return fmt.Errorf("the guest %q has no new share: %w", line.Guest, err)
}

func (g *guests) replace(line *wattmeter.Share) error {
	text, err := json.Marshal(line)
	if err != nil {
		return fmt.Errorf("write it as JSON: %w", err)
	}
	file := g.fileOf(line.Guest)
	if err := safefile.Directory(filepath.Dir(file)); err != nil {
		return fmt.Errorf("make its directory: %w", err)
	}
	if err := checkOwn(filepath.Dir(file)); err != nil {
		return err
	}
	return toFile(file, append(text, '\n'))
}

// remove removes the file that ebb wrote, and its directory where that is empty.
func (g *guests) remove(name string, last *guest) error {
	if !last.written {
		return nil
	}
	file := g.fileOf(name)
	if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("remove a guest's share: %w", err)
	}
	_ = os.Remove(filepath.Dir(file)) // it may be mounted in the guest, or hold other files
	return nil
}

// end removes all files, because they are not written any more.
func (g *guests) end() error {
	var errs []error
	for name, last := range g.last {
		errs = append(errs, g.remove(name, last))
	}
	return errors.Join(errs...)
}
