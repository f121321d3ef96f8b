package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/ebb-energy/ebb/internal/safefile"
)

// eSurgeon repeats the tests of e-Surgeon (RR-7846, sections on validation and overhead): loads
// whose power goes up and down, as curves with their CSV, and what observing costs two Java
// programs. The paper compares a power meter with its formula. Where ebb has no meter the model is
// all there is, and the curves show the recipe alone. Each test is bounded; a program that is not
// installed has its tests skipped, and named.
func eSurgeon(args []string) error {
	var s suite
	flags := flag.NewFlagSet("papers e-surgeon", flag.ExitOnError)
	flags.StringVar(&s.ebb, "ebb", "bin/ebb", "the command")
	flags.StringVar(&s.workloads, "workloads", "test/workloads/e-surgeon",
		"the Java programs and the page")
	flags.StringVar(&s.out, "o", "build/e-surgeon", "the directory of the results")
	flags.StringVar(&s.jars, "jars", "/usr/share/java", "the directory of the servers' libraries")
	flags.DurationVar(&s.step, "step", 5*time.Second, "the time of each step of a load")
	flags.IntVar(&s.rounds, "rounds", 5, "measure the overhead this many times, in turn")
	only := flags.String("only", "", "one test, by its name")
	if err := flags.Parse(args); err != nil {
		return err // ExitOnError: never
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	return s.run(ctx, *only)
}

// suite has the values of the flags.
type suite struct {
	ebb, workloads, out, jars string
	step                      time.Duration
	rounds                    int
}

// errMissing: a program that a test needs is not installed.
var errMissing = errors.New("not installed")

// run makes the tests one after the other. A test that fails does not stop the next.
func (s *suite) run(ctx context.Context, only string) error {
	for _, path := range []*string{&s.ebb, &s.workloads, &s.out, &s.jars} {
		whole, err := filepath.Abs(*path)
		if err != nil {
			return err
		}
		*path = whole
	}
	if os.Geteuid() != 0 {
		return errors.New("it takes root, as ebb run does")
	}
	for _, dir := range []string{s.out, s.scratch("tomcat"), s.scratch("browser"),
		filepath.Join(s.out, "classes")} {
		if err := safefile.Directory(dir); err != nil {
			return err
		}
	}
	failed, found := 0, false
	for _, t := range s.tests() {
		if only != "" && t.name != only {
			continue
		}
		found = true
		fmt.Printf("%-9s ", t.name)
		text, err := t.make(ctx)
		switch {
		case errors.Is(err, errMissing):
			text = "skipped: " + err.Error()
		case err != nil:
			text, failed = "failed: "+err.Error(), failed+1
		}
		fmt.Println(text)
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if !found {
		return fmt.Errorf("there is no test %q", only)
	}
	if failed > 0 {
		return fmt.Errorf("%d tests failed", failed)
	}
	return nil
}

// test is one of them. Its text is a line for the reader.
type test struct {
	name string
	make func(context.Context) (text string, err error)
}

func (s *suite) tests() []test {
	return []test{
		{"stress", s.stress}, {"media", s.media}, {"browser", s.browser},
		{"tomcat", s.tomcat}, {"jetty", s.jetty}, {"leak", s.leak}, {"hanoi", s.hanoi},
		{"start", s.tomcatStart},
	}
}
