package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/ebb-energy/ebb/internal/energy/stream"
)

// leakSteps are the clients of the two runs that find an energy leak and show that it is mended.
var leakSteps = []int{2, 2, 2}

// leak does what e-Surgeon is for: a server whose pages look a visitor up in a list that grows, the
// method that the energy goes to, and the same server with a set in the list's place. It writes a
// page of each.
func (s *suite) leak(ctx context.Context) (string, error) {
	path, err := s.compile(ctx, tomcatJars, "TomcatServer", "Page", "Client")
	if err != nil {
		return "", err
	}
	var said []string
	for _, way := range []string{"leaking", "mended"} {
		file := filepath.Join(s.out, "leak-"+way+".jsonl")
		answers, err := s.serve(ctx, file, []string{"--methods"}, path, []string{
			"-Dvisitors=" + way, "TomcatServer", s.scratch("tomcat")}, leakSteps)
		if err != nil {
			return "", err
		}
		page := filepath.Join(s.out, "leak-"+way+".html")
		if text, err := exec.CommandContext(ctx, s.ebb, "watch", file, "-o",
			page).CombinedOutput(); err != nil {
			return "", fmt.Errorf("ebb watch: %w: %.300s", err, text)
		}
		last, err := lastLine(file)
		if err != nil {
			return "", err
		}
		text, err := perAnswer(way, last, answers)
		if err != nil {
			return "", err
		}
		said = append(said, text+"; "+page)
	}
	return strings.Join(said, "\n          "), nil
}

// perAnswer says what an answer took, and which method takes the most.
func perAnswer(way string, l *stream.Line, answers int) (string, error) {
	if answers == 0 || len(l.Methods) == 0 {
		return "", fmt.Errorf("%s: %d answers and %d methods", way, answers, len(l.Methods))
	}
	m := &l.Methods[0]
	return fmt.Sprintf("%s: %.2f ms of CPU time an answer (%d); %s has %.1f %% of it (%.1f to "+
		"%.1f)", way, float64(busy(l))/float64(time.Millisecond)/float64(answers), answers, m.Unit,
		100*m.Share, 100*m.Low, 100*m.High), nil
}

// lastLine returns the last line of a stream.
func lastLine(path string) (*stream.Line, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	return stream.Decode(lines[len(lines)-1])
}
