package retention

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tapedeck/schema/clickhouse/clickhousetest"
	"tapedeck/schema/lifecycle/retention"
)

// The preview counts bills: what there is, what expires now, and what in the next days. The latest
// bill of an account is kept.
func TestPreviewBills(t *testing.T) {
	conn := clickhousetest.New(t).Conn
	now := time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
	s := New(Options{DB: conn, Now: func() time.Time { return now }})
	for n, days := range []int{500, 401, 390, 10} { // days since the close
		closed := now.AddDate(0, 0, -days)
		err := conn.Exec(t.Context(), "INSERT INTO bills (tenant, account, period, sequence, number, period_end, closed_at, bill) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
			tenant, "a", closed.Format("2006-01"), uint64(n+1), closed.Format("2006-01"), closed, closed, "0123456789")
		if err != nil {
			t.Fatal(err)
		}
	}
	w := httptest.NewRecorder()
	s.ServePreview(w, httptest.NewRequest(http.MethodGet, "/v1/retention/preview?kind=bills&max_age_s=34560000", nil), tenant) // 400 days
	var got struct{ Items []Preview }
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || len(got.Items) != 1 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	p := got.Items[0]
	for _, c := range []struct {
		name      string
		got, want any
	}{
		{"stored", p.Stored, retention.Amount{Bills: 4, Bytes: 40}},
		{"due", p.Due, retention.Amount{Bills: 2, Bytes: 20}},
		{"days", p.Days, []Day{{"2026-03-12", retention.Amount{Bills: 1, Bytes: 10}}}},
	} {
		if diff := cmp.Diff(c.want, c.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}
