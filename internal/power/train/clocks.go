package train

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/units"
)

// MostClocks bounds the number of clocks that a training sets in turn.
const MostClocks = 16

// Clocks holds the machine's clocks, to set them in turn while a training runs.
type Clocks struct {
	actuator cpufreq.Actuator
	at       []units.Frequency
	next     int
	missed   bool // a request was refused, or another program's came in between
}

// SetClocks takes control of the machine's clocks. It returns nil where they stay as they are:
// fewer than two were asked for, they cannot be set, or another program sets them. Say gets a
// sentence with the reason, unless one clock was asked for or the kernel has no control of any.
//
// Guard starts the process that puts the clocks back when this one cannot. The error is cpufreq's.
func SetClocks(fs *sysfs.FS, n int, guard func(cpufreq.Hold) (cpufreq.Guard, error), say say,
) (*Clocks, error) {
	if n < 2 {
		return nil, nil
	}
	if _, err := cpufreq.Open(fs); errors.Is(err, cpufreq.ErrNone) {
		return nil, nil
	}
	// an error means that no processes can be read, and so no rivals
	if found, _ := cpufreq.FindRivals(cpufreq.OnThisMachine(fs)); len(found) > 0 {
		say("warning: the clocks stay as they are, because %s may set them: the model knows those "+
			"at which the programs ran", cpufreq.RivalNames(found))
		return nil, nil
	}
	a, err := cpufreq.Start(fs, cpufreq.Config{Guard: guard})
	if err != nil {
		return nil, fmt.Errorf("take control of the machine's clocks (--clocks 1 leaves them as "+
			"they are): %w", err)
	}
	c := &Clocks{actuator: a, at: spreadOver(a.States(), n)}
	if a.Name() == cpufreq.Shadow || len(c.at) < 2 {
		say("warning: the clocks stay as they are: %s", a.Reason())
		return nil, c.close()
	}
	var names []string
	for _, f := range c.at {
		names = append(names, f.String())
	}
	say("clocks: %s in turn, by %s", strings.Join(names, ", "), a.Name())
	return c, c.Turn()
}

// spreadOver returns n of the states, the lowest and the highest among them, the highest first.
func spreadOver(states []units.Frequency, n int) (out []units.Frequency) {
	last := len(states) - 1
	n = min(n, len(states))
	for i := range n {
		out = append(out, states[last-i*last/max(n-1, 1)])
	}
	return out
}

// Turn sets the next clock.
func (c *Clocks) Turn() error {
	for _, o := range c.actuator.Set(c.at[c.next]) {
		c.missed = c.missed || !o.Effective()
	}
	c.next = (c.next + 1) % len(c.at)
	return nil
}

// End restores the clocks, and says what was in the way while they were set.
func (c *Clocks) End(say say) error {
	if foreign := c.actuator.Foreign(); len(foreign) > 0 {
		say("warning: another program changed the clocks: %s", foreign[0])
	} else if c.missed {
		say("warning: not every clock that was asked for was set; the model goes by those that ran")
	}
	return c.close()
}

// close restores the clocks as they were found.
func (c *Clocks) close() error {
	if _, err := c.actuator.Close(); err != nil {
		return fmt.Errorf("restore the machine's clocks: %w (sudo ebb restore tries again)", err)
	}
	return nil
}
