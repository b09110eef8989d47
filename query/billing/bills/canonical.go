package bills

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"hash"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/shopspring/decimal"
)

// Columns are the columns of the canonical text of rows.
var Columns = []string{
	"ordinal", "class", "charge_period", "charge_period_start", "charge_period_end",
	"charge_id", "at", "session_id", "stream_id", "position",
	"provider", "model", "service_tier", "speed", "region", "tags", "unit", "quantity", "per",
	"list_price", "contracted_price", "price", "list_cost", "contracted_cost", "billed_cost",
	"prices_hash", "rules", "unpriced_reason", "note",
}

// Head returns the first line of the canonical text of rows. The text is CSV (RFC 4180). Times are
// RFC 3339 in UTC, decimals have no exponent, null is empty, and tags and rules are JSON.
func Head() []byte { return []byte(strings.Join(Columns, ",") + "\r\n") }

// AppendTo appends the row's line of the canonical text to b. The line does not contain the number
// of the bill.
func (r *Row) AppendTo(b []byte) []byte {
	b = strconv.AppendUint(b, r.Ordinal, 10)
	b = field(b, string(r.Class))
	b = field(b, r.Period)
	b = moment(b, r.Start)
	b = moment(b, r.End)
	b = field(b, r.ChargeID)
	b = moment(b, r.At)
	for _, text := range [...]string{r.SessionID, r.StreamID, r.Position, r.Provider, r.Model, r.ServiceTier, r.Speed,
		r.Region} {
		b = field(b, text)
	}
	b = field(b, object(r.Tags))
	b = field(b, r.Unit)
	b = append(b, ',')
	b = append(b, r.Quantity.String()...)
	b = append(b, ',')
	b = strconv.AppendInt(b, r.Per, 10)
	for _, d := range [...]*decimal.NullDecimal{&r.ListPrice, &r.ContractedPrice, &r.Price, &r.ListCost,
		&r.ContractedCost, &r.BilledCost} {
		b = append(b, ',')
		if d.Valid {
			b = append(b, d.Decimal.String()...)
		}
	}
	b = field(b, r.PricesHash)
	b = field(b, list(r.Rules))
	b = field(b, r.Reason)
	b = field(b, string(r.Note))
	return append(b, "\r\n"...)
}

// field appends a comma and a text, quoted where CSV requires it. Invalid UTF-8 is replaced.
func field(b []byte, text string) []byte {
	b = append(b, ',')
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "�")
	}
	if !strings.ContainsAny(text, ",\"\r\n") {
		return append(b, text...)
	}
	b = append(b, '"')
	b = append(b, strings.ReplaceAll(text, `"`, `""`)...)
	return append(b, '"')
}

func moment(b []byte, t time.Time) []byte {
	return t.UTC().AppendFormat(append(b, ','), time.RFC3339Nano)
}

// object returns tags as a JSON object, sorted by name.
func object(tags map[string]string) string {
	if len(tags) == 0 {
		return "{}"
	}
	return encode(tags)
}

// list returns rules as a JSON array, in their order.
func list(rules []string) string {
	if len(rules) == 0 {
		return "[]"
	}
	return encode(rules)
}

// encode returns the JSON text of v.
func encode[T map[string]string | []string](v T) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // strings can always be encoded
	}
	return string(text)
}

// Hash computes the SHA-256 of the canonical text of rows.
type Hash struct {
	sum  hash.Hash
	line []byte
}

// NewHash returns the hash of an empty list of rows.
func NewHash() *Hash {
	h := &Hash{sum: sha256.New()}
	h.sum.Write(Head()) // a hash never returns an error
	return h
}

// Add adds the next row to the hash.
func (h *Hash) Add(r *Row) {
	h.line = r.AppendTo(h.line[:0])
	h.sum.Write(h.line)
}

// Text returns the hash in hexadecimal.
func (h *Hash) Text() string { return hex.EncodeToString(h.sum.Sum(nil)) }
