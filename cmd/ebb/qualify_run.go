package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ebb-energy/ebb/internal/app/pages"
	"github.com/ebb-energy/ebb/internal/app/qualify"
	"github.com/ebb-energy/ebb/internal/app/qualify/host"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/render/printable"
	"github.com/ebb-energy/ebb/internal/safefile"
	"github.com/ebb-energy/ebb/internal/sandbox"
)

func (s *qualifySettings) execute(cmd *cobra.Command, std command.Stdio) error {
	mode, err := s.check(cmd)
	if err != nil {
		return err
	}
	if s.show != "" {
		return s.showFile(std)
	}
	if os.Geteuid() != 0 {
		return errors.New("ebb qualify needs root, as ebb run does: sudo ebb qualify")
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find ebb's own small programs: %w", err)
	}
	if s.dir != "" {
		if err := safefile.Directory(s.dir); err != nil {
			return command.Usagef("-o: %w", err)
		}
	}
	shown := std.Err
	if s.quiet {
		shown = io.Discard
	}
	ctx, caught := command.UntilSignal(cmd.Context())
	defer caught.Stop()
	if s.log != "" {
		if err := sandbox.CheckLog(ctx, s.log); err != nil {
			return command.Usagef("--meter-csv: %w", err)
		}
	}
	plan := qualify.NewPlan(mode, s.each, s.rounds, s.clocks, s.steps)
	java, noJava := "", error(nil)
	if plan.TakesJVM() {
		if java, noJava = host.JVM(ctx); noJava == nil {
			plan.WithJVM()
		}
	}
	if err := pages.QualificationPlan(shown, &plan); err != nil {
		return err
	}
	r, err := host.Run(ctx, &host.Settings{Plan: plan, Version: command.Version(), Self: self,
		Sysfs: s.sysfs, Proc: s.proc, RunDir: s.runDir, Config: s.config, Takeover: s.takeover,
		Log: s.log, Sensor: s.sensor, Java: java, NoJava: noJava, Keep: s.keep,
		Say: func(format string, args ...any) { say(shown, format, args...) }})
	if r == nil {
		return caught.Or(err)
	}
	printErr := s.print(r, std)
	s.next(r, shown)
	return errors.Join(printErr, caught.Or(err))
}

// say prints a line of progress, broken at the page's width.
func say(w io.Writer, format string, args ...any) {
	const indent = 3
	var b strings.Builder
	printable.Fprintf(&b, format, args...)
	line := b.String()
	text := strings.TrimLeft(line, " ")
	head := line[:len(line)-len(text)]
	for _, part := range command.Wrap(text, command.PageWidth(w)-indent) {
		fmt.Fprintln(w, head+part)
		head = strings.Repeat(" ", indent)
	}
}

// keep writes what was found so far.
func (s *qualifySettings) keep(r *qualify.Result) error {
	if s.dir == "" {
		return nil
	}
	return errors.Join(
		safefile.Whole(filepath.Join(s.dir, "qualify.json"),
			func(w io.Writer) error { return command.WriteJSON(w, r) }),
		safefile.Whole(filepath.Join(s.dir, "qualify.html"),
			func(w io.Writer) error { return pages.QualificationHTML(w, r) }))
}

func (s *qualifySettings) print(r *qualify.Result, std command.Stdio) error {
	if s.json {
		return command.WriteJSON(std.Out, r)
	}
	var b strings.Builder
	if err := pages.QualificationText(&b, r); err != nil {
		return err
	}
	var fitted strings.Builder
	command.Fit(&fitted, b.String(), pages.QualificationLabel, command.PageWidth(std.Out))
	_, err := io.WriteString(std.Out, fitted.String())
	return err
}

// next prints what the user can do now.
func (s *qualifySettings) next(r *qualify.Result, shown io.Writer) {
	file := ""
	if s.dir != "" {
		file = filepath.Join(s.dir, "qualify.json")
		say(shown, "the page: %s", filepath.Join(s.dir, "qualify.html"))
	}
	say(shown, "next: %s", qualify.Next(r, file))
}

// showFile shows a result that anybody may have written.
func (s *qualifySettings) showFile(std command.Stdio) error {
	text, err := safefile.ReadFile(s.show, qualify.MostBytes)
	if err != nil {
		return command.Usagef("--show: %w", err)
	}
	r, err := qualify.Read(text)
	if err != nil {
		return command.Usagef("--show %s: %w", s.show, err)
	}
	if s.html != "" {
		if err := command.NotItself(s.html, s.show); err != nil {
			return err
		}
		f, err := command.FileFor("--html", s.html)
		if err != nil {
			return err
		}
		return f.Fill(func(w io.Writer) error { return pages.QualificationHTML(w, r) })
	}
	return s.print(r, std)
}
