package table

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/epochs"
)

const (
	goodHeader = `# {"workload":"w","freq_mhz":1000,"n_threads":2,"total_ns":900,"epochs":2,"time_unit":"ns"}` + "\n"
	goodNames  = "epoch,t_start,dur,end_events,tid,insts,other\n"
	goodFirst  = "0,0,500,S1<0,0,1200,x\n"
	goodRows   = goodFirst + "1,500,400,F,0,900,y\n1,500,400,F,1,880,\n"
	goodTable  = goodHeader + goodNames + goodRows
)

func TestErrors(t *testing.T) {
	with := func(row string) string { return goodHeader + goodNames + goodFirst + row }
	tests := map[string]struct {
		text string
		want error
		at   string // the beginning of the message
		good int    // epochs before it
	}{
		"empty":     {"", ErrHeader, "t.csv:1: ", 0},
		"no table":  {"hello\nworld\n", ErrHeader, "t.csv:1: ", 0},
		"binary":    {"\x7fELF\x00\x01", ErrHeader, "t.csv:1: ", 0},
		"no JSON":   {"# {\"freq_mhz\": \n" + goodNames, ErrHeader, "t.csv:1: ", 0},
		"no object": {"# [1]\n" + goodNames, ErrHeader, "t.csv:1: ", 0},
		"null":      {"# null\n" + goodNames, ErrHeader, "t.csv:1: ", 0},
		"no frequency": {"# {\"time_unit\":\"ns\"}\n" + goodNames, ErrHeader, "t.csv:1: ",
			0},
		"frequency 0": {"# {\"time_unit\":\"ns\",\"freq_mhz\":0}\n" + goodNames, ErrHeader,
			"t.csv:1: ", 0},
		"frequency a word": {"# {\"time_unit\":\"ns\",\"freq_mhz\":\"1000\"}\n" + goodNames,
			ErrNotNumber, "t.csv:1: ", 0},
		"negative total": {"# {\"time_unit\":\"ns\",\"freq_mhz\":1,\"total_ns\":-5}\n" +
			goodNames, ErrNegative, "t.csv:1: ", 0},
		"unknown unit": {"# {\"time_unit\":\"us\",\"freq_mhz\":1}\n" + goodNames, ErrHeader,
			"t.csv:1: ", 0},
		"header only": {goodHeader, ErrColumn, "t.csv:2: ", 0},
		"torn header": {goodHeader[:40], ErrTorn, "t.csv:1: ", 0},
		"torn names":  {goodHeader + goodNames[:20], ErrTorn, "t.csv:2: ", 0},
		"no dur": {goodHeader + "epoch,t_start,end_events,tid\n", ErrColumn,
			"t.csv:2: ", 0},
		"twice tid": {goodHeader + "epoch,t_start,dur,end_events,tid,tid\n", ErrColumn,
			"t.csv:2: ", 0},
		"nameless": {goodHeader + "epoch,t_start,dur,end_events,tid,\n", ErrColumn,
			"t.csv:2: ", 0},
		"few cells":  {with("1,500,400,F,0\n"), ErrWidth, "t.csv:4: ", 0},
		"many cells": {with("1,500,400,F,0,1,2,3\n"), ErrWidth, "t.csv:4: ", 0},
		"blank line": {with("\n"), ErrWidth, "t.csv:4: ", 0},
		"word": {with("1,500,400,F,0,many,\n"), ErrNotNumber,
			"t.csv:4: column insts: ", 1},
		"word in first row": {goodHeader + goodNames + "0,0,500,F,0,many,\n", ErrNotNumber,
			"t.csv:3: column insts: ", 0},
		"nothing": {with("1,500,400,F,0,,\n"), ErrNotNumber, "t.csv:4: column insts: ",
			1},
		"NaN": {with("1,500,400,F,0,NaN,\n"), ErrNotNumber,
			"t.csv:4: column insts: ", 1},
		"Inf": {with("1,500,inf,F,0,1,\n"), ErrNotNumber, "t.csv:4: column dur: ",
			1},
		"NaN as the epoch": {with("nan,500,400,F,0,1,\n"), ErrNotNumber,
			"t.csv:4: column epoch: ", 0},
		"negative": {with("1,500,400,F,0,-3,\n"), ErrNegative, "t.csv:4: column insts: ",
			1},
		"negative thread": {with("1,500,400,F,-2,3,\n"), ErrNegative, "t.csv:4: column tid: ",
			1},
		"fraction of time": {with("1,500,400.5,F,0,3,\n"), ErrNotWhole, "t.csv:4: column dur: ",
			1},
		"exponent": {with("1,5e2,400,F,0,3,\n"), ErrNotWhole,
			"t.csv:4: column t_start: ", 1},
		"too large": {with("1,500,9223372036854775808,F,0,3,\n"), ErrRange,
			"t.csv:4: column dur: ", 1},
		"end too late": {with("1,500,9223372036854775807,F,0,3,\n"), ErrRange,
			"t.csv:4: column dur: ", 1},
		"thread too large": {with("1,500,400,F,2147483648,3,\n"), ErrRange,
			"t.csv:4: column tid: ", 1},
		"unknown end": {with("1,500,400,Q,0,3,\n"), ErrEnds, "t.csv:4: column end_events: ",
			1},
		"durations differ": {with("1,500,400,F,0,3,\n1,500,401,F,1,3,\n"), ErrDisagree,
			"t.csv:5: column dur: ", 1},
		"starts differ": {with("1,500,400,F,0,3,\n1,501,400,F,1,3,\n"), ErrDisagree,
			"t.csv:5: column t_start: ", 1},
		"ends differ": {with("1,500,400,F,0,3,\n1,500,400,-,1,3,\n"), ErrDisagree,
			"t.csv:5: column end_events: ", 1},
		"a thread twice": {with("1,500,400,F,0,3,\n1,500,400,F,2,3,\n1,500,400,F,0,3,\n"),
			ErrDisagree, "t.csv:6: column tid: ", 1},
		"idle and running": {with("1,500,400,F,-1,0,\n1,500,400,F,1,3,\n"), ErrDisagree,
			"t.csv:5: column tid: ", 1},
		"epochs out of order": {with("2,500,400,F,0,3,\n1,900,400,F,1,3,\n"), ErrOrder,
			"t.csv:5: column epoch: ", 2},
		"an epoch returns": {with("1,500,400,F,0,3,\n0,900,400,F,1,3,\n"), ErrOrder,
			"t.csv:5: column epoch: ", 2},
		"overlap": {with("1,499,400,F,0,3,\n"), ErrOrder, "t.csv:4: column t_start: ",
			1},
		"torn in a row":     {with("1,500,400,F,0,9"), ErrTorn, "t.csv:4: ", 1},
		"torn in its id":    {with("1"), ErrTorn, "t.csv:4: ", 0},
		"torn in the epoch": {with("0,0,50"), ErrTorn, "t.csv:4: ", 0},
		"long line": {with(strings.Repeat("1", maxLine+1) + "\n"), ErrLongLine,
			"t.csv:4: ", 0},
		"long header": {"# " + strings.Repeat(" ", maxLine) + "\n", ErrLongLine,
			"t.csv:1: ", 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			check := func(src io.Reader, file string) {
				r, err := NewReader(src, file)
				var got []epochs.Epoch
				if err == nil {
					got, err = readAll(r)
				}
				var where *Error
				if !errors.Is(err, tt.want) || !errors.As(err, &where) ||
					!strings.HasPrefix(err.Error(), tt.at) || len(got) != tt.good {
					t.Errorf("%d epochs, then %v; want %d, then %s%v", len(got), err, tt.good,
						tt.at, tt.want)
				}
				if r != nil {
					if _, again := r.Next(); !errors.Is(again, tt.want) {
						t.Errorf("Next after the error: %v", again)
					}
				}
			}
			check(strings.NewReader(tt.text), "t.csv")
			check(bytes.NewReader(zipped(tt.text)), "t.csv") // the bytes decide, not the name
		})
	}
}

func zipped(text string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, text)
	z.Close()
	return b.Bytes()
}
