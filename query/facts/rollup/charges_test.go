package rollup_test

import (
	"bytes"
	"fmt"
	"strings"

	"tapedeck/query"
	"tapedeck/query/billing/charges"
	"tapedeck/query/querytest"
)

// lines returns the charges of each of two lists: of all time, and of a range that cuts sessions.
func (w *world) lines(r *query.Reader) (list []string) {
	w.Helper()
	for _, q := range []charges.Query{
		{Tenant: querytest.Tenant},
		{Tenant: querytest.Tenant, From: querytest.When(30), To: querytest.When(day + 60)},
	} {
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
