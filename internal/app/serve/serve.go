package serve

import (
	"context"
	"os"

	"github.com/ebb-energy/ebb/internal/app/config"
	"github.com/ebb-energy/ebb/internal/app/run"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/render/printable"
)

// Execute serves until a signal ends it. The tenants are in the files of a directory.
func Execute(ctx context.Context, s *run.Settings, dir string, std command.Stdio) error {
	n, problem := newNotifier(os.Getenv)
	defer n.close()
	if problem != "" {
		printable.Fprintf(std.Err, "ebb: warning: %s\n", problem)
	}
	s.Tenants.File = dir
	return run.Serve(ctx, s, &run.Service{
		Load:       func() (config.Tenants, error) { return load(dir) },
		Supervisor: n,
	}, std)
}
