package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/lab/vesta"
	"github.com/ebb-energy/ebb/internal/render/printable"
	"github.com/ebb-energy/ebb/internal/safefile"
)

// compare prints what models lose in other settings than their own. A file is a setting's table,
// and the first one's models are taken to the others.
func (s *vestaSettings) compare(ctx context.Context, files []string, std command.Stdio) error {
	var sources []vesta.Source
	room := int64(maxMetered) // for all tables together
	for _, path := range files {
		text, err := safefile.ReadUnpacked(path, room, io.ReadAll)
		if err != nil {
			return command.Usagef("read %s: %w", path, err)
		}
		room -= int64(len(text))
		name := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(path), ".gz"), ".csv")
		sources = append(sources, vesta.Source{Name: name, Text: text})
	}
	all, leftOut, err := vesta.ReadAlike(sources, s.power, s.program, s.inputs)
	if err != nil {
		return command.Usagef("read the tables: %w", err)
	}
	ctx, caught := command.UntilSignal(ctx) // until now a signal simply ends it
	defer caught.Stop()
	drawn, clear := drawnBar(std.Err, "models")
	losses, err := vesta.Compare(ctx, all, s.repeats, s.seed, drawn)
	clear()
	if s := caught.Signal(); s != 0 {
		return command.StatusError(command.BySignal(s))
	}
	if err != nil {
		return command.Usagef("compare: %w", err)
	}
	if s.json {
		return command.WriteJSON(std.Out, losses)
	}
	return printLosses(std.Out, losses, leftOut)
}

// printLosses prints a line for each setting.
func printLosses(w io.Writer, losses []vesta.Loss, leftOut []string) error {
	var b strings.Builder
	first := printable.Name(losses[0].Configuration)
	width := command.PageWidth(w)
	say := func(format string, args ...any) {
		for _, line := range command.Wrap(fmt.Sprintf(format, args...), width) {
			b.WriteString(line + "\n")
		}
	}
	say("Mean absolute error of a program's energy, and its standard deviation over the programs: "+
		"by models of the setting's own intervals, one half of which they have seen, and by "+
		"models of %s, which have seen none.", first)
	if n := len(leftOut); n > 0 {
		say("The models of %s do without %s that other tables lack (%s).", first,
			printable.Count(n, "input"), printable.Name(strings.Join(leftOut[:min(n, 4)], ", ")))
	}
	b.WriteString("\n")
	t := &printable.Table{Name: "setting"}
	column := func(title string, weight int) {
		t.Columns = append(t.Columns, printable.Column{Title: title, Weight: weight})
	}
	column("rows", 1)
	for _, m := range losses[0].Own {
		column("own "+m.Model, 2)
	}
	for _, m := range losses[0].Own {
		column("first's "+m.Model, 3)
	}
	column("most, by "+losses[0].Own[len(losses[0].Own)-1].Model, 1)
	for i := range losses {
		l := &losses[i]
		cells := []string{fmt.Sprint(l.Intervals)}
		for _, m := range append(l.Own[:len(l.Own):len(l.Own)], l.Taken...) {
			cells = append(cells, fmt.Sprintf("%.2f±%.2f%%", 100*m.Mean, 100*m.Deviation))
		}
		if n := len(l.Taken); n > 0 {
			m := &l.Taken[n-1]
			cells = append(cells, fmt.Sprintf("%.2f%% %s", 100*m.Worst, m.Program))
		}
		t.Row(l.Configuration, cells...)
	}
	if err := t.Write(&b, width); err != nil {
		return err
	}
	_, err := io.WriteString(w, b.String())
	return err
}
