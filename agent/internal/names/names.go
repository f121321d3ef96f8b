// Package names says to which pod of Kubernetes a container belongs. A Source says it. Names
// are text that strangers wrote, and stay text.
package names

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

const (
	// ShortID is the number of digits of a container's id in the names of ebb's groups.
	ShortID = 12
	// fullID is the number of digits of an id, with every runtime that a kubelet speaks to.
	fullID = 64
	// mostName is the number of bytes of a name: the most that Kubernetes allows.
	mostName = 253
	// mostContainers bounds a table. A node has some hundreds; those that ended long ago go first.
	mostContainers = 20_000
)

// Container is a container's place in Kubernetes.
type Container struct{ Namespace, Pod, Container string }

// Source knows containers.
type Source interface {
	// Of is the container with this short id; false where the source does not know it, or not yet.
	// It does not wait for others.
	Of(id string) (Container, bool)
}

// Short is the first digits of a whole id; false of what is none. Only a whole one is taken,
// because a name may end in digits of its owner's choice.
func Short(id string) (string, bool) {
	if len(id) != fullID || strings.Trim(id, "0123456789abcdef") != "" {
		return "", false
	}
	return id[:ShortID], true
}

// Table remembers containers by their short ids, ended ones too, until there are too many. It is
// for several goroutines. The zero value is empty.
type Table struct {
	mu    sync.Mutex
	round int64
	known map[string]entry
}

type entry struct {
	container Container
	round     int64 // of the last Put
}

// Put remembers a container by its whole id, and none by another text.
func (t *Table) Put(id string, c Container) {
	short, ok := Short(id)
	if !ok {
		return
	}
	c = Container{bounded(c.Namespace), bounded(c.Pod), bounded(c.Container)}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.known == nil {
		t.known = map[string]entry{}
	}
	t.round++
	t.known[short] = entry{c, t.round}
	if len(t.known) > mostContainers {
		t.forget()
	}
}

// forget drops the quarter that was put longest ago.
func (t *Table) forget() {
	rounds := make([]int64, 0, len(t.known))
	for _, e := range t.known {
		rounds = append(rounds, e.round)
	}
	slices.Sort(rounds)
	until := rounds[len(rounds)/4]
	for id, e := range t.known {
		if e.round <= until {
			delete(t.known, id)
		}
	}
}

// Of is a container by its short id.
func (t *Table) Of(id string) (Container, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	e, ok := t.known[id]
	return e.container, ok
}

// bounded is a name as one line of printable text. A longer one is cut, and gets a sum of all of
// it, so that two long names do not become one.
func bounded(name string) string {
	text := name
	if !utf8.ValidString(name) || strings.ContainsFunc(name, unprintable) {
		text = strconv.QuoteToASCII(name)
		text = text[1 : len(text)-1]
	}
	if len(text) <= mostName {
		return text
	}
	h := fnv.New64a()
	h.Write([]byte(name)) // it cannot fail
	sum := fmt.Sprintf("...#%016x", h.Sum64())
	return strings.ToValidUTF8(text[:mostName-len(sum)], "") + sum
}

func unprintable(r rune) bool { return !unicode.IsPrint(r) }
