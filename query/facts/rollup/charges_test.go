package rollup_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"tapedeck/internal/fulltest"
	"tapedeck/query"
	"tapedeck/query/billing/charges"
	"tapedeck/query/facts/rollup"
	"tapedeck/query/querytest"
	"tapedeck/schema"
)

// lines returns the charges of each of two lists: of all time, and of a range that cuts sessions.
func (w *world) lines(r *query.Reader) (list []string) {
	w.Helper()
	asked := []charges.Query{
		{Tenant: querytest.Tenant},
		{Tenant: querytest.Tenant, From: querytest.When(30), To: querytest.When(day + 60)},
	}
	if w.ofCalls {
		asked = asked[:1]
	}
	for _, q := range asked {
		var b bytes.Buffer
		if err := charges.Write(w.Context(), r, q, charges.NDJSON, &b); err != nil {
			w.Fatal(err)
		}
		list = append(list, b.String())
	}
	return list
}

// stillCharged compares the charges with what is settled to those that same read last.
func (w *world) stillCharged(what string) {
	w.Helper()
	for i, got := range w.lines(w.fast) {
		querytest.Equal(w.T, fmt.Sprintf("%s: charges %d", what, i), strings.Split(w.charged[i], "\n"), strings.Split(got, "\n"))
	}
}

// Months that an earlier program settled, without charges, are read from the tables and settled anew.
func TestChargesOfEarlierProgram(t *testing.T) {
	fulltest.Long(t)
	w := newWorld(t)
	w.db.Add(querytest.Recording{Session: "a", Stream: 1, State: tagged("c1"), Usages: []schema.Usage{
		querytest.Used("u", "gpt-5", 1, schema.Tokens{Input: 5}), running("r1", 2, 10), running("r2", 3, 30),
	}})
	w.settle()
	has := func(want bool) {
		t.Helper()
		view, err := rollup.Read(t.Context(), w.fast, querytest.Tenant, nil, nil)
		if err != nil || view.All || len(view.Batches) != 1 || view.HasCharges() != want {
			t.Fatalf("%v, %+v, want charges: %t", err, view, want)
		}
	}
	has(true)
	w.db.Exec(`INSERT INTO settlements (name, id, content, pending)
		SELECT name, id + 1, replaceAll(content, '"charges":true', '"charges":false'), pending FROM settlements FINAL`)
	has(false)
	w.same("an earlier program's")
	w.settle()
	has(true)
	w.still("settled anew")
}
