package redact

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"tapedeck/schema"
)

// jsonOf returns a text as a string of JSON that is in a string of JSON, depth times.
func jsonOf(t *testing.T, text string, depth int, toASCII bool) string {
	t.Helper()
	for range depth {
		var b strings.Builder
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(map[string]string{"k": text}); err != nil {
			t.Fatal(err)
		}
		text = strings.TrimSuffix(b.String(), "\n")
		if !toASCII {
			continue
		}
		var a strings.Builder
		for _, c := range text {
			switch {
			case c < 0x80:
				a.WriteRune(c)
			case c < 0x10000:
				fmt.Fprintf(&a, `\u%04x`, c)
			default:
				c -= 0x10000
				fmt.Fprintf(&a, `\u%04x\u%04x`, 0xd800+c>>10, 0xdc00+c&0x3ff)
			}
		}
		text = a.String()
	}
	return text
}

// A secret is found behind every character that is no part of a word, however that is escaped, in
// JSON that is in strings of JSON, and whole or cut into two texts anywhere.
func TestBehindEscapes(t *testing.T) {
	secret := example("gh~p_~{36}", 1)
	for _, before := range []string{"\n", "\t", "\r\n", "\f", "é", "\u201c", "\U0001F600", "\x1b[32m", "\x1b[0;1m", "\x1b[m", "=", "\u00ad", "/"} {
		for depth := 1; depth <= 3; depth++ {
			for _, toASCII := range []bool{false, true} {
				inner := jsonOf(t, "use"+before+secret+"\n", depth-1, toASCII)
				whole := jsonOf(t, inner, 1, toASCII)
				out := record(t, Default().NewMasker(), []*schema.Frame{{Transport: schema.NDJSON, Raw: []byte(whole + "\n")}})
				if part := traces(out, secret[4:], nil); part != "" || !json.Valid(out[0].Raw) {
					t.Errorf("%s became %s", whole, out[0].Raw)
				}
				at := strings.Index(inner, secret)
				for cut := at; cut <= at+len(secret); cut++ {
					frames := []*schema.Frame{
						{Transport: schema.NDJSON, Raw: []byte(jsonOf(t, inner[:cut], 1, toASCII) + "\n")},
						{Transport: schema.NDJSON, Raw: []byte(jsonOf(t, inner[cut:], 1, toASCII) + "\n")},
					}
					out := record(t, Default().NewMasker(), frames)
					if part := traces(out, secret[4:], nil); part != "" {
						t.Errorf("cut at %d: %s%s became %s", cut-at, frames[0].Raw, frames[1].Raw, all(out))
						break
					}
				}
			}
		}
	}
}

// The end of a word is no escape.
func TestInsideWords(t *testing.T) {
	secret := example("gh~p_~{36}", 1)
	for _, before := range []string{"n", "u00e9", "a[32m", "[32m", "x1b", "00", "x[1;2H"} {
		raw := []byte(jsonOf(t, "use "+before+secret, 1, false))
		out := record(t, Default().NewMasker(), []*schema.Frame{{Transport: schema.NDJSON, Raw: raw}})
		if !bytes.Equal(out[0].Raw, raw) {
			t.Errorf("%s became %s", raw, out[0].Raw)
		}
	}
}
