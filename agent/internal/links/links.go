// Package links reads the names of containers from the kubelet's links to their logs. For each
// container that it starts, the kubelet makes a link POD_NAMESPACE_CONTAINER-ID.log in a directory
// that everybody may read. Nothing but these names is read: no link is followed.
package links

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/ebb-energy/ebb/agent/internal/names"
)

// Directory is where the kubelet makes its links.
const Directory = "/var/log/containers"

const (
	// lookAgain is the least time between two readings of the directory.
	lookAgain = time.Second
	// mostLinks bounds the names that are read of it.
	mostLinks = 50_000
	atOnce    = 1000 // names that are read by one call
)

// Source is the directory of links. It is for several goroutines.
type Source struct {
	directory string
	table     names.Table

	mu     sync.Mutex
	looked time.Time
}

// Open reads a directory for the first time.
func Open(directory string) (*Source, error) {
	s := &Source{directory: directory, looked: time.Now()}
	return s, s.look()
}

// Of is a container by its short id. The directory is read again where the id is not known. One
// that cannot be read for the moment names what it has named.
func (s *Source) Of(id string) (names.Container, bool) {
	if c, ok := s.table.Of(id); ok {
		return c, true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(s.looked) >= lookAgain {
		s.looked = time.Now()
		_ = s.look()
	}
	return s.table.Of(id)
}

func (s *Source) look() error {
	dir, err := os.Open(s.directory)
	if err != nil {
		return fmt.Errorf("read the kubelet's links: %w", err)
	}
	defer dir.Close()
	for n := 0; n < mostLinks; n += atOnce {
		all, err := dir.Readdirnames(atOnce)
		for _, name := range all {
			if id, c, ok := parse(name); ok {
				s.table.Put(id, c)
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("read the kubelet's links: %w", err)
		}
	}
	return nil
}

// parse takes a link's name apart. The kubelet cuts a name that is too long for a file, which then
// has no whole id and is left out: its end is of a stranger's choice.
func parse(name string) (id string, c names.Container, ok bool) {
	name, ok = strings.CutSuffix(name, ".log")
	if !ok {
		return "", c, false
	}
	// None of the three names can have an underscore.
	parts := strings.Split(name, "_")
	if len(parts) != 3 || parts[0] == "" || parts[1] == "" {
		return "", c, false
	}
	dash := strings.LastIndexByte(parts[2], '-')
	if dash < 1 {
		return "", c, false
	}
	id = parts[2][dash+1:]
	if _, ok := names.Short(id); !ok {
		return "", c, false
	}
	return id, names.Container{Namespace: parts[1], Pod: parts[0], Container: parts[2][:dash]}, true
}
