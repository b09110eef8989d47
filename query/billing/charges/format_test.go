package charges_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"tapedeck/internal/fulltest"
	"tapedeck/query"
	"tapedeck/query/billing/charges"
	"tapedeck/query/endpoint"
	"tapedeck/query/querytest"
)

// serve answers GET requests for charges.
func serve(t *testing.T, r *query.Reader) string {
	t.Helper()
	h := charges.Handler{Base: &endpoint.Base{Reader: r, Log: slog.New(slog.DiscardHandler), Clock: time.Now}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.Charges(w, r, querytest.Tenant) }))
	t.Cleanup(server.Close)
	return server.URL
}

func download(t *testing.T, url, media string) (*http.Response, []byte) {
	t.Helper()
	req := querytest.Must[*http.Request](t)(http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil))
	resp := querytest.Must[*http.Response](t)(http.DefaultClient.Do(req))
	defer resp.Body.Close()
	body := querytest.Must[[]byte](t)(io.ReadAll(resp.Body))
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != media {
		t.Fatalf("%s: %d %s, want %s\n%.300s", url, resp.StatusCode, resp.Header.Get("Content-Type"), media, body)
	}
	return resp, body
}

// record is a charge of JSON as a row of CSV: the objects of money, tokens and parts are
// columns.
func record(t *testing.T, c map[string]any) map[string]string {
	t.Helper()
	row := map[string]string{}
	var put func(name string, v any)
	put = func(name string, v any) {
		switch v := v.(type) {
		case nil:
			row[name] = ""
		case string:
			row[name] = v
		case bool:
			row[name] = strconv.FormatBool(v)
		case json.Number:
			row[name] = v.String()
		case map[string]any:
			if amount, ok := v["amount"]; ok {
				put(name, amount)
				switch name {
				case "stated_cost":
					put("stated_currency", v["currency"])
				case "repriced_cost", "what_if_cost":
					put("repriced_currency", v["currency"])
				}
				return
			}
			for name, v := range v {
				put(name, v)
			}
		default:
			t.Fatalf("%s is a %T", name, v)
		}
	}
	row["stated_currency"], row["repriced_currency"], row["currency"] = "", "", "USD"
	for name, v := range c {
		switch name {
		case "tags", "rules", "lines":
			var b bytes.Buffer
			e := json.NewEncoder(&b)
			e.SetEscapeHTML(false)
			if err := e.Encode(v); err != nil {
				t.Fatal(err)
			}
			row[name] = strings.TrimSpace(b.String())
		default:
			put(name, v)
		}
	}
	return row
}

// canonical writes JSON with its members in order, as record does.
func canonical(t *testing.T, text string) string {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v in %q", err, text)
	}
	return record(t, map[string]any{"tags": v})["tags"]
}

// lines reads a JSON object from each line.
func lines(t *testing.T, body []byte) (list []map[string]any) {
	t.Helper()
	for line := range bytes.Lines(body) {
		d := json.NewDecoder(bytes.NewReader(line))
		d.UseNumber()
		var v map[string]any
		if err := d.Decode(&v); err != nil || line[len(line)-1] != '\n' {
			t.Fatalf("%v in %q", err, line)
		}
		list = append(list, v)
	}
	return list
}

