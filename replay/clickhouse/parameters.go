package clickhouse

import (
	"strings"

	"github.com/ClickHouse/ch-go/proto"
)

// parameters are the values of a query, which are sent separately from its text. The server parses
// each value twice: as a quoted literal, then as an escaped value of its type.
type parameters []proto.Parameter

var (
	escapeValue = strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`, "\x00", `\0`, "\b", `\b`, "\f",
		`\f`)
	escapeQuote = strings.NewReplacer(`\`, `\\`, `'`, `\'`)
)

// text adds a value of type String.
func (p *parameters) text(name, value string) {
	*p = append(*p, proto.Parameter{Key: name, Value: "'" + escapeQuote.Replace(escapeValue.Replace(value)) + "'"})
}

// texts adds a value of type Array(String), whose elements are quoted literals.
func (p *parameters) texts(name string, values []string) {
	quoted := make([]string, len(values))
	for i, v := range values {
		quoted[i] = "'" + escapeQuote.Replace(v) + "'"
	}
	*p = append(*p, proto.Parameter{Key: name, Value: "'" + escapeQuote.Replace("["+strings.Join(quoted, ",")+"]") +
		"'"})
}
