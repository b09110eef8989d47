package queryhttp_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"tapedeck/internal/local/localtest"
	"tapedeck/internal/problem"
	"tapedeck/query"
	"tapedeck/query/billing/bills"
	queryhttp "tapedeck/query/http"
	"tapedeck/query/querytest"
	"tapedeck/schema"
)

func mountBills(mux *http.ServeMux, tenant string, s *queryhttp.Server) {
	inTenant := func(h func(http.ResponseWriter, *http.Request, string)) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { h(w, r, tenant) }
	}
	number := func(h bills.Number) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { h(w, r, tenant, r.PathValue("number")) }
	}
	mux.HandleFunc("GET /v1/bills", inTenant(s.Bills))
	mux.HandleFunc("POST /v1/bills", inTenant(s.CloseBill))
	mux.HandleFunc("GET /v1/bills/preview", inTenant(s.PreviewBill))
	mux.HandleFunc("GET /v1/bills/preview/rows", inTenant(s.PreviewRows))
	mux.HandleFunc("GET /v1/bills/{number}", number(s.Bill))
	mux.HandleFunc("GET /v1/bills/{number}/invoice", number(s.BillInvoice))
	mux.HandleFunc("GET /v1/bills/{number}/rows", number(s.BillRows))
	mux.HandleFunc("GET /v1/bills/{number}/prices", number(s.BillPrices))
	mux.HandleFunc("GET /v1/bills/{number}/verification", number(s.BillVerification))
}

