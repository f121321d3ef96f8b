package main

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"runtime/debug"
	"strings"
	"testing"
)

func TestBillNamesEveryModule(t *testing.T) {
	info := &debug.BuildInfo{
		GoVersion: "go1.26.8",
		Main:      debug.Module{Path: "example.org/program", Version: "(devel)"},
		Deps: []*debug.Module{
			{Path: "example.org/a", Version: "v1.2.3", Sum: "h1:abc="},
			{Path: "example.org/b", Version: "v1.0.0",
				Replace: &debug.Module{Path: "example.org/c", Version: "v2.0.0"}},
		},
		Settings: []debug.BuildSetting{{Key: "GOARCH", Value: "arm64"},
			{Key: "-trimpath", Value: "true"}},
	}
	want := bill{
		Format: "CycloneDX", Spec: "1.6", Version: 1,
		Metadata: metadata{component{Type: "application", Name: "example.org/program",
			Version: "0.1.0", Properties: []property{{"build:GOARCH", "arm64"}}}},
		Components: []component{
			{Type: "library", Name: "example.org/a", Version: "v1.2.3",
				URL:        "pkg:golang/example.org/a@v1.2.3",
				Properties: []property{{"go.sum", "h1:abc="}}},
			{Type: "library", Name: "example.org/c", Version: "v2.0.0",
				URL: "pkg:golang/example.org/c@v2.0.0"},
			{Type: "library", Name: "std", Version: "1.26.8", URL: "pkg:golang/std@1.26.8"},
		},
	}
	if got := billOf("0.1.0", info); !reflect.DeepEqual(got, want) {
		t.Errorf("is:   %+v\nwant: %+v", got, want)
	}
}

// A real binary, this test's, has a bill; what is no binary is refused by name.
func TestRun(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := run("0.1.0", self, &out); err != nil {
		t.Fatal(err)
	}
	var got bill
	if err := json.Unmarshal(out.Bytes(), &got); err != nil || len(got.Components) == 0 {
		t.Errorf("%v: %s", err, out.Bytes())
	}
	if err := run("0.1.0", "main_test.go", &out); err == nil ||
		!strings.Contains(err.Error(), "main_test.go") {
		t.Errorf("%v", err)
	}
}
