package hostile

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// reads has ebb read something hostile without a machine: it ends by itself in 20 s, in its bounds,
// and says what is wrong.
func reads(t *testing.T, b *bed, args ...string) {
	t.Helper()
	r := b.start(t, args...)
	if !r.within(20 * time.Second) {
		t.Errorf("ebb %.100q runs for more than 20 s", args)
	}
	r.holds()
	if r.within(0) && r.cmd.ProcessState.Success() {
		t.Errorf("ebb %.100q takes it for good", args)
	}
	clean(t, "what ebb says", r.stderr())
}

// attackDevZero: what is to be read is a file without end.
func attackDevZero(t *testing.T) {
	b := lay(t)
	for _, args := range [][]string{
		{"report", "/dev/zero"}, {"report", "/dev/zero", "--diff", "/dev/zero"},
		{"predict", "/dev/zero", "--to", "2GHz"}, {"replay", "/dev/zero"},
		{"watch", "/dev/zero"},
		{"run", "--config", "/dev/zero", "--", "true"},
	} {
		reads(t, b, args...)
	}
}

// attackConfigBomb: a configuration that is nested, or has more than there is room for.
func attackConfigBomb(t *testing.T) {
	b := lay(t)
	deep := strings.Repeat("[", 4<<20)
	for name, content := range map[string]string{
		"nested": "a = " + deep, "keys": strings.Repeat("a.", 4<<20) +
			"a = 1\n", "tables": strings.Repeat("[[a]]\n", 4<<20),
		"number": "quantum = \"" + strings.Repeat("9", 1<<20) +
			"h\"\n", "powers": "[power]\ncapacitance = 1e308\n",
	} {
		path := b.file(t, name+".toml", []byte(content))
		reads(t, b, append(append([]string{"run", "--config", path}, b.machine()...), "--",
			"true")...)
	}
}

// attackReportBomb: another user's report is deeply nested, or claims to have more than it has.
func attackReportBomb(t *testing.T) {
	b := lay(t)
	for name, content := range map[string]string{
		"nested":  `{"attribution":` + strings.Repeat("[", 8<<20),
		"objects": strings.Repeat(`{"attribution":`, 1<<20),
		"indices": `{"attribution":{"rules":["ledger"],"frames":[{"name":"a"}],"threads":[{"tid":1}],"stacks":[{"thread":-1,"frames":[-5,99999999],"energy_nj":[1]}]}}`,
		"rules":   `{"attribution":{"rules":["ledger"],"zones":[{"name":"a"}],"stacks":[{"thread":7,"frames":[1],"energy_nj":[]}]}}`,
		"empties": `{"attribution":{"rules":["ledger"],"stacks":[` + strings.Repeat("{},", 12<<20) +
			`{}]}}`,
	} {
		path := b.file(t, name+".json", []byte(content))
		reads(t, b, "report", path)
	}
}

// header begins an epoch table.
const header = "# {\"workload\":\"w\",\"freq_mhz\":4000,\"n_threads\":2,\"total_ns\":1000," +
	"\"epochs\":2,\"time_unit\":\"ns\"}\nepoch,t_start,dur,end_events,hole,tid\n"

// attackTableBomb: a compressed table of a few KiB unpacks to gigabytes, in one line.
func attackTableBomb(t *testing.T) {
	b := lay(t)
	for name, block := range map[string]string{"line": strings.Repeat("9", 1<<20),
		"lines": strings.Repeat("\n", 1<<20), "commas": strings.Repeat(",", 1<<20)} {
		var out bytes.Buffer
		z := gzip.NewWriter(&out)
		_, _ = z.Write([]byte(header))
		for range 2048 {
			_, err := z.Write([]byte(block))
			must(t, err)
		}
		must(t, z.Close())
		reads(t, b, "predict", b.file(t, name+".csv.gz", out.Bytes()), "--to", "2GHz")
	}
}

// attackThreadIDs: a table of two million threads.
func attackThreadIDs(t *testing.T) {
	b := lay(t)
	example, err := os.ReadFile(tableOf(t, b))
	must(t, err)
	lines := strings.SplitAfter(string(example), "\n")
	if !strings.HasPrefix(lines[1], "epoch,t_start,dur,end_events,hole,") {
		t.Fatalf("another table: %.300q", example)
	}
	var out strings.Builder
	out.WriteString(regexp.MustCompile(`"epochs":\d+`).ReplaceAllString(lines[0],
		`"epochs":2000000`) + lines[1])
	columns := strings.Split(strings.TrimSpace(lines[1]), ",")
	waits := slices.Index(columns, "tid") - 5 // columns between
	for i := range 2_000_000 {
		fmt.Fprintf(&out, "%d,%d,1,R%d,0%s,%d%s\n", i, i, i+1, strings.Repeat(",0", waits), i+1,
			strings.Repeat(",1", len(columns)-6-waits))
	}
	r := b.start(t, "predict", b.file(t, "threads.csv", []byte(out.String())), "--to", "2GHz")
	if !r.within(30 * time.Second) {
		t.Error("ebb predict runs for more than 30 s")
	}
	r.holds()
}

// tableOf is an epoch table of a short run.
func tableOf(t *testing.T, b *bed) string {
	t.Helper()
	path := filepath.Join(b.own, "table.csv")
	said := tried(t, append(append([]string{"record", "-q"}, b.machine()...), "--epochs", path,
		"--", "sh", "-c", "sleep 0.1; true")...)
	if _, err := os.Stat(path); err != nil {
		t.Fatal(said)
	}
	return path
}

// attackRecording: a recording whose frames' lengths lie.
func attackRecording(t *testing.T) {
	b := lay(t)
	path := filepath.Join(b.own, "r.ebb")
	tried(t, append(append([]string{"run", "-q"}, b.machine()...), "--record", path, "--", "sh",
		"-c", "sleep 0.2")...)
	whole, err := os.ReadFile(path)
	must(t, err)
	for i := 0; i < 24; i++ {
		at := i * max(1, len(whole)/24)
		forged := bytes.Clone(whole)
		for k := at; k < min(len(forged), at+8); k++ {
			forged[k] = 0xff
		}
		if i%3 == 0 && at+8 <= len(forged) {
			binary.LittleEndian.PutUint64(forged[at:], 1<<40)
		}
		r := b.start(t, "replay", b.file(t, fmt.Sprint("f", i, ".ebb"), forged))
		if !r.within(10 * time.Second) {
			t.Errorf("replay with lies at %d runs for more than 10 s", at)
		}
		r.holds()
		clean(t, "what ebb says", r.stderr())
	}
}
