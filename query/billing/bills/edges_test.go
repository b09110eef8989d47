package bills

import (
	"bytes"
	"encoding/csv"
	"errors"
	"flag"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"tapedeck/internal/problem"
	"tapedeck/query/pricing/prices"
	"tapedeck/query/querytest"
	"tapedeck/schema"
)

// Months begin at their first midnight, or at the moment to which the clock is put forward
// over it, and follow each other without a gap.
func TestPeriods(t *testing.T) {
	for _, tc := range []struct{ zone, month, start, end string }{
		{"Europe/Berlin", "2026-03", "2026-02-28T23:00:00Z", "2026-03-31T22:00:00Z"},
		{"Europe/Berlin", "2026-12", "2026-11-30T23:00:00Z", "2026-12-31T23:00:00Z"},
		{"Europe/Berlin", "2061-01", "2060-12-31T23:00:00Z", "2061-01-31T23:00:00Z"}, // after a leap year beyond the rules of tzdata
		{"Europe/Berlin", "2261-12", "2261-11-30T23:00:00Z", "2261-12-31T23:00:00Z"},
		{"America/Havana", "2026-11", "2026-11-01T04:00:00Z", "2026-12-01T05:00:00Z"},      // put back from 1 to 0 o'clock on the 1st
		{"America/Asuncion", "2017-10", "2017-10-01T04:00:00Z", "2017-11-01T03:00:00Z"},    // put forward from 0 to 1 o'clock on the 1st
		{"Asia/Kathmandu", "2026-02", "2026-01-31T18:15:00Z", "2026-02-28T18:15:00Z"},      // 5:45
		{"Pacific/Apia", "2011-12", "2011-12-01T10:00:00Z", "2011-12-31T10:00:00Z"},        // the 30th is missing
		{"America/St_Johns", "2026-03", "2026-03-01T03:30:00Z", "2026-04-01T02:30:00Z"},    // 3:30, then 2:30
		{"Australia/Lord_Howe", "2026-04", "2026-03-31T13:00:00Z", "2026-04-30T13:30:00Z"}, // half an hour
	} {
		m, err := parseMonth("period", tc.month)
		if err != nil {
			t.Fatal(err)
		}
		a := Account{Kind: prices.Account{Zone: tc.zone, Grace: time.Hour}}
		p, err := a.period(m, nil)
		if err != nil || !p.Start.Equal(at(tc.start)) || !p.End.Equal(at(tc.end)) || !p.ClosableAt.Equal(p.End.Add(time.Hour)) {
			t.Errorf("%s in %s: %s to %s, %v", tc.month, tc.zone, p.Start, p.End, err)
		}
		// Days fill the period.
		for at := p.Start; at.Before(p.End); {
			start, end := p.day(at)
			if !start.Equal(at) || !end.After(start) {
				t.Errorf("%s in %s: the day of %s is %s to %s", tc.month, tc.zone, at, start, end)
				break
			}
			at = end
		}
	}
	for _, text := range []string{"", "2026", "2026-1", "2026-13", "2026-00", "1969-12", "2262-01", "2026-10-01", "last"} {
		if _, err := parseMonth("period", text); err == nil {
			t.Errorf("%q is a month", text)
		}
	}
}

// A charge belongs to the first account whose tag it has.
func TestAccountOf(t *testing.T) {
	a := accounts{"acme", []prices.Account{{Tag: "team", Name: "*"}, {Name: "The *"}, {Tag: "customer", Name: "*"}}}
	for _, tc := range []struct {
		tags map[string]string
		want string
	}{
		{nil, "tenant"}, {map[string]string{"customer": ""}, "tenant"}, {map[string]string{"customer": "c1"}, "customer=c1"},
		{map[string]string{"customer": "c1", "team": "a=b"}, "team=a=b"},
	} {
		got, ok := a.of(tc.tags)
		if !ok || got.ID != tc.want {
			t.Errorf("%v: %+v", tc.tags, got)
		}
		if found, err := a.find(got.ID); err != nil || !reflect.DeepEqual(found, got) {
			t.Errorf("%s: %+v, %v", got.ID, found, err)
		}
	}
	for _, id := range []string{"", "customer", "customer=", "tenant=x", "=", "other=x"} {
		if got, err := a.find(id); err == nil {
			t.Errorf("%q: %+v", id, got)
		}
	}
	if _, ok := (&accounts{"acme", []prices.Account{{Tag: "customer"}}}).of(nil); ok {
		t.Error("a charge without a tag has an account")
	}
}

