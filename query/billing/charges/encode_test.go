package charges

import (
	"bytes"
	"math"
	"math/big"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"tapedeck/query/tabular"
)

var drawnText = rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
	"", "plain", "=1+1", "-3", "+x", "@SUM(A1)", "a;b", "\"q\"", "two\nlines", "<b>&", "\u2028", "\x00", "\xff\xfe", "\x7f", "\b\f", "ünï🎞", " =x",
}))

func drawDecimal(t *rapid.T) decimal.Decimal {
	exponent := rapid.Int32Range(-32, 4).Draw(t, "exponent")
	if rapid.IntRange(0, 9).Draw(t, "large") == 0 {
		n := new(big.Int).Mul(big.NewInt(rapid.Int64().Draw(t, "n")), big.NewInt(rapid.Int64().Draw(t, "m")))
		return decimal.NewFromBigInt(n, exponent)
	}
	n := rapid.OneOf(rapid.Int64Range(-1000, 100_000), rapid.Int64(), rapid.SampledFrom([]int64{0, 1, 1e17, 1e18 - 1, 1e18, math.MaxInt64, math.MinInt64, 123_000_000}))
	return decimal.New(n.Draw(t, "n"), exponent)
}

// draw fills a value with anything.
func draw(t *rapid.T, v reflect.Value) {
	switch at := v.Addr().Interface().(type) {
	case *time.Time:
		*at = time.Unix(0, rapid.Int64Min(0).Draw(t, "at")).UTC()
		return
	case *decimal.Decimal:
		*at = drawDecimal(t)
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(drawnText.Draw(t, "text"))
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, "bool"))
	case reflect.Int64:
		v.SetInt(rapid.Int64().Draw(t, "n"))
	case reflect.Uint64:
		v.SetUint(rapid.Uint64().Draw(t, "n"))
	case reflect.Pointer:
		if rapid.Bool().Draw(t, "known") {
			v.Set(reflect.New(v.Type().Elem()))
			draw(t, v.Elem())
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range rapid.IntRange(0, 20).Draw(t, "tags") {
			v.SetMapIndex(reflect.ValueOf(drawnText.Draw(t, "key")), reflect.ValueOf(drawnText.Draw(t, "value")))
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), rapid.IntRange(0, 3).Draw(t, "length"), 3))
		for i := range v.Len() {
			draw(t, v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			draw(t, v.Field(i))
		}
	default:
		t.Fatalf("a %s", v.Type())
	}
}

// event is a CloudEvent in the JSON format of version 1.0.
type event struct {
	SpecVersion     string  `json:"specversion"`
	ID              string  `json:"id"`
	Source          string  `json:"source"`
	Type            string  `json:"type"`
	Subject         string  `json:"subject,omitempty"`
	Time            string  `json:"time"`
	DataContentType string  `json:"datacontenttype"`
	Data            *Charge `json:"data"`
}

// cells returns the columns of a charge as CSV cells, by their types.
func cells(c *Charge, currency string) []string {
	var r columns
	r.set(c, currency)
	v := reflect.ValueOf(&r).Elem()
	var cells []string
	for i, name := range columnNames {
		switch f := v.Field(i); {
		case name == "at":
			cells = append(cells, c.At.Format(time.RFC3339Nano))
		case f.Kind() == reflect.String:
			cells = append(cells, f.String())
		case f.Kind() == reflect.Bool:
			cells = append(cells, strconv.FormatBool(f.Bool()))
		case f.Kind() == reflect.Int64:
			cells = append(cells, strconv.FormatInt(f.Int(), 10))
		case f.IsNil():
			cells = append(cells, "")
		default:
			cells = append(cells, strconv.FormatInt(f.Elem().Int(), 10))
		}
	}
	return cells
}

// TestEncode compares the lines of each format with those of encoding/json, and those of CSV with
// the columns of Parquet. The columns that are JSON are compared with encoding/json too.
func TestEncode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := &Charge{}
		draw(t, reflect.ValueOf(c).Elem())
		same := func(what string, open func(*bytes.Buffer) (writer, error), want string) {
			t.Helper()
			var b bytes.Buffer
			w, err := open(&b)
			if err != nil {
				t.Fatal(err)
			}
			_ = w.write(&Charge{ChargeID: "before"}) // nothing of it remains
			b.Reset()
			if err := w.write(c); err != nil || b.String() != want {
				t.Fatalf("%s: %v\n%q\n%q", what, err, b.String(), want)
			}
		}
		encoded := func(v any) string {
			var b bytes.Buffer
			if err := tabular.NewLines(&b).Encode(v); err != nil {
				t.Fatal(err)
			}
			return b.String()
		}
		same("NDJSON", func(b *bytes.Buffer) (writer, error) { return newLines(b, "USD", false) }, encoded(c))
		same("CloudEvents", func(b *bytes.Buffer) (writer, error) { return newEvents(b, "USD", false) }, encoded(event{
			SpecVersion: "1.0", ID: c.ChargeID, Source: "/tapedeck/" + url.PathEscape(c.Tenant) + "/usage", Type: eventType,
			Subject: attribute(c.SessionID), Time: c.At.Format(time.RFC3339Nano), DataContentType: "application/json", Data: c,
		}))
		list := cells(c, "EUR")
		for i, name := range columnNames {
			for of, v := range map[string]any{"tags": c.Tags, "rules": c.Rules, "lines": c.Lines} {
				if want := strings.TrimSuffix(encoded(v), "\n"); name == of && list[i] != want {
					t.Fatalf("%s: %s, want %s", name, list[i], want)
				}
			}
		}
		for _, form := range []tabular.Cells{tabular.SafeCells, tabular.RawCells} {
			var line []string
			for _, cell := range list {
				if form == tabular.SafeCells {
					cell = tabular.SafeCell(cell)
				}
				if strings.ContainsAny(cell, "\",\r\n;\t") {
					cell = `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`
				}
				line = append(line, cell)
			}
			same("CSV", func(b *bytes.Buffer) (writer, error) { return newCSV(b, "EUR", form) }, strings.Join(line, ",")+"\r\n")
		}
	})
}

func TestAppendDecimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDecimal(t)
		if got := string(appendDecimal(nil, d)); got != d.String() {
			t.Fatalf("%s, want %s", got, d)
		}
	})
}

// TestUnpackTags reads texts as ClickHouse writes them, and others.
func TestUnpackTags(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tags := rapid.MapOf(drawnText, drawnText).Draw(t, "tags")
		var keys, values string
		for key, value := range tags {
			keys += strconv.Itoa(len(key)) + ":" + key
			values += strconv.Itoa(len(value)) + ":" + value
		}
		if got := unpackTags(keys + values); !reflect.DeepEqual(got, tags) {
			t.Fatalf("%q, want %q", got, tags)
		}
		unpackTags(drawnText.Draw(t, "other"))
	})
}
