package symbols

import (
	"os"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/linux/monotonic"
	"github.com/ebb-energy/ebb/internal/sandbox/opener"
	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
)

// local opens what a Resolver reads in the test's own process, by what opens it for the sandbox
// child.
type local struct{ *opener.Opener }

func (l local) open(what protocol.What, i Image, start, end uint64) (*os.File, error) {
	return l.Open(&protocol.Open{What: what, Image: protocol.Image(i), Start: start, End: end})
}

func (l local) Maps(i Image) (*os.File, error)   { return l.open(protocol.Maps, i, 0, 0) }
func (l local) Memory(i Image) (*os.File, error) { return l.open(protocol.Memory, i, 0, 0) }
func (l local) Status(i Image) (*os.File, error) { return l.open(protocol.Status, i, 0, 0) }

func (l local) CommandLine(i Image) (*os.File, error) {
	return l.open(protocol.CommandLine, i, 0, 0)
}

func (l local) PerfMap(i Image) (*os.File, error) { return l.open(protocol.PerfMap, i, 0, 0) }
func (l local) Times(*os.File) (now, made uint64, ahead int64, err error) {
	at := int64(monotonic.Now())
	return uint64(at), 0, time.Now().UnixNano() - at, nil
}

func (l local) KernelSymbols() (*os.File, error) { return l.open(protocol.KernelSymbols, 0, 0, 0) }

func (l local) Auxiliary(i Image) (*os.File, error) { return l.open(protocol.Auxiliary, i, 0, 0) }
func (l local) Release(i Image) (*os.File, error)   { return l.open(protocol.Release, i, 0, 0) }

func (l local) Program(i Image, path string) error {
	f, err := l.Open(&protocol.Open{What: protocol.Program, Image: protocol.Image(i), Link: path})
	if err != nil {
		return err
	}
	return f.Close()
}

func (l local) Mapped(i Image, start, end uint64) (*os.File, error) {
	return l.open(protocol.Mapped, i, start, end)
}

func (l local) Debug(
	i Image, start, end uint64, id []byte, link string, nth int,
) (*os.File, error) {
	return l.Open(&protocol.Open{
		What: protocol.Debug, Image: protocol.Image(i), Start: start, End: end, BuildID: id,
		Link: link, Nth: uint8(nth),
	})
}

// resolver is a Resolver whose images are processes of this machine.
type resolver struct {
	*Resolver
	source local
	count  Image
}

// newLocal is a resolver that finds perf maps in an empty directory, which it returns.
func newLocal(t testing.TB) (r *resolver, perfMaps string) {
	t.Helper()
	perfMaps = t.TempDir()
	source := local{opener.New(perfMaps)}
	r = &resolver{Resolver: NewResolver(source), source: source}
	t.Cleanup(func() {
		_ = r.Close() // files that were only read
		for i := range r.count {
			source.Forget(protocol.Image(i + 1))
		}
	})
	return r, perfMaps
}

// image is a new image of a process. Of one that has ended nothing can be opened.
func (r *resolver) image(pid int) Image {
	r.count++
	_ = r.source.Bind(protocol.Image(r.count), pid)
	r.Image(r.count, pid)
	return r.count
}