// Lines are rounded half to even to the minor unit, also below zero.
func TestRounding(t *testing.T) {
	for _, tc := range []struct {
		minor                 int32
		costs                 []string // one for each line
		total, exact, residue string
	}{
		{2, []string{"0.005", "0.015", "0.025"}, "0.04", "0.045", "-0.005"},
		{2, []string{"-0.005", "-0.015", "0.0050000001"}, "-0.01", "-0.0149999999", "0.0049999999"},
		{0, []string{"0.5", "1.5", "2.5", "3.5000001"}, "8", "8.0000001", "-0.0000001"},
		{3, []string{"0.0005", "0.0015", "0.00149"}, "0.003", "0.00349", "-0.00049"},
	} {
		b := &Bill{MinorUnits: tc.minor}
		sums := newTotals(b)
		for i, cost := range tc.costs {
			half := decimal.RequireFromString(cost).Div(decimal.NewFromInt(2)) // two rows in a line
			for range 2 {
				sums.add(&Row{Model: string(rune('a' + i)), BilledCost: decimal.NewNullDecimal(half)})
			}
		}
		sums.done()
		if b.Total.String() != tc.total || b.BilledCost.String() != tc.exact || b.Residual.String() != tc.residue {
			t.Errorf("%v: total %s, exact %s, residual %s", tc.costs, b.Total, b.BilledCost, b.Residual)
		}
	}
}

// The canonical text is CSV whatever the values are.
func TestCanonicalText(t *testing.T) {
	const hostile = "=1+1,\"x\"\r\n../é\x00"
	r := Row{
		ChargeID: hostile, SessionID: hostile, Model: "bad \xff", Tags: map[string]string{"b": hostile, "a": "1"}, Rules: []string{hostile},
		At: at("2026-03-01T00:00:00.000000001Z"), Quantity: decimal.NewFromInt(-3), Price: decimal.NewNullDecimal(decimal.RequireFromString("0.100")),
	}
	read := csv.NewReader(bytes.NewReader(append(Head(), r.AppendTo(nil)...)))
	rows, err := read.ReadAll()
	if err != nil || len(rows) != 2 || !slices.Equal(rows[0], Columns) {
		t.Fatalf("%q, %v", rows, err)
	}
	get := func(column string) string { return rows[1][slices.Index(Columns, column)] }
	crlf := strings.ReplaceAll(hostile, "\r\n", "\n") // as the reader of CSV does
	if get("session_id") != crlf || get("model") != "bad �" || get("price") != "0.1" || get("list_price") != "" || get("quantity") != "-3" ||
		!strings.HasPrefix(get("tags"), `{"a":"1","b":"`) || get("at") != "2026-03-01T00:00:00.000000001Z" {
		t.Errorf("%q", rows[1])
	}
}

// Costs are in the file's currency, in yen without decimals.
func TestYen(t *testing.T) {
	w := newWorld(t)
	w.prices("currency: JPY\nrates: [{from: 2026-01-01, usd: 150}]\naccounts: [{tenant: true, zone: Asia/Tokyo, prefix: J-}]\n")
	w.session("s", "", call("a", "2026-02-28T15:00:00Z", "anthropic", opus, 2000, 100))
	w.now = at("2026-03-31T16:00:00Z")
	b := w.close(TenantID, "2026-03")
	// 5 × 150 = 750 for a million: 1.5 → 2; 25 × 150 = 3750: 0.375 → 0.
	if b.Currency != "JPY" || b.BilledCost.String() != "1.875" || b.Total.String() != "2" || b.Residual.String() != "0.125" {
		t.Errorf("%+v", b)
	}
}

