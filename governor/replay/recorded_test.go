//go:build amd64

package replay_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/replay"
	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/predictor/power"
)

// testdata/NAME.ebb.gz is a recording that an earlier ebb made, compressed. testdata/NAME.txt has
// results that follow from it but are not in it: digests of its epochs and of the report's quanta,
// and the rest of the report.
//
// Commit 3b520f7 made all recordings: its binary those of programs (tools/recordings.sh has the
// commands), its packages those of simulated machines (recorded_simulated_test.go has their
// settings, and makes the runs again). A change that alters a decision on purpose makes these
// recordings worthless. Replace them then, and say why; flag -update writes the texts and the
// simulated recordings anew, and gives those of programs today's decisions on the recorded events.
// All recordings of programs share CPUs with others.
//
// testdata/several has that of four programs with a budget each, in a later format. It shares two
// clocks among them.
//
// Floating point rounds differently on other processors, where Go fuses multiplication and
// addition. These tests run on amd64 only.

// TestSameDecisions replays every recording. The governor takes the recorded actions, and the
// epochs and the report that follow from them are the recorded ones.
func TestSameDecisions(t *testing.T) {
	files, err := filepath.Glob("testdata/*.ebb.gz")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d recordings, %v", len(files), err)
	}
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".ebb.gz"), func(t *testing.T) {
			recording := devtest.UnpackedGolden(t, path)
			if devtest.Updating() {
				recording = decidedAnew(t, path, recording)
			}
			got, written := replayed(t, recording)
			if !bytes.Equal(afterHeader(t, written), afterHeader(t, recording)) {
				t.Error("what the replay writes down is not the recording")
			}
			devtest.Golden(t, strings.TrimSuffix(path, ".ebb.gz")+".txt", got)
		})
	}
}

// decidedAnew has a recording keep its events and take today's decisions. One that has today's
// already stays as it is.
func decidedAnew(t *testing.T, path string, recording []byte) []byte {
	t.Helper()
	player, err := replay.NewPlayer(bytes.NewReader(recording))
	if err != nil {
		t.Fatal(err)
	}
	player.Compare(func(governor.Action) {})
	g, err := governor.New(player.Config())
	if err != nil {
		t.Fatal(err)
	}
	var anew bytes.Buffer
	recorder, err := replay.NewRecorder(player, player.Config(), &anew)
	if err != nil {
		t.Fatal(err)
	}
	if err := governor.Run(context.Background(), g, recorder); err != nil {
		t.Fatal(err)
	}
	if err := recorder.Finish(); err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(afterHeader(t, anew.Bytes()), afterHeader(t, recording)) {
		return recording
	}
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := z.Write(anew.Bytes()); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	devtest.WriteGolden(t, path, packed.Bytes())
	return anew.Bytes()
}

// afterHeader leaves out the magic and the first frame: the configuration as JSON, which may get
// new fields.
func afterHeader(t *testing.T, recording []byte) []byte {
	t.Helper()
	const magic, head = 8, 9 // a frame's head: type, length, checksum
	if len(recording) < magic+head {
		t.Fatalf("a recording of %d bytes", len(recording))
	}
	length := binary.LittleEndian.Uint32(recording[magic+1:])
	return recording[magic+head+int(length):]
}

// replayed says what follows from a recording, and writes it down again.
func replayed(t *testing.T, recording []byte) (text, written []byte) {
	t.Helper()
	player, err := replay.NewPlayer(bytes.NewReader(recording))
	if err != nil {
		t.Fatal(err)
	}
	cfg := player.Config()
	g, err := governor.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	var again bytes.Buffer
	recorder, err := replay.NewRecorder(player, cfg, &again)
	if err != nil {
		t.Fatal(err)
	}
	all := digest{Hash: sha256.New()}
	g.Epochs(all.epoch)
	model := cfg.Power
	if model == (power.Model{}) {
		model = power.Table2()
	}
	var r report.Report
	collector := report.NewObserver(&r, cfg.States, model)
	if err := governor.Run(context.Background(), g, recorder, collector); err != nil {
		t.Fatal(err)
	}
	if err := recorder.Finish(); err != nil {
		t.Fatal(err)
	}
	if player.Truncated() {
		t.Error("the recording is cut off")
	}
	collector.Finish()
	quanta, err := json.Marshal(r.Quanta)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Appendf(nil,
		"recording: sha256 %x, %d actions\nepochs:    sha256 %x, %d\n"+
			"quanta:    sha256 %x, %d\n%s\n",
		sha256.Sum256(recording), player.Applied(), all.Sum(nil), all.n,
		sha256.Sum256(quanta), len(r.Quanta), figures(t, r)), again.Bytes()
}

// figures are the report's fields that are not empty, without quanta and sentences.
func figures(t *testing.T, r report.Report) []byte {
	t.Helper()
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(b, &fields); err != nil {
		t.Fatal(err)
	}
	maps.DeleteFunc(fields, func(name string, value json.RawMessage) bool {
		switch string(value) {
		case "0", `""`, "null":
			return true
		}
		return name == "quanta" || name == "warnings" || name == "machine"
	})
	if b, err = json.MarshalIndent(fields, "", "\t"); err != nil {
		t.Fatal(err)
	}
	return b
}

// digest adds up epochs.
type digest struct {
	hash.Hash
	n int
}

func (d *digest) epoch(e *epochs.Epoch) {
	d.n++
	fmt.Fprintf(d, "%d %d %d %t\n", e.ID, e.Start, e.Dur, e.Hole)
	for i := range e.Rows {
		r := &e.Rows[i]
		fmt.Fprintf(d, "row %d %d %d\n", r.Thread, r.Values, r.Uncounted)
	}
	for i := range e.Ends {
		end := &e.Ends[i]
		fmt.Fprintf(d, "end %c %d %d %d\n", end.Kind, end.Thread, end.By, end.Delay)
	}
}
