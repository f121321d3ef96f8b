package table

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// columns holds the meaning of each column of a table.
type columns struct {
	names    []string
	role     []role
	counters []string // names of the columns with role counter
}

type role uint8

const (
	counter role = iota // the column's values go to the rows
	ignored
	roleEpoch
	roleStart
	roleDur
	roleEnds
	roleHole
	roleTID
	roleRunnable
	roleThrottled
	roleProgram
	roleWorld
)

var roles = map[string]role{
	columnEpoch: roleEpoch, columnStart: roleStart, columnDur: roleDur,
	columnEnds: roleEnds, columnHole: roleHole, columnTID: roleTID,
	columnRunnable: roleRunnable, columnThrottled: roleThrottled,
	columnProgram: roleProgram, columnWorld: roleWorld,
}

// required are the columns without which there is no epoch.
var required = []string{columnEpoch, columnStart, columnDur, columnEnds, columnTID}

// counterNames are prefixes of columns that are known to be counters, so that a word in them is an
// error.
var counterNames = []string{
	"insts", "uops", "dram_rd", "dram_wr", "stall_", "ll_", "crit_", "sq_", "drain", "rob_",
	"lq_", "ld_", "st_", "occ_",
	"rfo_", "cycles", "instructions", "store_", "tsc", "page_faults", "context_switches",
}

func knownCounter(name string) bool {
	return slices.ContainsFunc(counterNames,
		func(p string) bool { return strings.HasPrefix(name, p) })
}

// parseColumns reads line 2 of a table.
func parseColumns(line []byte) (*columns, error) {
	c := &columns{names: strings.Split(string(line), ",")}
	seen := make(map[string]bool, len(c.names))
	for i, name := range c.names {
		switch {
		case name == "":
			return nil, fmt.Errorf("%w: the one at place %d has none", ErrColumn, i+1)
		case seen[name]:
			return nil, fmt.Errorf("%w: %.40q is there twice", ErrColumn, name)
		}
		seen[name] = true
		c.role = append(c.role, roles[name])
	}
	for _, name := range required {
		if !seen[name] {
			return nil, fmt.Errorf("%w: no %s", ErrColumn, name)
		}
	}
	return c, nil
}

// split divides a line into cells, and fails when there are not as many as columns.
func (c *columns) split(line []byte, cells [][]byte) ([][]byte, error) {
	cells = cells[:0]
	for rest := line; ; {
		i := bytes.IndexByte(rest, ',')
		if i < 0 {
			cells = append(cells, rest)
			break
		}
		if len(cells) == len(c.names) {
			break
		}
		cells = append(cells, rest[:i])
		rest = rest[i+1:]
	}
	if n := bytes.Count(line, []byte{','}) + 1; n != len(c.names) {
		return cells, fmt.Errorf("%w: %d, not %d", ErrWidth, n, len(c.names))
	}
	return cells, nil
}

// classify ignores the columns that are not known and have words in the first row; cells is nil
// when there is none.
func (c *columns) classify(cells [][]byte) {
	for i, name := range c.names {
		if c.role[i] != counter {
			continue
		}
		if !knownCounter(name) && i < len(cells) && isText(cells[i]) {
			c.role[i] = ignored
			continue
		}
		c.counters = append(c.counters, name)
	}
}