// TestFormats compares what readers of each format read with the pages of JSON.
func TestFormats(t *testing.T) {
	fulltest.Long(t)
	db := querytest.New(t)
	fill(db)
	hostile(db)
	r := querytest.Reader(db, 1e6, query.WithPrices(pricesWith(t, operatorPrices)))
	base := serve(t, r) + "?what_if_model=big&as_of=2026-01-01&from=2026-03-02"
	_, body := download(t, base+"&limit=1000", "application/json")
	var page struct {
		Items []map[string]any
		Next  *string
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if err := d.Decode(&page); err != nil || page.Next != nil || len(page.Items) != 10+2*len(hostileNames) {
		t.Fatalf("%v, %d charges, next %v", err, len(page.Items), page.Next)
	}
	var want []map[string]string
	for _, c := range page.Items {
		want = append(want, record(t, c))
	}
	named := func(t *testing.T, resp *http.Response, suffix string) {
		if got, name := resp.Header.Get("Content-Disposition"), `attachment; filename="charges_2026-03-02_open_UTC.`+suffix+`"`; got != name {
			t.Errorf("Content-Disposition %q, want %q", got, name)
		}
	}
	t.Run("ndjson", func(t *testing.T) {
		resp, body := download(t, base+"&format=ndjson", "application/x-ndjson")
		named(t, resp, "ndjson")
		if d := cmp.Diff(page.Items, lines(t, body)); d != "" {
			t.Error(d)
		}
	})
	t.Run("csv", func(t *testing.T) {
		// As recorded; without raw a formula has an apostrophe before it.
		_, safe := download(t, base+"&format=csv", "text/csv; charset=utf-8; header=present")
		formula := []byte(`"=HYPERLINK(""http`)
		if !bytes.Contains(safe, []byte(`"'=HYPERLINK(""http`)) || bytes.Contains(safe, formula) {
			t.Errorf("a formula is not made safe:\n%s", safe)
		}
		resp, body := download(t, base+"&format=csv&raw=1", "text/csv; charset=utf-8; header=present")
		named(t, resp, "csv")
		// encoding/csv reads CR LF in cells as LF.
		rows := querytest.Must[[][]string](t)(csv.NewReader(bytes.NewReader(body)).ReadAll())
		var got []map[string]string
		for _, cells := range rows[1:] {
			row := map[string]string{}
			for i, name := range rows[0] {
				row[name] = cells[i]
			}
			for _, name := range []string{"tags", "rules", "lines"} {
				row[name] = canonical(t, row[name])
			}
			got = append(got, row)
		}
		sameLines := cmp.Comparer(func(a, b string) bool {
			return strings.ReplaceAll(a, "\r\n", "\n") == strings.ReplaceAll(b, "\r\n", "\n")
		})
		if d := cmp.Diff(want, got, sameLines); d != "" {
			t.Error(d)
		}
	})
	t.Run("parquet", func(t *testing.T) {
		resp, body := download(t, base+"&format=parquet", "application/vnd.apache.parquet")
		named(t, resp, "parquet")
		if d := cmp.Diff(want, parquetRows(t, body)); d != "" {
			t.Error(d)
		}
	})
	t.Run("as ClickHouse reads them", func(t *testing.T) {
		for _, f := range []struct{ format, media, name string }{
			{"parquet", "application/vnd.apache.parquet", "Parquet"}, {"csv&raw=1", "text/csv; charset=utf-8; header=present", "CSVWithNames"},
		} {
			_, body := download(t, base+"&format="+f.format, f.media)
			if d := cmp.Diff(want, clickHouseRows(t, db, body, f.name, slices.Sorted(maps.Keys(want[0])))); d != "" {
				t.Errorf("%s:\n%s", f.name, d)
			}
		}
	})
	t.Run("cloudevents", func(t *testing.T) {
		resp, body := download(t, base+"&format=cloudevents", "application/x-ndjson")
		named(t, resp, "cloudevents.ndjson")
		var data []map[string]any
		for _, e := range lines(t, body) {
			checkEvent(t, e)
			data = append(data, e["data"].(map[string]any))
		}
		if d := cmp.Diff(page.Items, data); d != "" {
			t.Error(d)
		}
	})
	t.Run("nothing", func(t *testing.T) {
		for format, size := range map[string]int{"ndjson": 0, "cloudevents": 0, "csv": 1, "parquet": 1} {
			resp, err := http.Get(strings.Replace(base, "from=2026-03-02", "from=2027-01-01", 1) + "&format=" + format)
			if err != nil {
				t.Fatal(err)
			}
			body := querytest.Must[[]byte](t)(io.ReadAll(resp.Body))
			resp.Body.Close()
			if resp.StatusCode != http.StatusOK || len(body) < size || size == 0 && len(body) > 0 || resp.Header.Get("Content-Disposition") == "" {
				t.Errorf("%s: %d, %d bytes", format, resp.StatusCode, len(body))
			}
		}
	})
}

// parquetRows reads Parquet by its own schema.
func parquetRows(t *testing.T, body []byte) (rows []map[string]string) {
	t.Helper()
	file := querytest.Must[*parquet.File](t)(parquet.OpenFile(bytes.NewReader(body), int64(len(body))))
	columns := file.Schema().Columns()
	for _, group := range file.RowGroups() {
		reader := group.Rows()
		for {
			var batch [16]parquet.Row
			n, err := reader.ReadRows(batch[:])
			for _, values := range batch[:n] {
				row := map[string]string{}
				for _, v := range values {
					name := columns[v.Column()][0]
					switch {
					case v.IsNull():
						row[name] = ""
					case name == "at":
						row[name] = time.Unix(0, v.Int64()).UTC().Format(time.RFC3339Nano)
					case name == "tags" || name == "rules" || name == "lines":
						row[name] = canonical(t, v.String())
					default:
						row[name] = v.String()
					}
				}
				rows = append(rows, row)
			}
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := reader.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return rows
}

// clickHouseRows has ClickHouse read a file with the given columns.
func clickHouseRows(t *testing.T, db *querytest.DB, file []byte, format string, names []string) (list []map[string]string) {
	t.Helper()
	var columns, structure []string
	for _, name := range names {
		structure = append(structure, name+" String")
		if name == "at" && format == "Parquet" {
			name = "toUnixTimestamp64Nano(at)"
		}
		columns = append(columns, "ifNull(toString("+name+"), '')")
	}
	if format == "CSVWithNames" {
		format += ", '" + strings.Join(structure, ", ") + "'"
	}
	var literal strings.Builder
	for _, b := range file {
		fmt.Fprintf(&literal, "\\x%02x", b)
	}
	ctx := clickhouse.Context(t.Context(), clickhouse.WithSettings(clickhouse.Settings{"max_query_size": 8 << 20}))
	rows, err := db.Conn.Query(ctx, "SELECT ["+strings.Join(columns, ", ")+"] FROM format("+format+", '"+literal.String()+
		"') SETTINGS format_csv_null_representation = 'never', input_format_csv_trim_whitespaces = 0")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var cells []string
		if err := rows.Scan(&cells); err != nil {
			t.Fatal(err)
		}
		row := map[string]string{}
		for i, name := range names {
			row[name] = cells[i]
			switch name {
			case "tags", "rules", "lines":
				row[name] = canonical(t, cells[i])
			case "at":
				if ns, err := strconv.ParseInt(cells[i], 10, 64); err == nil {
					row[name] = time.Unix(0, ns).UTC().Format(time.RFC3339Nano)
				}
			}
		}
		list = append(list, row)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}

// checkEvent checks the attributes of a CloudEvent (version 1.0.2, Context Attributes and
// Type System; JSON Event Format 1.0.2).
func checkEvent(t *testing.T, e map[string]any) {
	t.Helper()
	name := regexp.MustCompile(`^[a-z0-9]{1,20}$`)
	for attribute, v := range e {
		if attribute == "data" {
			continue
		}
		s, ok := v.(string)
		if !ok || s == "" || !name.MatchString(attribute) || !utf8.ValidString(s) {
			t.Errorf("attribute %q is %v", attribute, v)
		}
		for _, r := range s {
			if r <= 0x1f || r >= 0x7f && r <= 0x9f || r >= 0xfdd0 && r <= 0xfdef || r&0xffff >= 0xfffe {
				t.Errorf("attribute %s has the character %U, which the type String does not allow", attribute, r)
			}
		}
	}
	data, ok := e["data"].(map[string]any)
	if !ok {
		t.Fatalf("an event without data: %v", e)
	}
	if e["specversion"] != "1.0" || e["id"] != data["charge_id"] || e["datacontenttype"] != "application/json" || e["type"] != "tapedeck.charge.v1" {
		t.Errorf("event %v", e)
	}
	if u, err := url.Parse(e["source"].(string)); err != nil || u.String() != "/tapedeck/acme/usage" {
		t.Errorf("source %v is no URI-reference of the tenant: %v", e["source"], err)
	}
	if at, err := time.Parse(time.RFC3339, e["time"].(string)); err != nil || at.Format(time.RFC3339Nano) != data["at"] {
		t.Errorf("time %v, of a charge at %v: %v", e["time"], data["at"], err)
	}
	if s := data["session_id"].(string); strings.ToValidUTF8(s, "") == s && reflect.DeepEqual(e["subject"], s) != !strings.ContainsAny(s, "\n\r\t\x00\u0085\ufdd0") {
		t.Errorf("subject %q of session %q", e["subject"], s)
	}
}

// An answer that fails before its first byte is a problem; one that fails later breaks off.
func TestBreaksOff(t *testing.T) {
	db := querytest.New(t)
	fill(db)
	r := querytest.Reader(db, 1e6)
	var out bytes.Buffer
	failing := errors.New("no space")
	err := charges.Write(t.Context(), r, charges.Query{Tenant: querytest.Tenant}, charges.CSV, writerFunc(func(p []byte) (int, error) { return 0, failing }))
	if !errors.Is(err, failing) {
		t.Errorf("error %v, want that of the writer", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := charges.Write(ctx, r, charges.Query{Tenant: querytest.Tenant}, charges.Parquet, &out); err == nil || out.Len() > 0 {
		t.Errorf("%d bytes of a query that was cancelled, error %v", out.Len(), err)
	}
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
