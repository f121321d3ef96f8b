package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/net/netutil"

	"github.com/ebb-energy/ebb/agent/internal/names"
	"github.com/ebb-energy/ebb/agent/internal/series"
)

const (
	// readEvery is the time between two readings without a scrape: pods get their names while they
	// are there, and what ended goes to its namespace.
	readEvery = 15 * time.Second
	// mostText bounds ebb's file: 10,000 groups with all their zones have some 20 MB.
	mostText = 24 << 20
	// mostMemory bounds the agent's memory, below what its manifest allows.
	mostMemory = 448 << 20
	// mostCallers bounds the connections, and answerFor the time of one answer.
	mostCallers = 16
	answerFor   = 30 * time.Second
)

// exporter serves what ebb wrote last, with names.
type exporter struct {
	settings *settings
	log      io.Writer

	mu         sync.Mutex
	relabeller *series.Relabeller
	text       []byte      // with names; nil of a file that is not there, or old
	last       os.FileInfo // of the file that was read; nil for none
	problem    string      // why there is no text; "" where there is
}

func newExporter(s *settings, source names.Source, log io.Writer) *exporter {
	return &exporter{settings: s, log: log, relabeller: series.New(source)}
}

// metrics is the answer to all who ask, in two parts: the first one can be large, and is not
// copied.
func (e *exporter) metrics() (text, own []byte) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.look()
	fresh := 0
	if e.text != nil {
		fresh = 1
	}
	return e.text, fmt.Appendf(nil,
		"# HELP ebb_agent_fresh Whether ebb's file is there, readable and new.\n"+
			"# TYPE ebb_agent_fresh gauge\nebb_agent_fresh %d\n"+
			"# HELP ebb_agent_unnamed_groups Groups of pods without a namespace.\n"+
			"# TYPE ebb_agent_unnamed_groups gauge\nebb_agent_unnamed_groups %d\n",
		fresh, e.relabeller.Unnamed())
}

// look reads the file, unless it is the one that was read.
func (e *exporter) look() {
	err := e.renew()
	problem := ""
	if err != nil {
		e.text, e.last, problem = nil, nil, err.Error()
	}
	if problem != e.problem && problem != "" {
		fmt.Fprintf(e.log, "ebb-agent: no series: %s\n", problem)
	} else if problem != e.problem {
		fmt.Fprintf(e.log, "ebb-agent: ebb's series are there again\n")
	}
	e.problem = problem
}

func (e *exporter) renew() error {
	// Of a pipe of that name nothing is awaited.
	f, err := os.OpenFile(e.settings.textfile, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return fmt.Errorf("read ebb's file: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return fmt.Errorf("read ebb's file: %w", err)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is no ordinary file", f.Name())
	case time.Since(info.ModTime()) > e.settings.stale:
		return fmt.Errorf("%s has not changed for %v: ebb has ended", f.Name(), e.settings.stale)
	case e.last != nil && os.SameFile(info, e.last) && info.Size() == e.last.Size() &&
		info.ModTime().Equal(e.last.ModTime()):
		return nil
	}
	var text strings.Builder
	text.Grow(int(min(info.Size(), mostText)) + 1)
	if _, err := io.Copy(&text, io.LimitReader(f, mostText+1)); err != nil {
		return fmt.Errorf("read ebb's file: %w", err)
	}
	if text.Len() > mostText {
		return fmt.Errorf("%s has more than %d MiB", f.Name(), mostText>>20)
	}
	e.text = nil // the old answer and the new one do not fit together
	if e.text, err = e.relabeller.Apply(text.String()); err != nil {
		return fmt.Errorf("%s: %w", f.Name(), err)
	}
	e.last = info
	return nil
}

// serve answers until the context ends.
func serve(ctx context.Context, l net.Listener, e *exporter) error {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		text, own := e.metrics()
		_, _ = w.Write(text) // nobody is there to learn of an error
		_, _ = w.Write(own)
	})
	server := &http.Server{Handler: mux, ReadTimeout: answerFor,
		WriteTimeout: answerFor, IdleTimeout: answerFor, MaxHeaderBytes: 8 << 10}
	go func() {
		timer := time.NewTicker(readEvery)
		defer timer.Stop()
		for {
			e.metrics()
			select {
			case <-timer.C:
			case <-ctx.Done():
				server.Close()
				return
			}
		}
	}()
	if err := server.Serve(netutil.LimitListener(l, mostCallers)); !errors.Is(err,
		http.ErrServerClosed) {
		return fmt.Errorf("serve metrics: %w", err)
	}
	return nil
}
