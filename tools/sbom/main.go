// Command sbom prints the bill of materials of a Go binary, in CycloneDX 1.6's JSON: its modules
// with their versions and checksums, and the Go that built it, as the binary itself names them.
package main

import (
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: sbom VERSION BINARY")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2], os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "sbom: %v\n", err)
		os.Exit(1)
	}
}

func run(version, path string, w io.Writer) error {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read the modules of %s: %w", path, err)
	}
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	return out.Encode(billOf(version, info))
}

// bill is a bill of materials, as far as CycloneDX 1.6 requires and a Go binary knows. It has
// neither a serial number nor a date, so that the same binary has the same bill.
type bill struct {
	Format     string      `json:"bomFormat"`
	Spec       string      `json:"specVersion"`
	Version    int         `json:"version"`
	Metadata   metadata    `json:"metadata"`
	Components []component `json:"components"`
}

type metadata struct {
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	URL        string     `json:"purl,omitempty"` // https://github.com/package-url/purl-spec
	Properties []property `json:"properties,omitempty"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

func billOf(version string, info *debug.BuildInfo) bill {
	self := component{Type: "application", Name: info.Main.Path, Version: version}
	for _, s := range info.Settings {
		switch s.Key {
		case "GOARCH", "GOOS", "CGO_ENABLED", "vcs.revision":
			self.Properties = append(self.Properties, property{"build:" + s.Key, s.Value})
		}
	}
	out := bill{Format: "CycloneDX", Spec: "1.6", Version: 1, Metadata: metadata{self}}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		c := component{Type: "library", Name: m.Path, Version: m.Version,
			URL: "pkg:golang/" + m.Path + "@" + m.Version}
		if m.Sum != "" {
			c.Properties = []property{{"go.sum", m.Sum}}
		}
		out.Components = append(out.Components, c)
	}
	release := strings.TrimPrefix(info.GoVersion, "go")
	out.Components = append(out.Components, component{Type: "library", Name: "std",
		Version: release, URL: "pkg:golang/std@" + release})
	return out
}
