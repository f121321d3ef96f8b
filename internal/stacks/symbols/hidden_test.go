package symbols

import (
	"io/fs"
	"os"
	"reflect"
	"testing"

	"github.com/ebb-energy/ebb/internal/sandbox/opener"
	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
)

// hiding is local, but for an image that does not show its files.
type hiding struct {
	local
	hides Image
	asked int // for its files
}

func (h *hiding) Mapped(i Image, start, end uint64) (*os.File, error) {
	if i == h.hides {
		h.asked++
		return nil, fs.ErrNotExist
	}
	return h.local.Mapped(i, start, end)
}

// TestHiddenFile: a file that one image does not show, as it has just been replaced, is opened
// where the next image shows it, and is not asked for again and again.
func TestHiddenFile(t *testing.T) {
	source := &hiding{local: local{opener.New(t.TempDir())}, hides: 1}
	r := NewResolver(source)
	for i := Image(1); i <= 2; i++ {
		if err := source.Bind(protocol.Image(i), os.Getpid()); err != nil {
			t.Fatal(err)
		}
		r.Image(i, os.Getpid())
		r.Prepare(i)
	}
	pc := uint64(reflect.ValueOf(TestHiddenFile).Pointer())
	for i, want := range map[Image]bool{1: false, 2: true} {
		m, ok := find(r.processes[i].maps, pc)
		if !ok || (m.file != nil) != want {
			t.Errorf("image %d: mapped %t, a file of symbols %t, want %t", i, ok, m.file != nil,
				want)
		}
	}
	before := source.asked
	if r.refresh(r.processes[1]); before == 0 || source.asked != before {
		t.Errorf("asked %d times, then %d", before, source.asked)
	}
	if m, ok := find(r.processes[1].maps, pc); !ok || m.file == nil {
		t.Errorf("read again, image 1 has no symbols of a file that is open: %t", ok)
	}
	if len(r.Problems) > 0 {
		t.Errorf("said %q", r.Problems)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	source.Forget(1)
	source.Forget(2)
}
