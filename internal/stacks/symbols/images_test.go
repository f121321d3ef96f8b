package symbols

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/ebb-energy/ebb/internal/sandbox/opener"
)

// listing is local with a list of mappings of its own, whose files are all the test's executable.
type listing struct {
	local
	maps string // file that has the list
}

func (l *listing) Maps(Image) (*os.File, error) { return os.Open(l.maps) }

func (l *listing) Mapped(Image, uint64, uint64) (*os.File, error) {
	return os.Open("/proc/self/exe")
}

// TestEndedImagesAreSmall: processes that come and go are kept for the names of their code, until
// the caller forgets them. Each takes little more memory than its mappings, and none once it is
// forgotten.
func TestEndedImagesAreSmall(t *testing.T) {
	const mappings, images = 40, 2000
	var text strings.Builder
	for i := range mappings {
		fmt.Fprintf(&text, "%x-%x r-xp 00000000 fe:00 %d /usr/lib/x86_64-linux-gnu/lib%d.so\n",
			0x10000+i<<16, 0x18000+i<<16, 100+i%2, i%2)
	}
	path := filepath.Join(t.TempDir(), "maps")
	if err := os.WriteFile(path, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	r := NewResolver(&listing{local{opener.New(t.TempDir())}, path})
	defer r.Close()
	live := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	r.Prepare(1) // opens the files
	before := live()
	for i := range Image(images) {
		r.Prepare(2 + i)
	}
	each := (live() - before) / images
	most := int64(unsafe.Sizeof(process{})+mappings*unsafe.Sizeof(mapping{})) * 5 / 4
	t.Logf("%d bytes an image", each)
	if n := len(r.processes[2].maps); n != mappings || each > most {
		t.Errorf("an image with %d mappings takes %d bytes, more than %d", n, each, most)
	}
	for i := range Image(images) {
		r.Forget(2 + i)
	}
	// A map keeps its places, how many depends on chance.
	if left := live() - before; left > images*each/10 {
		t.Errorf("%d bytes are kept of forgotten images", left)
	}
}
