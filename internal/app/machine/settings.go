package machine

import (
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/energy/groups"
	"github.com/ebb-energy/ebb/internal/power/powermodel"
	"github.com/ebb-energy/ebb/internal/render/printable"
	"github.com/ebb-energy/ebb/internal/safefile"
)

// Bounds of the interval. A meter advances in steps of a millisecond, and its counter may wrap at
// most once between two readings.
const (
	leastEvery = 100 * time.Millisecond
	mostEvery  = time.Minute
)

// Settings are a user's settings.
type Settings struct {
	Hierarchy string // hierarchy of cgroups; "" for the one that fits the machine
	Depth     int    // depth of the cgroups that are groups; 0: by their kind
	Kind      string // kind of the groups that are kept apart; "" for all
	Every     time.Duration
	For       time.Duration // 0: until a signal
	ShareIdle string
	Listen    string // address of the metrics; "" for none
	Textfile  string // file of the metrics; "" for none
	SlurmFile string // file for Slurm's plugin; "" for none
	Guests    string // directory of files for virtual machines; "" for none
	JSON      bool
	Top       int    // number of groups in the table; 0 for all
	Sysfs     string // root of the machine's attributes
	Meter     string // root of the energy meters; "" for Sysfs
	// PowerModel stands in for a meter where there is none; nil: nothing does. OtherMachine allows
	// a model that was trained elsewhere.
	PowerModel   *powermodel.Model
	OtherMachine bool
}

// check returns a usage error for invalid settings.
func (s *Settings) check() error {
	switch {
	case s.Every < leastEvery || s.Every > mostEvery:
		return command.Usagef("--interval %s: it can be %s to %s", printable.Given(s.Every),
			printable.Given(leastEvery), printable.Given(mostEvery))
	case s.Depth < 0:
		return command.Usagef("--depth %d: it is 1 or more", s.Depth)
	case s.Top < 0:
		return command.Usagef("--top %d: it is 0 or more", s.Top)
	case s.Depth > 0 && s.Kind != "":
		return command.Usagef("--depth and --kind: groups are of a depth or of a kind")
	case s.SlurmFile != "" && (s.Depth > 0 || s.Kind != "" && s.Kind != groups.Job):
		return command.Usagef("--slurm-file: jobs are apart without --depth, and with --kind job " +
			"alone")
	case s.Kind != "" && !slices.Contains(groups.Kinds, s.Kind):
		return command.Usagef("--kind %q: there are %s", s.Kind, strings.Join(groups.Kinds, ", "))
	}
	if _, err := groups.ParseShare(s.ShareIdle); err != nil {
		return command.Usagef("--share-idle: %w", err)
	}
	if err := checkGuests(s.Guests); err != nil {
		return command.Usagef("--guests: %w", err)
	}
	if s.Guests != "" && (s.Depth > 0 || s.Kind != "" && s.Kind != groups.VM) {
		return command.Usagef("--guests: virtual machines are apart without --depth, and with " +
			"--kind vm alone")
	}
	for _, file := range [][2]string{{"slurm-file", s.SlurmFile}, {"textfile", s.Textfile}} {
		if file[1] == "" {
			continue
		}
		if err := safefile.CheckFile(file[1]); err != nil {
			return command.Usagef("--%s: %w", file[0], err)
		}
	}
	if s.Listen != "" {
		if err := checkLoopback(s.Listen); err != nil {
			return command.Usagef("--metrics-listen %s: %w", s.Listen, err)
		}
	}
	return nil
}

// checkLoopback returns an error for an address that other machines can reach. It also refuses a
// name, whose meaning is decided elsewhere.
func checkLoopback(address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("it is no address and port, as 127.0.0.1:9101")
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return fmt.Errorf("metrics are served on the loopback interface alone, as 127.0.0.1:9101")
	}
	return nil
}
