package run

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/app/run/part"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/safefile"
)

// refuseImpossible ends a run without summary and report where one of its figures is impossible.
func refuseImpossible(r *report.Report) error {
	if err := r.Impossible(); err != nil {
		return fmt.Errorf("ebb has a fault, so there is no summary and no report: %w; please "+
			"report it, with the recording of ebb run --record", err)
	}
	return nil
}

// reportFile writes the report.
type reportFile struct {
	part.Passive
	file *safefile.File
}

// openReport begins the report's file, when it is asked for.
func (r *run) openReport() error {
	if r.settings.Files.Report == "" {
		return nil
	}
	f, err := command.FileFor("--report", r.settings.Files.Report)
	if err != nil {
		return err
	}
	r.Use(part.Filed, &reportFile{file: f})
	return nil
}

func (f *reportFile) Finish(_ context.Context, r *report.Report) error {
	return f.file.Fill(func(w io.Writer) error { return command.WriteJSON(w, r) })
}

func (f *reportFile) Close() error { return f.file.Close() }

// printSummary prints a report's summary, in short unless all is wanted. A file or a pipe gets
// every warning, because nobody can ask a log for more.
func printSummary(w io.Writer, r *report.Report, all bool) {
	width, terminal := command.SentenceWidth(w)
	if all {
		var b bytes.Buffer
		r.WriteSummary(&b)
		command.Fit(w, b.String(), report.SummaryLabel, width)
		return
	}
	paint := command.Painter(w)
	in := func(c command.Colour) func(string) string {
		return func(s string) string { return paint(c, s) }
	}
	r.WriteBrief(w, &report.Look{Width: width, Wrap: command.Wrap, All: !terminal,
		Good: in(command.Green), Bad: in(command.Red), Doubtful: in(command.Yellow)})
}

// methodLines is the number of methods that printMethods prints.
const methodLines = 10

// printMethods prints the methods that used the most energy, where they were sampled. ebb report
// prints those of a report in a file.
func printMethods(w io.Writer, r *report.Report) error {
	if r.Attribution == nil {
		return nil
	}
	p := r.Attribution.Whole()
	v, err := profile.NewView(p, p.View(), nil)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	b.WriteString(r.AsItRan())
	if err := p.WriteText(&b, p.Rows(v, 0), 0, methodLines,
		command.PageWidth(w)); err != nil {
		return err
	}
	// As with the summary: who closed the stream of messages wants none.
	_ = command.FitTable(w, b.String(), profile.Label, command.PageWidth(w))
	return nil
}
