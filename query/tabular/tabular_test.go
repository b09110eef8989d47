package tabular_test

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"tapedeck/query/tabular"
)

// A table has its columns in their order, with types, and nulls where a value is nil.
func TestTable(t *testing.T) {
	columns := []tabular.Column{{"period", tabular.Text}, {"tag:a b", tabular.Text}, {"calls", tabular.Integer}, {"at", tabular.Instant}}
	at := time.Date(2026, 10, 3, 4, 5, 6, 7, time.UTC)
	rows := [][]any{{"x", nil, int64(1), at}, {nil, "é, \"", int64(-2), nil}, {"", "v", nil, at}}
	var out bytes.Buffer
	table := tabular.NewTable(&out, columns)
	for _, row := range rows {
		if err := table.WriteValues(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := table.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := parquet.OpenFile(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	var names, types []string
	for _, field := range f.Schema().Fields() {
		names, types = append(names, field.Name()), append(types, field.Type().String())
	}
	if got := strings.Join(names, ";"); got != "period;tag:a b;calls;at" {
		t.Errorf("columns %s", got)
	}
	if got := strings.Join(types, ";"); got != "STRING;STRING;INT(64,true);TIMESTAMP(isAdjustedToUTC=true,unit=NANOS)" {
		t.Errorf("types %s", got)
	}
	var got [][]any
	for _, group := range f.RowGroups() {
		r := group.Rows()
		buffer := make([]parquet.Row, 10)
		n, err := r.ReadRows(buffer)
		if err != nil && !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		for _, row := range buffer[:n] {
			values := make([]any, len(columns))
			for i, v := range row {
				switch {
				case v.IsNull():
				case columns[i].Kind == tabular.Integer:
					values[i] = v.Int64()
				case columns[i].Kind == tabular.Instant:
					values[i] = time.Unix(0, v.Int64()).UTC()
				default:
					values[i] = v.String()
				}
			}
			got = append(got, values)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if d := cmp.Diff(rows, got); d != "" {
		t.Error(d)
	}
}

// Raw cells keep their text, and encoding/csv reads the same.
func TestRecords(t *testing.T) {
	want := [][]string{{"a", "b,c"}, {"=1+1", "line\nend"}, {`"q"`, ""}}
	var out bytes.Buffer
	r := tabular.NewRecords(&out, tabular.RawCells)
	for _, cells := range want {
		if err := r.Write(cells); err != nil {
			t.Fatal(err)
		}
	}
	got, err := csv.NewReader(&out).ReadAll()
	if d := cmp.Diff(want, got); err != nil || d != "" {
		t.Errorf("%v %s", err, d)
	}
}

// TestSafeCells gives an apostrophe to what a spreadsheet would run, and changes nothing else.
func TestSafeCells(t *testing.T) {
	for in, want := range map[string]string{
		"=1+1": "'=1+1", "=HYPERLINK(\"http://x\")": "'=HYPERLINK(\"http://x\")", "+cmd|' /C calc'!A0": "'+cmd|' /C calc'!A0",
		"-2+3": "'-2+3", "@SUM(1)": "'@SUM(1)", "\t=1": "'\t=1", "\r=1": "'\r=1", " =1": "' =1", "\n\n@x": "'\n\n@x", "\ufeff=1": "'\ufeff=1", "\u00a0+x": "'\u00a0+x",
		"＝1": "'＝1", "－x": "'－x", "-": "'-", "--help": "'--help", "-1-1": "'-1-1", "+": "'+", "-0x1": "'-0x1", "-1,5": "'-1,5", "-1\n": "'-1\n",
		"-1": "-1", "-0.000125": "-0.000125", "+1.5e-7": "+1.5e-7", "-1E5": "-1E5", "12": "12",
		"": "", "gpt-5": "gpt-5", "a=b": "a=b", "'quoted": "'quoted", "{\"a\":\"=1\"}": "{\"a\":\"=1\"}", "2026-11-26T00:00:00Z": "2026-11-26T00:00:00Z", "é=": "é=", "  ": "  ",
	} {
		if got := tabular.SafeCell(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	var out bytes.Buffer
	if err := tabular.NewRecords(&out, tabular.SafeCells).Write([]string{"=1", "x;=1", "a\t=1", "-3"}); err != nil || out.String() != "'=1,\"x;=1\",\"a\t=1\",-3\r\n" {
		t.Errorf("%v, %q", err, out.String())
	}
}

// A spool returns what was written.
func TestSpool(t *testing.T) {
	s, err := tabular.NewSpool()
	if err != nil {
		t.Fatal(err)
	}
	var want, got bytes.Buffer
	for i := range 5000 {
		line := strings.Repeat("row ", i%97) + "\n"
		want.WriteString(line)
		if _, err := io.WriteString(s, line); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.CopyTo(&got); err != nil || !bytes.Equal(want.Bytes(), got.Bytes()) {
		t.Errorf("%v, %d bytes of %d", err, got.Len(), want.Len())
	}
}