// Bills of a tenant are not those of another, whose numbers begin at 1, too.
func TestTenants(t *testing.T) {
	w := newWorld(t)
	w.session("s", "", call("a", "2026-03-05T00:00:00Z", "anthropic", opus, 1, 0))
	w.db.Add(querytest.Recording{Tenant: "other", Session: "s", Stream: 99, Usages: []schema.Usage{call("a", "2026-03-05T00:00:00Z", "anthropic", opus, 7, 0)}})
	w.now = at("2026-04-02T00:00:00Z")
	b := w.close(TenantID, "2026-03")
	if _, err := w.store.Bill(t.Context(), "other", b.Number); !isStatus(err, 404) {
		t.Errorf("another tenant's bill: %v", err)
	}
	if _, err := w.store.Verify(t.Context(), "other", b.Number, 0); !isStatus(err, 404) {
		t.Errorf("another tenant's verification: %v", err)
	}
	rows := 0
	if err := w.store.Rows(t.Context(), "other", b, 0, 0, func(*Row) error { rows++; return nil }); err != nil || rows != 0 {
		t.Errorf("another tenant's rows: %d, %v", rows, err)
	}
	other, err := w.store.Close(t.Context(), Closing{Tenant: "other", Account: TenantID, Period: "2026-03"})
	if err != nil || other.Number != b.Number || w.csvOf("other", other) == "" || other.BilledCost.String() != "0.000035" {
		t.Errorf("the other tenant's own bill: %+v, %v", other, err)
	}
	list, err := w.store.List(t.Context(), ListQuery{Tenant: "other"})
	if err != nil || len(list.Items) != 2 || list.Items[1].Number == nil || list.Items[1].Total.String() != "0" || list.Items[0].Period != "2026-04" || list.Items[0].State != Open {
		t.Errorf("the other tenant's list: %+v, %v", list, err)
	}
}

func (w *world) csvOf(tenant string, b *Bill) string {
	var text []byte
	if err := w.store.Rows(w.Context(), tenant, b, 0, 0, func(r *Row) error { text = r.AppendTo(text); return nil }); err != nil {
		w.Fatal(err)
	}
	return string(text)
}

func isStatus(err error, status int) bool {
	p, ok := errors.AsType[*problem.Problem](err)
	return ok && p.Status == status
}

// The bills of an account begin with its first charges since the tenant's first bill. A
// period of which nothing changed looks the same.
func TestFirstBill(t *testing.T) {
	w := newWorld(t)
	w.prices("accounts: [{tag: customer}]")
	w.session("a", "customer=c1", call("a", "2026-02-05T00:00:00Z", "anthropic", opus, 1, 0), call("b", "2026-03-05T00:00:00Z", "anthropic", opus, 2, 0))
	w.session("b", "customer=c2", call("a", "2026-02-06T00:00:00Z", "anthropic", opus, 3, 0))
	w.session("none", "", call("a", "2026-02-06T00:00:00Z", "anthropic", opus, 4, 0))
	w.now = at("2026-04-02T00:00:00Z")
	february := w.close("customer=c1", "2026-02")
	w.refuse("customer=c2", "2026-03", 409, "Close 2026-02 first")
	w.refuse("customer=typo", "2026-02", 404, "no usage of the account customer=typo")
	w.refuse("team=x", "2026-02", 400, "no account")
	w.refuse(TenantID, "2026-02", 400, "no account")
	w.refuse("customer=c1", "february", 400, "not a month")
	march := w.close("customer=c1", "2026-03")
	if march.Corrections != 0 || march.Checked["2026-02"] != february.Checked["2026-02"] || march.Checked["2026-03"] == "" {
		t.Errorf("March: %+v, February: %v", march, february.Checked)
	}
	w.close("customer=c2", "2026-02")
	list, err := w.store.List(t.Context(), ListQuery{Tenant: querytest.Tenant, To: "2026-03"})
	if err != nil || len(list.Unbilled) != 1 || list.Unbilled[0].Calls != 1 || len(list.Items) != 4 || list.Items[1].State != Draft || *list.Items[1].Calls != 0 {
		t.Errorf("list %+v, %v", list, err)
	}
}

