package run

import (
	"context"
	"fmt"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/many"
	"github.com/ebb-energy/ebb/governor/replay"
	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/app/run/part"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/safefile"
)

// recording writes all events and actions of the governor.
type recording struct {
	part.Passive
	file     *safefile.File
	recorder *replay.Recorder
}

// openRecording puts the recorder between the governor and the host, when it is asked for. tenants
// is the configuration of a run with several, otherwise nil.
func (r *run) openRecording(cfg *governor.Config, tenants *many.Config) error {
	if r.settings.Files.Recording == "" {
		return nil
	}
	f, err := command.FileFor("--record", r.settings.Files.Recording)
	if err != nil {
		return err
	}
	n := &recording{file: f}
	r.Use(part.Recorded, n)
	f.Impatient()
	if tenants != nil {
		n.recorder, err = replay.NewTenantsRecorder(r.Machine, *tenants, f)
	} else {
		n.recorder, err = replay.NewRecorder(r.Machine, *cfg, f)
	}
	if err != nil {
		return err
	}
	r.Machine = n.recorder
	return nil
}

// started gives the file its name. From now on it has content, however ebb ends.
func (r *recording) Started() error { return r.file.Publish() }

func (r *recording) Finish(context.Context, *report.Report) error {
	if err := r.recorder.Finish(); err != nil {
		return fmt.Errorf("%w; it is good up to there", err)
	}
	return nil
}

func (r *recording) Close() error { return r.file.Close() }
