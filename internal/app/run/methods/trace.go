package methods

import (
	"bufio"
	"context"
	"errors"
	"io"
	"path/filepath"

	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/app/run/part"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/energy/attribution"
	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/energy/stream"
	"github.com/ebb-energy/ebb/internal/safefile"
)

// maxTrace bounds a trace's tables of windows, in bytes.
const maxTrace = 256 << 20

// traceFiles are the tables of the windows. They get their names at the run's end.
type traceFiles struct {
	part.Passive
	trace   *stream.Trace
	files   []*safefile.File
	asides  []*aside
	buffers []*bufio.Writer
}

// openTrace begins the tables in a directory, which it creates where there is none.
func openTrace(r *part.Run, m attribution.Meter) (_ *traceFiles, err error) {
	dir := r.Settings.Methods.Trace
	if err := safefile.Directory(dir); err != nil {
		return nil, command.Usagef("--trace: %w", err)
	}
	t := &traceFiles{}
	r.Use(part.Divided, t)
	writers := map[string]io.Writer{}
	for name := range stream.TraceTables {
		f, err := command.FileFor("--trace", filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		a := writeAside(f)
		b := bufio.NewWriterSize(a, 1<<16)
		t.files, t.asides, t.buffers = append(t.files, f), append(t.asides, a), append(t.buffers, b)
		writers[name] = b
	}
	var zones []string
	for _, z := range m.Zones() {
		if z.Source.Joules() {
			zones = append(zones, z.Name)
		}
	}
	t.trace = stream.NewTrace(zones, profile.Counted(zones), maxTrace,
		func(table string) io.Writer { return writers[table] })
	return t, nil
}

// finish publishes the tables. It comes after the attribution, which has written the names.
func (t *traceFiles) Finish(context.Context, *report.Report) error {
	for _, a := range t.asides {
		a.patient = true
	}
	errs := []error{t.trace.Close()}
	for i, f := range t.files {
		errs = append(errs, t.buffers[i].Flush(), t.asides[i].Close())
		if errors.Join(errs...) == nil {
			errs = append(errs, f.Publish())
		}
	}
	return errors.Join(errs...)
}

func (t *traceFiles) Close() error {
	var errs []error
	for i, f := range t.files {
		errs = append(errs, t.asides[i].Close(), f.Close())
	}
	return errors.Join(errs...)
}
