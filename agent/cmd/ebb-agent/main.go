// Command ebb-agent serves the series of ebb energy --machine with the names of Kubernetes. It
// needs no right: it reads the file that ebb writes, and who its pods are from the kubelet's links
// to their logs or from the API server. Pods that ask for a budget it makes tenants of ebb serve,
// by the service's socket.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"k8s.io/client-go/rest"

	"github.com/ebb-energy/ebb/agent/internal/cluster"
	"github.com/ebb-energy/ebb/agent/internal/links"
	"github.com/ebb-energy/ebb/agent/internal/names"
	"github.com/ebb-energy/ebb/agent/internal/tenants"
)

// settings are what a user asks for.
type settings struct {
	textfile, listen, names, links, node, service string
	stale                                         time.Duration
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	switch err := start(ctx); {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintf(os.Stderr, "ebb-agent: %v\n", err)
		os.Exit(1)
	}
}

func start(ctx context.Context) error {
	s, err := parse(os.Args[1:], os.Stderr)
	if err != nil {
		return err
	}
	if os.Geteuid() == 0 {
		return errors.New("it needs no right, and root is refused: start it as another user")
	}
	return run(ctx, s, os.Stderr)
}

func parse(args []string, stderr io.Writer) (*settings, error) {
	var s settings
	f := flag.NewFlagSet("ebb-agent", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.StringVar(&s.textfile, "textfile", "/run/ebb/ebb.prom",
		"the `FILE` of ebb energy --machine --textfile")
	f.StringVar(&s.listen, "listen", "127.0.0.1:9102",
		"the `ADDRESS` of the metrics; :9102 is all of the machine's")
	f.StringVar(&s.names, "names", "links",
		"the `SOURCE` of names: links, the kubelet's to logs, or api, the API server")
	f.StringVar(&s.links, "links", links.Directory, "the `DIRECTORY` of the kubelet's links")
	f.StringVar(&s.node, "node", os.Getenv("NODE_NAME"),
		"with -names api: the node's `NAME` (default: NODE_NAME in the environment)")
	f.StringVar(&s.service, "service", "", "with -names api: make pods that ask for it tenants of "+
		"the ebb serve with this `SOCKET`")
	f.DurationVar(&s.stale, "stale", 3*time.Minute,
		"serve no series of a file that is older: ebb has ended")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	if f.NArg() > 0 {
		return nil, fmt.Errorf("%q: there are flags alone", f.Arg(0))
	}
	if s.service != "" && s.names != "api" {
		return nil, errors.New("-service: with -names api alone: links say nothing of annotations")
	}
	return &s, nil
}

// run serves until the context ends.
func run(ctx context.Context, s *settings, stderr io.Writer) error {
	source, err := sourceOf(ctx, s)
	if err != nil {
		return err
	}
	if wishes, is := source.(tenants.Source); is && s.service != "" {
		go tenants.New(s.service, wishes, stderr).Run(ctx)
	}
	l, err := net.Listen("tcp", s.listen)
	if err != nil {
		return fmt.Errorf("serve metrics: %w", err)
	}
	fmt.Fprintf(stderr, "ebb-agent: metrics at http://%s/metrics\n", l.Addr())
	debug.SetMemoryLimit(mostMemory) // the collector works more often before the kernel ends it
	return serve(ctx, l, newExporter(s, source, stderr))
}

// sourceOf opens the source that was asked for. Of the API server it waits for nothing.
func sourceOf(ctx context.Context, s *settings) (names.Source, error) {
	switch s.names {
	case "links":
		source, err := links.Open(s.links)
		if err != nil {
			return nil, err
		}
		return source, nil
	case "api":
		config, err := rest.InClusterConfig()
		if err != nil {
			return nil, fmt.Errorf("find the API server: %w", err)
		}
		source, err := cluster.New(config, s.node)
		if err != nil {
			return nil, err
		}
		go source.Run(ctx)
		return source, nil
	}
	return nil, fmt.Errorf("-names %q: there are links and api", s.names)
}
