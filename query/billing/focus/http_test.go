package focus_test

import (
	"archive/zip"
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"tapedeck/query"
	"tapedeck/query/billing/bills"
	"tapedeck/query/billing/focus"
	"tapedeck/query/endpoint"
	"tapedeck/query/querytest"
	"tapedeck/query/tabular"
)

// The archives of the API have the files of an export, and what is wrong with a request is
// answered before the first byte.
func TestArchives(t *testing.T) {
	all := fixtures(t)
	db := querytest.New(t)
	store(t, db, all...)
	storeHeads(t, db, all...)
	reader := query.NewReader(db.Conn)
	h := focus.Handler{Base: &endpoint.Base{Reader: reader, Log: slog.New(slog.DiscardHandler), Clock: time.Now}, Store: bills.NewStore(reader, db.Conn, nil, nil)}
	ask := func(number, params string) (int, []byte) {
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v1/bills/focus?"+params, nil)
		if number == "" {
			h.Period(w, r, querytest.Tenant)
		} else {
			h.Bill(w, r, querytest.Tenant, number)
		}
		return w.Code, w.Body.Bytes()
	}
	for _, c := range []struct {
		number, params string
		want           []*fixture
		in             versions
	}{
		{all[0].Number, "", all[:1], only14},
		{all[1].Number, "version=1.2&tag=team&sub_account=customer&issuer=ACME&payment_terms=Net+30&link=https://t.example", all[1:2], only12},
		{"", "period=2026-10&account=" + url.QueryEscape(all[4].Account), all[4:], only14},
		{"", "period=2026-11", all[1:2], only14},
	} {
		code, body := ask(c.number, c.params)
		if code != http.StatusOK {
			t.Errorf("%s %s: %d %s", c.number, c.params, code, body)
			continue
		}
		report(t, checkExport(t, unzip(t, body), c.want, c.in))
	}
	if code, body := ask("", "period=2026-10"); code != http.StatusOK || len(unzip(t, body).read(t, focus.BillingPeriodFile).records) != 4 {
		t.Errorf("all accounts: %d, want the bills of four zones", code)
	}
	for _, raw := range []bool{false, true} {
		cells := export(t, reader, focus.Options{Cells: tabular.Cells(raw), Issuer: "=1+1"}, all[0]).read(t, focus.CostAndUsageFile).records
		want := map[bool]string{false: "'=1+1", true: "=1+1"}[raw]
		params := map[bool]string{false: "issuer=%3D1%2B1", true: "issuer=%3D1%2B1&raw=1"}[raw]
		code, body := ask(all[0].Number, params)
		if got := unzip(t, body).read(t, focus.CostAndUsageFile).records[0]["InvoiceIssuerName"]; code != http.StatusOK || got != want || cells[0]["InvoiceIssuerName"] != want {
			t.Errorf("raw %v: %d, the issuer is %s, want %s", raw, code, got, want)
		}
	}
	for params, want := range map[string]struct {
		code int
		text string
	}{
		"":                           {http.StatusBadRequest, `"parameter":"period"`},
		"period=october":             {http.StatusBadRequest, `"parameter":"period"`},
		"period=2026-08":             {http.StatusNotFound, "2026-08"},
		"period=2026-10&version=1.3": {http.StatusBadRequest, `"parameter":"version"`},
		"period=2026-10&columns=x":   {http.StatusBadRequest, `"parameter":"columns"`},
		"period=2026-10&format=x":    {http.StatusBadRequest, `"parameter":"format"`},
	} {
		if code, body := ask("", params); code != want.code || !strings.Contains(string(body), want.text) {
			t.Errorf("%s: %d %s, want %d and %s", params, code, body, want.code, want.text)
		}
	}
	if code, body := ask("INV-7", ""); code != http.StatusNotFound {
		t.Errorf("an unknown bill: %d %s", code, body)
	}
}

// unzip reads the files of an archive.
func unzip(t *testing.T, archive []byte) memory {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	m := memory{}
	for _, f := range z.File {
		r, err := f.Open()
		if err == nil {
			m[f.Name] = &file{}
			_, err = io.Copy(m[f.Name], r)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return m
}
