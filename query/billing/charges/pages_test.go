package charges_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/fulltest"
	"tapedeck/query"
	"tapedeck/query/billing/charges"
	"tapedeck/query/querytest"
	"tapedeck/schema"
)

// hostileNames are texts of sources that formats and parameters must keep as they are.
var hostileNames = []string{
	"=HYPERLINK(\"http://example.com\",\"x\")", "+1", "-1", "@SUM(A1)", "a,b", "\"quoted\"", "two\nlines", "crlf\r\nend", "tab\tand\\t", "it's",
	"nul\x00in", "ünï🎞", "x' OR 1=1 --", "{after_at:Int64}", " ", "\u2028", "\u0085", "\ufdd0", "%41", "a.b", "\\N", "NULL",
}

// hostile records sessions with such names, two calls of each at one time.
func hostile(db *querytest.DB) {
	for i, name := range hostileNames {
		u, v := used(name, "speaker", 1, schema.Tokens{Input: 1, Output: uint64(i)}), used(name+"2", name, 1, schema.Tokens{Input: 3})
		for _, u := range []*schema.Usage{&u, &v} {
			u.Agent, u.Run, u.Span, u.RequestID, u.MessageID, u.RequestedModel = name, name, name, name, name, name
		}
		db.Add(querytest.Recording{
			Session: name, Stream: i + 1, State: schema.StreamState{Tags: map[string]string{"customer": name, name: "x"}}, Usages: []schema.Usage{u, v},
		})
	}
}

// Pages and chunks of any size hold all charges once, in one order.
func TestPages(t *testing.T) {
	fulltest.Long(t)
	db := querytest.New(t)
	fill(db)
	hostile(db)
	r := querytest.Reader(db, 1e6, query.WithPrices(pricesWith(t, operatorPrices)))
	all := list(t, r, charges.Query{})
	if len(all) != 10+2*len(hostileNames) {
		t.Fatalf("%d charges, want %d", len(all), 10+2*len(hostileNames))
	}
	if !slices.IsSortedFunc(all, func(a, b *charges.Charge) int { return a.At.Compare(b.At) }) {
		t.Error("the charges are not in order of time")
	}
	q := charges.Query{Tenant: querytest.Tenant}
	for _, size := range []int{7, len(all) - 1, len(all)} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			var paged, walked []*charges.Charge
			for cursor := ""; ; {
				page := querytest.Must[*charges.Page](t)(charges.ReadPage(t.Context(), r, q, cursor, size))
				if paged = append(paged, page.Items...); page.Next == nil {
					break
				}
				if len(page.Items) != size {
					t.Fatalf("a page of %d with another after it", len(page.Items))
				}
				cursor = *page.Next
			}
			if d := cmp.Diff(all, paged); d != "" {
				t.Errorf("pages differ from the list:\n%s", d)
			}
			err := charges.WalkInChunks(t.Context(), r, q, size, func(c *charges.Charge) error { walked = append(walked, c); return nil })
			if d := cmp.Diff(all, walked); d != "" || err != nil {
				t.Errorf("chunks differ from the list: %v\n%s", err, d)
			}
		})
	}
	t.Run("names", func(t *testing.T) {
		for _, name := range hostileNames {
			i := slices.IndexFunc(all, func(c *charges.Charge) bool { return c.ChargeID == charges.ID(querytest.Tenant, name, name) })
			if i < 0 {
				t.Errorf("there is no charge of session %q", name)
				continue
			}
			c := all[i]
			for _, got := range []string{c.SessionID, c.Agent, c.RunID, c.SpanID, c.RequestID, c.MessageID, *c.RequestedModel, c.Tags["customer"]} {
				if got != name {
					t.Errorf("%q is %q", name, got)
				}
			}
		}
	})
}
