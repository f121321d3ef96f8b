package main

import (
	"os"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/predictor"
)

// TestWakeIsEbbsOwn: no text passes the default model off as the paper's DEP+BURST. Where a
// paragraph names the one, it names the other or says that it is about the paper.
func TestWakeIsEbbsOwn(t *testing.T) {
	own := false
	for _, c := range predictor.Models() {
		own = own || c.Name == predictor.DefaultModel && !c.Printed()
	}
	if !own {
		t.Errorf("%s is not among ebb's own models", predictor.DefaultModel)
	}
	texts := map[string]string{}
	for _, name := range []string{"README.md", "ARCHITECTURE.md", "docs/prediction-model.md",
		"docs/prediction.md", "docs/eval.md", "docs/glossary.md"} {
		b, err := os.ReadFile("../../" + name)
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = string(b)
	}
	for _, args := range []string{"--help", "run --help-all", "predict --help"} {
		var out strings.Builder
		if code := ebb(strings.Fields(args), command.Stdio{In: os.Stdin, Out: &out,
			Err: os.Stderr}); code != command.OK {
			t.Errorf("ebb %s: status %d", args, code)
		}
		texts["ebb "+args] = out.String()
	}
	for name, text := range texts {
		for paragraph := range strings.SplitSeq(text, "\n\n") {
			if !strings.Contains(paragraph, "DEP+BURST") {
				continue
			}
			if !strings.Contains(paragraph, "wake") && !strings.Contains(paragraph, "aper") &&
				!strings.Contains(paragraph, "evaluation of DEP+BURST") &&
				!strings.Contains(paragraph, "ebb's own") {
				t.Errorf("%s: %s", name, paragraph)
			}
		}
	}
	for _, name := range []string{"README.md", "ARCHITECTURE.md", "docs/prediction-model.md",
		"ebb --help"} {
		text := strings.Join(strings.Fields(strings.ReplaceAll(texts[name], "`", "")), " ")
		if !strings.Contains(text, "wake, which builds on DEP+BURST") &&
			!strings.Contains(text, "wake, builds on DEP+BURST") {
			t.Errorf("%s does not say what wake builds on", name)
		}
	}
}
