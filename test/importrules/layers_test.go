package importrules_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/test/importrules"
)

const layersPage = `# The import layers

<!-- Generated from test/importrules/*rules.go: go test ./test/importrules -update -->

Each package imports from layers below its own only. The filled ones are *pure*: they reach no
clock, file, network or system call, so their results depend on their inputs alone.

![packages in layers](layers.svg)

The tables have, for each package, the packages that it stands on (those that these bring along
left out) and the reason for its rule. ` + "`test/importrules/*rules.go`" + ` has the rules, with the
libraries that each package may use; a test prints the reason when a rule is broken.
`

// TestLayersAreDrawnFromTheRules compares docs/layers.svg and docs/layers.md with the rules. The
// flag -update writes both anew.
func TestLayersAreDrawnFromTheRules(t *testing.T) {
	for name, want := range map[string]string{
		"layers.svg": importrules.Draw(importrules.Rules),
		"layers.md":  layersPage + importrules.Table(importrules.Rules),
	} {
		devtest.Golden(t, filepath.Join("..", "..", "docs", name), []byte(want))
	}
}

func TestLayersRunOneWay(t *testing.T) {
	layers := importrules.Layers(importrules.Rules)
	at := map[string]int{}
	for i, l := range layers {
		for _, name := range l {
			at[name] = i
		}
	}
	for _, r := range importrules.Rules {
		for _, m := range r.May {
			if at[m] <= at[r.Package] {
				t.Errorf("%s, layer %d, imports %s, layer %d", r.Package, at[r.Package]+1, m,
					at[m]+1)
			}
		}
	}
	for _, name := range layers[0] {
		if !strings.HasPrefix(name, "cmd/") {
			t.Errorf("the first layer has %s, which is no command", name)
		}
	}
}