// Rows that were changed in the database are defects.
func TestDefects(t *testing.T) {
	w := newWorld(t)
	w.calls(3)
	w.now = at("2026-04-02T00:00:00Z")
	b := w.close(TenantID, "2026-03")
	w.db.Exec("ALTER TABLE bill_rows UPDATE billed_cost = '9' WHERE ordinal = 1 SETTINGS mutations_sync = 1")
	v, err := w.store.Verify(t.Context(), querytest.Tenant, b.Number, 0)
	if err != nil || v.Equal || len(v.Defects) != 3 || !strings.Contains(v.Defects[0], "row 1: the cost 9 is not quantity × price") {
		t.Errorf("%+v, %v", v, err)
	}
	w.db.Exec("DELETE FROM bill_rows WHERE ordinal = 0")
	if v, err = w.store.Verify(t.Context(), querytest.Tenant, b.Number, 0); err != nil || !strings.Contains(strings.Join(v.Defects, "; "), "row 0 is missing") {
		t.Errorf("%+v, %v", v, err)
	}
}

var billCharges = flag.Int("bill-charges", 3000, "charges of the bill of TestCloseTime")

// TestCloseTime measures a close of merged tables, and the next one, which has nothing to bill or
// to correct.
func TestCloseTime(t *testing.T) {
	w := newWorld(t)
	w.calls(*billCharges)
	w.db.Merge()
	w.db.Exec("OPTIMIZE TABLE usage FINAL")
	w.db.Exec("OPTIMIZE TABLE streams FINAL")
	w.now = at("2026-04-02T00:00:00Z")
	for _, tc := range []struct {
		period  string
		charges uint64
	}{{"2026-03", uint64(*billCharges)}, {"2026-04", 0}} {
		began, spent := time.Now(), w.spent()
		b := w.close(TenantID, tc.period)
		t.Logf("%s: %d charges, %d rows in %v, CPU time %v", tc.period, b.Charges, b.Rows, time.Since(began).Round(time.Millisecond), (w.spent() - spent).Round(time.Millisecond))
		// Each charge has a row of input and one of output.
		if b.Charges != tc.charges || b.Rows != 2*tc.charges || b.Corrections != 0 {
			t.Errorf("%s: %d charges, %d rows and %d corrections, want %d, %d and 0", tc.period, b.Charges, b.Rows, b.Corrections, tc.charges, 2*tc.charges)
		}
		w.now = at("2026-05-02T00:00:00Z")
	}
	began := time.Now()
	v := w.verify("INV-000001")
	t.Logf("verification: equal %v in %v", v.Equal, time.Since(began).Round(time.Millisecond))
	if !v.Equal {
		t.Errorf("verification: %v", v.Counts)
	}
}

// spent returns the CPU time of this process and of ClickHouse's statements.
func (w *world) spent() time.Duration {
	var engine uint64
	err := w.db.Conn.QueryRow(w.Context(), "SELECT sum(value) FROM system.events WHERE event IN ('UserTimeMicroseconds', 'SystemTimeMicroseconds')").Scan(&engine)
	var own syscall.Rusage
	if err = errors.Join(err, syscall.Getrusage(syscall.RUSAGE_SELF, &own)); err != nil {
		w.Fatal(err)
	}
	return time.Duration(engine)*time.Microsecond + time.Duration(own.Utime.Nano()+own.Stime.Nano())
}
