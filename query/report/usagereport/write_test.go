package usagereport_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"tapedeck/internal/problem"
	"tapedeck/query"
	"tapedeck/query/querytest"
	"tapedeck/query/report/grouping"
	"tapedeck/query/report/usagereport"
	"tapedeck/query/tabular"
	"tapedeck/schema"
)

// A report has the same rows in all formats: those below, which were computed by hand. A
// million input tokens cost 1.25 dollars with gpt-5, 0.25 with gpt-5-mini.
func TestFormats(t *testing.T) {
	db := querytest.Open(t)
	tagged := func(value string) schema.StreamState {
		return schema.StreamState{Tags: map[string]string{"who, when": value}}
	}
	db.Add(
		querytest.Recording{Session: "a", Stream: 1, State: tagged("x,\"y\""), Usages: []schema.Usage{
			querytest.Used("a", "gpt-5", 0, schema.Tokens{Input: 1e6}),
			querytest.Used("b", "gpt-5-mini", 1, schema.Tokens{Input: 2e6}),
			querytest.Used("c", "gpt-5", 24*3600, schema.Tokens{Input: 3e6}),
		}},
		querytest.Recording{Session: "b", Stream: 2, Usages: []schema.Usage{querytest.Used("d", "in-house", 2, schema.Tokens{Input: 7})}},
	)
	r := query.NewReader(db.Conn)
	reason := `[{"reason":"unknown_model","model":"in-house","calls":1,"tokens":7}]`
	for _, tc := range []struct {
		name string
		q    usagereport.Query
		want []string // period, group, other groups, calls, total, cost, what-if cost, reasons
	}{
		{"by day and model", usagereport.Query{GroupBy: []string{"model"}, Granularity: grouping.Daily, WhatIfModel: "gpt-5"}, []string{
			"2026-03-02|gpt-5|0|1|1000000|1.25|1.25|", "2026-03-02|gpt-5-mini|0|1|2000000|0.5|2.5|",
			"2026-03-02|in-house|0|1|7||0.00000875|" + reason, "2026-03-03|gpt-5|0|1|3000000|3.75|3.75|",
		}},
		{"by a tag", usagereport.Query{GroupBy: []string{"tag:who, when"}}, []string{"||0|1|7|||" + reason, `|x,"y"|0|3|6000000|5.5||`}},
		{"the dearest", usagereport.Query{GroupBy: []string{"model"}, Order: "-cost", Top: 1}, []string{
			"|gpt-5|0|2|4000000|5||", "||2|2|2000007|0.5||" + reason,
		}},
	} {
		tc.q.Tenant = db.Tenant
		for _, f := range []tabular.Format{tabular.NDJSON, tabular.CSV, tabular.Parquet} {
			var out bytes.Buffer
			if err := usagereport.Write(t.Context(), r, tc.q, f, &out); err != nil {
				t.Fatalf("%s as %s: %v", tc.name, f, err)
			}
			var rows []map[string]string
			switch f {
			case tabular.NDJSON:
				rows = fromLines(t, out.Bytes())
			case tabular.CSV:
				rows = fromCSV(t, &out, tc.q.GroupBy[0])
			default:
				rows = fromParquet(t, out.Bytes())
			}
			var got []string
			for _, row := range rows {
				got = append(got, strings.Join([]string{
					row["period"], row[tc.q.GroupBy[0]], row["other_groups"], row["calls"], row["total"], row["cost"], row["what_if_cost"], row["unpriced_reasons"],
				}, "|"))
			}
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Errorf("%s as %s: %s", tc.name, f, d)
			}
		}
	}

	// What is invalid is an error before the first byte.
	for want, q := range map[string]usagereport.Query{
		"tag:nobody": {GroupBy: []string{"tag:nobody"}}, "currency": {Currency: "EUR"}, "what_if_model": {WhatIfModel: "no such model"},
	} {
		q.Tenant = db.Tenant
		var out bytes.Buffer
		err := usagereport.Write(t.Context(), r, q, tabular.CSV, &out)
		if p, ok := errors.AsType[*problem.Problem](err); !ok || p.Status != 400 || !strings.Contains(p.Detail+p.Parameter, want) || out.Len() > 0 {
			t.Errorf("%s: %v after %d bytes", want, err, out.Len())
		}
	}
}

// fromLines reads NDJSON; costs are their amounts.
func fromLines(t *testing.T, body []byte) (rows []map[string]string) {
	t.Helper()
	for line := range bytes.Lines(body) {
		var v map[string]json.RawMessage
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		row := map[string]string{}
		for name, raw := range v {
			var s *string
			var of struct {
				Amount string
				Total  int64
			}
			switch {
			case string(raw) == "null":
			case json.Unmarshal(raw, &s) == nil:
				row[name] = *s
			case raw[0] == '{' && json.Unmarshal(raw, &of) == nil && of.Amount != "":
				row[name] = of.Amount
			case name == "tokens":
				row["total"] = strconv.FormatInt(of.Total, 10)
			default:
				row[name] = string(raw)
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// fromCSV reads CSV without the row of totals, in which the others of a group have no number.
func fromCSV(t *testing.T, body io.Reader, by string) (rows []map[string]string) {
	t.Helper()
	all, err := csv.NewReader(body).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if last := all[len(all)-1]; last[0] != "total" {
		t.Errorf("the last row is %q", last)
	}
	for _, cells := range all[1 : len(all)-1] {
		row := map[string]string{"other_groups": "0"}
		for i, name := range all[0] {
			row[name] = cells[i]
		}
		switch row[by] {
		case grouping.Unknown:
			row[by] = ""
		case "(others)":
			row[by], row["other_groups"] = "", "2"
		}
		rows = append(rows, row)
	}
	return rows
}

func fromParquet(t *testing.T, body []byte) (rows []map[string]string) {
	t.Helper()
	f, err := parquet.OpenFile(bytes.NewReader(body), int64(len(body)))
	if err != nil {
		t.Fatal(err)
	}
	fields := f.Schema().Fields()
	for _, group := range f.RowGroups() {
		r := group.Rows()
		buffer := make([]parquet.Row, 100)
		n, err := r.ReadRows(buffer)
		if err != nil && !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		for _, values := range buffer[:n] {
			row := map[string]string{}
			for i, v := range values {
				if !v.IsNull() {
					row[fields[i].Name()] = v.String()
				}
			}
			if start := row["period_start"]; (start != "") != (row["period"] != "") {
				t.Errorf("period %s begins at %s", row["period"], start)
			} else if ns, _ := strconv.ParseInt(start, 10, 64); start != "" && time.Unix(0, ns).UTC().Format(time.DateOnly) != row["period"] {
				t.Errorf("period %s begins at %s", row["period"], start)
			}
			rows = append(rows, row)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return rows
}
