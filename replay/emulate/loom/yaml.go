package loom

import (
	"strings"

	"github.com/valyala/fastjson"

	"tapedeck/internal/jsonstring"
	"tapedeck/replay/emulate"
)

// yamlOf converts JSON to YAML: block style, with members in their order. Texts that YAML could
// interpret are quoted as in JSON, since YAML is a superset of JSON.
func yamlOf(json []byte) string {
	v, err := fastjson.ParseBytes(json)
	if err != nil {
		return string(json)
	}
	return strings.TrimPrefix(string(appendYAML(nil, v, "")), "\n") + "\n"
}

// appendYAML appends a value after "key:" or "-".
func appendYAML(b []byte, v *fastjson.Value, indent string) []byte {
	switch v.Type() {
	case fastjson.TypeObject:
		o := v.GetObject()
		if o.Len() == 0 {
			return append(b, " {}"...)
		}
		o.Visit(func(k []byte, member *fastjson.Value) {
			b = append(append(b, '\n'), indent...)
			b = append(appendScalar(b, string(k)), ':')
			b = appendYAML(b, member, indent+"  ")
		})
		return b
	case fastjson.TypeArray:
		items := v.GetArray()
		if len(items) == 0 {
			return append(b, " []"...)
		}
		for _, item := range items {
			b = append(append(append(b, '\n'), indent...), '-')
			b = appendYAML(b, item, indent+"  ")
		}
		return b
	case fastjson.TypeString:
		return appendScalar(append(b, ' '), text(v))
	}
	return emulate.AppendJSON(append(b, ' '), v)
}

// appendScalar appends a text, unquoted if YAML does not interpret anything in it.
func appendScalar(b []byte, s string) []byte {
	plain := s != "" && !reserved[strings.ToLower(s)]
	for i, c := range s {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
		within := c >= '0' && c <= '9' || c == ' ' || c == '-' || c == '.' || c == '/' || c == ',' || c == '(' ||
			c == ')'
		plain = plain && (letter || i > 0 && within)
	}
	if plain && !strings.HasSuffix(s, " ") {
		return append(b, s...)
	}
	return jsonstring.Append(b, s)
}

// reserved lists words that a version of YAML interprets as something other than text.
var reserved = map[string]bool{
	"true": true, "false": true, "null": true, "yes": true, "no": true, "on": true, "off": true, "y": true, "n": true,
}
