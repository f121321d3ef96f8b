package methods

import (
	"fmt"
	"os"
	"strconv"

	"github.com/ebb-energy/ebb/internal/app/run/part"
	"github.com/ebb-energy/ebb/internal/energy/attribution"
	"github.com/ebb-energy/ebb/internal/instrumented"
	"github.com/ebb-energy/ebb/internal/safefile"
	"github.com/ebb-energy/ebb/internal/sandbox"
	"github.com/ebb-energy/ebb/units"
)

// openRegions creates the pipe for the program's marks, and has the sandbox child read it.
func openRegions(r *part.Run, m *methods, c *attribution.Config) (err error) {
	if m.reader == nil {
		// Threads alone: the child is there for the marks.
		if m.markReader, err = sandbox.Start(); err != nil {
			return err
		}
		m.opened.Push(m.markReader.Close)
		c.Reader = marksAlone{host: m.markReader}
	} else {
		m.markReader = m.reader
	}
	uid, gid := marker(r)
	if m.pipe, err = safefile.NewPipe(uid, gid); err != nil {
		return fmt.Errorf("--regions: %w", err)
	}
	m.opened.Push(m.pipe.Close)
	m.markReader.ReadMarks(m.pipe.Reader)
	c.Marks = m.markReader
	r.Marks = m.mayMark()
	return nil
}

// marker returns the user who may mark besides root: the one that the command runs as, and for a
// target that runs already the one who called sudo.
func marker(r *part.Run) (uid, gid uint32) {
	if r.Identity != nil {
		return r.Identity.UID, r.Identity.GID
	}
	uid, gid = uint32(os.Geteuid()), uint32(os.Getegid())
	if r.Settings.Attaches() && uid == 0 {
		u, errU := strconv.ParseUint(os.Getenv("SUDO_UID"), 10, 31)
		g, errG := strconv.ParseUint(os.Getenv("SUDO_GID"), 10, 31)
		if errU == nil && errG == nil {
			return uint32(u), uint32(g)
		}
	}
	return uid, gid
}

// marksAlone reads marks in a run that samples nothing.
type marksAlone struct {
	attribution.Unsampled
	host *sandbox.Host
}

// Poll takes over the answers that have come.
func (m marksAlone) Poll(at units.Instant) { m.host.Poll(at) }

// Problems returns the sandbox's problems.
func (m marksAlone) Problems() []string { return m.host.Problems() }

// mayMark says where a program writes its marks.
func (m *methods) mayMark() string {
	return fmt.Sprintf("regions are marked by ebb mark, or lines in %s (%s)", m.pipe.Path,
		instrumented.MarksVariable)
}
