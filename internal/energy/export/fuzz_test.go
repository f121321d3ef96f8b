package export

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/render/printable"
)

// FuzzProfile: a profile that passes its check can be shown by every view and written in every
// format.
func FuzzProfile(f *testing.F) {
	b, err := os.ReadFile(filepath.Join("testdata", "profile.json"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte(`{"rules":["ledger"]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var p profile.Profile
		if json.Unmarshal(b, &p) != nil || p.Check() != nil {
			return
		}
		for _, by := range profile.Views {
			v, err := profile.NewView(&p, by, nil)
			if err != nil {
				t.Fatal(err)
			}
			rows := p.Rows(v, 0)
			// A profile that a format cannot hold is an error, and no concern here.
			_ = p.WriteText(io.Discard, rows, 0, 10, printable.All)
			_ = p.WriteRules(io.Discard, rows, 10, printable.All)
			_ = p.WriteMovers(io.Discard, profile.Movers(rows), 10, printable.All)
			_ = CSV(io.Discard, &p, rows, 0)
			_ = HTML(io.Discard, &Run{Footprints: Footprints(&p, nil, 0)}, &p, rows, 0)
		}
		_ = PProf(io.Discard, &p, 0)
		_ = Folded(io.Discard, &p, 0)
		_ = Speedscope(io.Discard, &p, 0)
	})
}
