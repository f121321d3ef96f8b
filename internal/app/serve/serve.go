package serve

import (
	"context"
	"maps"
	"os"
	"slices"

	"github.com/ebb-energy/ebb/internal/app/config"
	"github.com/ebb-energy/ebb/internal/app/run"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/render/printable"
)

// Execute serves until a signal ends it. The tenants are in the files of directory dir, and in unit
// files of systemd.
func Execute(ctx context.Context, s *run.Settings, dir string, std command.Stdio) error {
	n, problem := newNotifier(os.Getenv)
	defer n.close()
	say := func(format string, args ...any) {
		printable.Fprintf(std.Err, "ebb: "+format+"\n", args...)
	}
	if problem != "" {
		say("warning: %s", problem)
	}
	w, file, err := newBoard()
	if err != nil {
		return err
	}
	defer file.Close() // memory
	w.Service().Shadow = s.Shadow
	var f *fronted
	defer func() {
		if f != nil {
			f.close()
		}
	}()
	s.Tenants.File = dir
	governs := newLeaseDesk()
	l, unknown := newLeases(governs, s.Allow)
	asking := maps.Clone(l.users)
	maps.Copy(asking, l.agents)
	who := access{group: w.Service().Group, users: slices.Sorted(maps.Keys(asking))}
	w.Allow(who.users)
	for _, name := range unknown {
		say("warning: allow: there is no user %s in %s; a number is taken as well", name,
			usersFile)
	}
	return governTenants(ctx, s, &serving{
		Load:       func() (config.Tenants, error) { return loadAll(dir, say) },
		Supervisor: n,
		Board:      w,
		Leases:     governs,
		Open: func() (err error) {
			f, err = openFront(file, s.Roots.RunDir, s.MetricsListen, who, l, say)
			switch {
			case err != nil && !s.Shadow:
				return err // the snapshot of the clocks cannot be written there either
			case err != nil:
				say("warning: nobody can ask this service: %v", err)
			case f.address != "" && !s.Quiet:
				say("metrics for every local user: http://%s/metrics", f.address)
			}
			return nil
		},
	}, std)
}