// A period is previewed, closed, read and verified; invalid requests are refused with the
// parameter or a sentence, and nothing changes. claude-opus-5 is 5 dollars for a million
// input tokens and 25 for output.
func TestBills(t *testing.T) {
	db := querytest.Open(t)
	record := func(stream int, session string, seconds float64, input uint64) {
		u := querytest.Used("u", "claude-opus-5", seconds, schema.Tokens{Input: input, Output: 2})
		u.Provider = "anthropic"
		db.Add(querytest.Recording{Session: session, Stream: stream, Usages: []schema.Usage{u}})
	}
	record(1, "s", 0, 10)
	clock := time.Date(2026, 4, 1, 0, 30, 0, 0, time.UTC)
	reader := query.NewReader(db.Conn, query.WithClock(func() time.Time { return clock }))
	store := bills.NewStore(reader, db.Conn, bills.KeyValueHeads{NATS: localtest.NATS(t)}, nil)
	a := mount(t, db.Tenant, queryhttp.New(reader, nil).WithBills(store))

	refused := func(method, path string, want int, sentence string) {
		t.Helper()
		status, _, body := a.send(method, path, "")
		var p problem.Problem
		if err := json.Unmarshal(body, &p); err != nil || status != want || !strings.Contains(p.Detail+" "+p.Hint+" "+p.Parameter, sentence) {
			t.Errorf("%s %s: %d %s, expected %d and %q", method, path, status, body, want, sentence)
		}
	}
	refused("POST", "/v1/bills?period=2026-03", 409, "a draft until 2026-04-01T01:00:00Z")
	refused("POST", "/v1/bills?period=2026-04", 409, "ends on 2026-05-01T00:00:00Z")
	clock = clock.Add(time.Hour)
	refused("POST", "/v1/bills?period=March", 400, "not a month")
	refused("POST", "/v1/bills", 400, "period")
	refused("POST", "/v1/bills?period=2026-03&account=customer=c1", 400, "no account")
	refused("POST", "/v1/bills?period=2026-03&acount=tenant", 400, "acount")
	refused("GET", "/v1/bills?state=shut", 400, "state")
	refused("GET", "/v1/bills?from=2026-13", 400, `from "2026-13" is not a month`)
	refused("GET", "/v1/bills?to=March", 400, `to "March" is not a month`)
	refused("GET", "/v1/bills?from=2026-12&to=2026-01", 400, `to "2026-01" is before the first month, 2026-12`)
	refused("GET", "/v1/bills?account=customer=c1", 400, "no account")
	refused("GET", "/v1/bills/preview?period=", 400, "period")
	refused("GET", "/v1/bills/INV-000001", 404, "no bill")
	refused("GET", "/v1/bills/INV-000001/rows?format=csv", 404, "no bill")
	refused("GET", "/v1/bills/INV-000001/verification?frames=-1", 400, "frames")

	list := get[bills.List](a, "/v1/bills?to=2026-04")
	if len(list.Items) != 1 || list.Items[0].State != bills.Draft || *list.Items[0].Calls != 1 || list.Items[0].Cost.Text() != "0.0001" {
		t.Errorf("list %+v", list)
	}
	refused("GET", "/v1/bills/preview?period=2026-04&closing=1", 409, "ends on 2026-05-01T00:00:00Z")
	refused("GET", "/v1/bills/preview?period=2026-03&leave_earlier=1", 400, "without closing=1")
	refused("POST", "/v1/bills?period=2026-03&closing=1", 400, "closing")
	if p := get[bills.Preview](a, "/v1/bills/preview?period=2026-03&closing=1&leave_earlier=1"); p.BilledCost.String() != "0.0001" || p.NeverBilled != nil {
		t.Errorf("dry run %+v", p)
	}
	if p := get[bills.Preview](a, "/v1/bills/preview?period=2026-03"); p.BilledCost.String() != "0.0001" || p.ClosedAt != nil || p.Number != "" {
		t.Errorf("preview %+v", p)
	}
	status, _, body := a.send("POST", "/v1/bills?period=2026-03", "")
	var b bills.Bill
	if err := json.Unmarshal(body, &b); err != nil || status != 200 || b.Number != "INV-000001" || b.Rows != 2 {
		t.Fatalf("close: %d %s", status, body)
	}
	refused("POST", "/v1/bills?period=2026-03", 409, "bill INV-000001")
	if again := get[bills.Bill](a, "/v1/bills/INV-000001"); again.RowsHash != b.RowsHash || !again.ClosedAt.Equal(clock) {
		t.Errorf("bill %+v", again)
	}
	first := get[bills.Page](a, "/v1/bills/INV-000001/rows?limit=1")
	if len(first.Items) != 1 || first.Next == nil {
		t.Fatalf("first page %+v", first)
	}
	second := get[bills.Page](a, "/v1/bills/INV-000001/rows?limit=1&cursor="+*first.Next)
	if len(second.Items) != 1 || second.Next != nil || second.Items[0].Ordinal != 1 || second.Items[0].Number != "INV-000001" {
		t.Errorf("second page %+v", second)
	}
	_, _, rows := a.ask("GET", "/v1/bills/INV-000001/rows?format=csv")
	if sum := sha256.Sum256(rows); hex.EncodeToString(sum[:]) != b.RowsHash {
		t.Errorf("rows as CSV have another hash: %s", rows)
	}
	_, _, table := a.ask("GET", "/v1/bills/INV-000001/prices")
	if sum := sha256.Sum256(table); hex.EncodeToString(sum[:]) != b.PricesHash {
		t.Errorf("the price table has another hash")
	}
	if status, head, page := a.ask("GET", "/v1/bills/INV-000001/invoice"); status != 200 || !strings.HasPrefix(head.Get("Content-Type"), "text/html") || !strings.Contains(string(page), "Invoice INV-000001") {
		t.Errorf("invoice: %d %v %s", status, head, page)
	}
	refused("GET", "/v1/bills/INV-000009/invoice", 404, "no bill")
	if v := get[bills.Verification](a, "/v1/bills/INV-000001/verification"); !v.Equal {
		t.Errorf("verification %+v", v)
	}
	record(2, "late", 60, 1000)
	v := get[bills.Verification](a, "/v1/bills/INV-000001/verification")
	if v.Equal || v.Counts[bills.Late] != 1 || v.Differences[0].SessionID != "late" || v.Differences[0].Settled {
		t.Errorf("verification after a late session: %+v", v)
	}
	p := get[bills.Preview](a, "/v1/bills/preview?period=2026-04")
	if len(p.CorrectionRows) != 2 || p.CorrectionRows[0].Period != "2026-03" || p.BilledCost.String() != "0.00505" {
		t.Errorf("preview of April: %+v", p)
	}
}
