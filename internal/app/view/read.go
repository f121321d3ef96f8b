package view

import (
	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/safefile"
)

// readProfile reads a run's report and the attribution in it.
func readProfile(path string) (*profile.Profile, *report.Report, error) {
	r, err := readReport(path)
	if err != nil {
		return nil, nil, err
	}
	if r.Attribution == nil && r.Tenants != nil {
		return nil, nil, command.Usagef("%s: a run with tenants samples no methods: ebb report "+
			"shows its summary as text, and several such reports by tenant", path)
	}
	if r.Attribution == nil {
		return nil, nil, command.Usagef(
			"%s: the run did not sample methods: use ebb run --methods --report FILE", path,
		)
	}
	if err := r.Attribution.Check(); err != nil {
		return nil, nil, command.Usagef("%s: %w", path, err)
	}
	return r.Attribution, r, nil
}

// readReport reads a run's report.
func readReport(path string) (*report.Report, error) {
	b, err := safefile.ReadAll(path, report.MaxBytes)
	if err != nil {
		return nil, command.UsageError(err)
	}
	r, err := report.Decode(b)
	if err != nil {
		return nil, command.Usagef("%s: %w", path, err)
	}
	if r.Version == "" && r.Attribution == nil {
		return nil, command.Usagef("%s: %w", path, report.ErrFormat)
	}
	return r, nil
}
