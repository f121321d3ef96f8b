package machine

import (
	"encoding/json"
	"errors"
	"fmt"
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

// guests write for each virtual machine what it used, for the guest to read.
type guests struct {
	dir      string
	sequence uint64
	last     map[string]units.Energy // by guest: what it had, idle energy included
}

func newGuests(dir string) *guests { return &guests{dir: dir, last: map[string]units.Energy{}} }

// errOthersDirectory: another user could put something else in a guest's place.
var errOthersDirectory = errors.New("other users may write the directory: give one of your own")

// checkGuests refuses a directory that is not there, or that other users can write.
func checkGuests(dir string) error {
	if dir == "" {
		return nil
	}
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

// fileOf is a guest's file. Its user may have named it: what is no letter, digit, point or hyphen
// is escaped, and so is a point at the begin.
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

// mostName bounds a guest's name in bytes: escaped, it has three times as many, and a directory's
// name 255 at most.
const mostName = 80

// write writes the window that has ended: every is its length, and known says that its energy is
// known. Here are the groups that exist. A guest that is gone loses its file.
func (g *guests) write(r *Report, here []groups.Use, every time.Duration, known bool) error {
	g.sequence++
	there := map[string]bool{}
	for i := range here {
		if n := here[i].Group; n.Kind == groups.VM && n.Name != "" &&
			len(n.Name) <= mostName {
			there[n.Name] = true
		}
	}
	for i := range r.Groups {
		x := &r.Groups[i]
		if x.Kind != groups.VM || !there[x.Name] {
			continue
		}
		idle := r.sum(x, func(j *Joule) int64 {
			if j.IdleNJ == nil {
				return 0
			}
			return *j.IdleNJ
		})
		all := r.sum(x, func(j *Joule) int64 { return j.EnergyNJ }) + idle
		line := wattmeter.Share{Version: wattmeter.ShareVersion, Guest: x.Name, Source: r.Power,
			Sequence: g.sequence, IntervalNS: int64(every), EnergyNJ: int64(all),
			IdleNJ: int64(idle)}
		if was, seen := g.last[x.Name]; seen && known && all >= was {
			line.LastNJ = new(int64(all - was))
		}
		g.last[x.Name] = all
		if err := g.put(&line); err != nil {
			return err
		}
	}
	for guest := range g.last {
		if !there[guest] {
			delete(g.last, guest)
			if err := g.remove(guest); err != nil {
				return err
			}
		}
	}
	return nil
}

func (g *guests) put(line *wattmeter.Share) error {
	text, err := json.Marshal(line)
	if err != nil {
		return fmt.Errorf("write the share of %q: %w", line.Guest, err)
	}
	file := g.fileOf(line.Guest)
	if err := safefile.Directory(filepath.Dir(file)); err != nil {
		return fmt.Errorf("make a guest's directory: %w", err)
	}
	return toFile(file, append(text, '\n'))
}

// remove takes a guest's file and its empty directory away.
func (g *guests) remove(guest string) error {
	file := g.fileOf(guest)
	if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("remove a guest's share: %w", err)
	}
	_ = os.Remove(filepath.Dir(file)) // it may be mounted in the guest, or have more
	return nil
}

// end removes all files: nobody writes them any more.
func (g *guests) end() error {
	var errs []error
	for guest := range g.last {
		errs = append(errs, g.remove(guest))
	}
	return errors.Join(errs...)
}
