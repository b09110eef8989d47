package bills

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"tapedeck/internal/fulltest"
	"tapedeck/internal/metric/metrictest"
	"tapedeck/query/querytest"
	"tapedeck/schema"
)

const storyPrices = `
accounts:
  - {tag: customer, name: Customer *, zone: Europe/Berlin, prefix: C-}
  - {tenant: true}
prices:
  - {name: gpt, provider: openai, model: gpt-5, whole: true, prices: {input_mtok: %s, output_mtok: 8}}
  %s
margins:
  - {name: all, factor: 1.2}
`

// TestStory closes March in Europe/Berlin, which ends on 31 March at 22:00 UTC. Then a
// session is imported late, the frames of one are decoded anew by another version of its dialect, a price is mended, a model gets a price, a
// session moves to another account and one is deleted. The closed bill stays as it is, and
// April has the corrections. All amounts were computed by hand.
func TestStory(t *testing.T) {
	fulltest.Long(t)
	metrictest.Grow(t, "tapedeck_bills_closed_total", "tapedeck_bill_rows_total", "tapedeck_bill_close_seconds")
	w := newWorld(t)
	w.prices(fmt.Sprintf(storyPrices, "2", ""))
	w.session("plain", "customer=c1", call("a", "2026-03-02T10:00:00Z", "anthropic", opus, 1000, 200))
	w.session("edge", "customer=c1",
		call("before", "2026-02-28T22:59:59Z", "anthropic", opus, 7, 0), call("first", "2026-02-28T23:00:00Z", "anthropic", opus, 10, 0),
		call("last", "2026-03-31T21:59:59Z", "anthropic", opus, 20, 0), call("after", "2026-03-31T22:00:00Z", "anthropic", opus, 40, 0))
	w.session("mended", "customer=c1", call("a", "2026-03-03T10:00:00Z", "openai", "gpt-5", 1_000_000, 0))
	w.session("unpriced", "customer=c1", call("a", "2026-03-04T10:00:00Z", "house", "in-house", 500, 50))
	w.recordMeter("decoded", "customer", "c1", "2026-03-05T10:00:00Z") // calls of 100 and 100, and of 1 and 1
	moves := w.session("moves", "customer=c1", call("a", "2026-03-06T10:00:00Z", "anthropic", opus, 300, 0))
	w.session("deleted", "customer=c1", call("a", "2026-03-07T10:00:00Z", "anthropic", opus, 400, 0))
	w.session("other", "customer=c2", call("a", "2026-03-08T10:00:00Z", "anthropic", opus, 1, 0))
	w.session("untagged", "", call("a", "2026-03-09T10:00:00Z", "anthropic", opus, 2, 0))

	w.now = at("2026-03-31T21:59:00Z")
	w.refuse("customer=c1", "2026-03", 409, "ends on 2026-04-01T00:00:00+02:00")
	w.now = at("2026-03-31T22:59:59Z")
	w.refuse("customer=c1", "2026-03", 409, "a draft until 2026-04-01T01:00:00+02:00")
	w.now = at("2026-03-31T23:00:00Z")
	// The bill begins the account: a call of February stays without one, as is stated.
	w.refuse("customer=c1", "2026-03", 409, "1 earlier month (2026-02) has usage of 0.000042 USD that no bill will hold")
	march := w.closeLeaving("customer=c1", "2026-03")
	// 5 × 1.2 is 6 for a million input tokens, 25 × 1.2 is 30 for output, and 2 × 1.2 of gpt-5.
	querytest.Equal(t, "rows of March", lines(
		"edge claude-opus-5 input_tokens 10 × 6 = 0.00006",
		"plain claude-opus-5 input_tokens 1000 × 6 = 0.006",
		"plain claude-opus-5 output_tokens 200 × 30 = 0.006",
		"mended gpt-5 input_tokens 1000000 × 2.4 = 2.4",
		"unpriced in-house input_tokens 500 × ? = unknown_provider",
		"unpriced in-house output_tokens 50 × ? = unknown_provider",
		"decoded claude-opus-5 input_tokens 100 × 6 = 0.0006",
		"decoded claude-opus-5 output_tokens 100 × 30 = 0.003",
		"decoded claude-opus-5 input_tokens 1 × 6 = 0.000006",
		"decoded claude-opus-5 output_tokens 1 × 30 = 0.00003",
		"moves claude-opus-5 input_tokens 300 × 6 = 0.0018",
		"deleted claude-opus-5 input_tokens 400 × 6 = 0.0024",
		"edge claude-opus-5 input_tokens 20 × 6 = 0.00012",
	), w.rows(march))
	// opus input 10+1000+100+1+300+400+20 = 1831 → 0.010986 → 0.01; output 301 → 0.00903 → 0.01; 2.40.
	if march.Number != "C-000001" || march.BilledCost.String() != "2.420016" || march.Total.String() != "2.42" || march.Residual.String() != "-0.000016" ||
		march.Charges != 9 || march.Unpriced != 1 || march.Corrections != 0 || march.Rows != 13 || march.AccountName != "Customer c1" {
		t.Errorf("March: %+v", march)
	}
	frozen := w.csv(march)
	if sum := sha256.Sum256(frozen); hex.EncodeToString(sum[:]) != march.RowsHash {
		t.Errorf("the hash of the rows is %x, the bill has %s", sum, march.RowsHash)
	}
	w.refuse("customer=c1", "2026-03", 409, "bill C-000001")
	w.refuse("customer=c1", "2026-02", 409, "The first bill of customer=c1 is of 2026-03")
	w.refuse("customer=c1", "2026-05", 409, "Close 2026-04 first")
	w.now = at("2026-04-01T01:00:00Z") // the tenant's own account is in UTC
	other := w.close("customer=c2", "2026-03")
	own := w.close("tenant", "2026-03")
	if other.Number != "C-000002" || own.Number != "INV-000001" || w.rows(own) != "untagged claude-opus-5 input_tokens 2 × 6 = 0.000012" {
		t.Errorf("other bills: %s, %s, %s", other.Number, own.Number, w.rows(own))
	}
	if v := w.verify("C-000001"); !v.Equal {
		t.Errorf("a bill of which nothing changed: %+v", v)
	}

	// What changes after the close.
	w.session("late", "customer=c1", call("a", "2026-03-31T20:00:00Z", "anthropic", opus, 5000, 0))
	w.prices(fmt.Sprintf(storyPrices, "1.5", "- {name: house, provider: house, whole: true, prices: {input_mtok: 10, output_mtok: 20}}"))
	w.redecodeMeter("decoded") // one call of 60 and 130: the other is no call
	moves.State = schema.StreamState{Version: 9, Tags: map[string]string{"customer": "c2"}}
	w.db.Add(moves)
	w.delete("deleted")
	w.session("april", "customer=c1", call("a", "2026-04-02T10:00:00Z", "openai", "gpt-5", 1000, 0))

	if got := w.csv(march); !bytes.Equal(got, frozen) {
		t.Errorf("the rows of March changed:\n%s\n%s", frozen, got)
	}
	w.now = at("2026-04-15T00:00:00Z")
	var previewed []string
	preview, err := w.store.Preview(t.Context(), querytest.Tenant, "customer=c1", "2026-04", func(r *Row) error {
		previewed = append(previewed, rowText(r))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	w.now = at("2026-05-01T12:00:00Z")
	april := w.close("customer=c1", "2026-04")
	rows := strings.Split(w.rows(april), "\n")
	slices.Sort(rows)
	want := []string{
		"edge claude-opus-5 input_tokens 40 × 6 = 0.00024",
		"april gpt-5 input_tokens 1000 × 1.8 = 0.0018",
		"2026-03 late: late claude-opus-5 input_tokens 5000 × 6 = 0.03",
		"2026-03 redecoded: decoded claude-opus-5 input_tokens -40 × 6 = -0.00024",
		"2026-03 redecoded: decoded claude-opus-5 output_tokens 30 × 30 = 0.0009",
		"2026-03 redecoded: decoded claude-opus-5 input_tokens -1 × 6 = -0.000006",
		"2026-03 redecoded: decoded claude-opus-5 output_tokens -1 × 30 = -0.00003",
		"2026-03 repriced: mended gpt-5 input_tokens -1000000 × 2.4 = -2.4",
		"2026-03 repriced: mended gpt-5 input_tokens 1000000 × 1.8 = 1.8",
		"2026-03 repriced: unpriced in-house input_tokens -500 × ? = unknown_provider",
		"2026-03 repriced: unpriced in-house output_tokens -50 × ? = unknown_provider",
		"2026-03 repriced: unpriced in-house input_tokens 500 × 12 = 0.006",
		"2026-03 repriced: unpriced in-house output_tokens 50 × 24 = 0.0012",
		"2026-03 moved_out: moves claude-opus-5 input_tokens -300 × 6 = -0.0018",
	}
	slices.Sort(want)
	querytest.Equal(t, "rows of April", want, rows)
	slices.Sort(previewed)
	querytest.Equal(t, "rows of the preview", want, previewed)
	// 0.00204 of April, 0.03 + 0.000624 − 0.6 + 0.0072 − 0.0018 of March.
	if april.BilledCost.String() != "-0.561936" || april.Number != "C-000003" || april.Corrections != 12 || april.Charges != 2 || !preview.BilledCost.Equal(april.BilledCost) || preview.Number != "" {
		t.Errorf("April: %+v, preview: %+v", april, preview)
	}
	// Lines: of April 0.00024 and 0.0018, each 0; of March input of opus 5000-41-300 = 4659 × 6
	// = 0.027954 → 0.03, output 29 × 30 = 0.00087 → 0, gpt-5 -0.60, in-house 0.006 → 0.01 and 0.0012 → 0.
	if april.Total.String() != "-0.56" || april.Residual.String() != "0.001936" {
		t.Errorf("April: total %s, residual %s", april.Total, april.Residual)
	}
	if got := w.csv(march); !bytes.Equal(got, frozen) {
		t.Error("the rows of March changed when April was closed")
	}
	moved := w.close("customer=c2", "2026-04")
	querytest.Equal(t, "rows of April of c2", "2026-03 moved_in: moves claude-opus-5 input_tokens 300 × 6 = 0.0018", w.rows(moved))

	v := w.verify("C-000001")
	if counts := (map[Why]uint64{Late: 1, Redecoded: 2, Repriced: 2, MovedOut: 1, Deleted: 1}); !maps.Equal(v.Counts, counts) || v.Equal {
		t.Errorf("verification of March: %v, expected %v", v.Counts, counts)
	}
	for _, d := range v.Differences {
		settled := d.Why != Deleted
		if d.Settled != settled || settled != slices.Equal(d.Corrected, []string{"C-000003"}) || d.Position == "" || len(d.Items) == 0 {
			t.Errorf("difference of %s: %+v", d.SessionID, d)
		}
	}
	if v := w.verify("C-000003"); !v.Equal {
		t.Errorf("verification of April: %+v", v)
	}

	// Nothing is left to correct in May, which is empty.
	w.now = at("2026-06-01T12:00:00Z")
	may := w.close("customer=c1", "2026-05")
	if may.Rows != 0 || may.Total.String() != "0" || len(may.Lines) != 0 {
		t.Errorf("May: %+v", may)
	}
	if v := w.verify(may.Number); !v.Equal {
		t.Errorf("verification of May: %+v", v)
	}
}
