package cgroup

import "testing"

// Booted has systemd be the machine's init, or not, for the time of a test.
func Booted(t *testing.T, is bool) {
	was := booted
	t.Cleanup(func() { booted = was })
	if booted = t.TempDir(); !is {
		booted += "/none"
	}
}

// ReadEvery is the pace of a Lookout.
const ReadEvery = readEvery

// Readings returns the number of times that a Lookout has read what the kernel notifies.
func (l *Lookout) Readings() int { return l.readings }

// These parse what the kernel and systemctl write.
var (
	UnitName   = unitName
	Populated  = populated
	ParseIDs   = parseIDs
	ParseTgid  = parseTgid
	ParseState = func(text string) (load, path string, err error) {
		s, err := parseState(text)
		return s.load, s.path, err
	}
)
