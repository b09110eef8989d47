package wellformed

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/valyala/fastjson"
)

func nested(depth int, open, inner, end string) string {
	return strings.Repeat(open, depth) + inner + strings.Repeat(end, depth)
}

// Depth is no obstacle, and no danger: 16 MB of "[" ended the process.
func TestDeepJSON(t *testing.T) {
	for name, tc := range map[string]struct {
		text string
		want bool
	}{
		"arrays":             {nested(100_000, "[", "1", "]"), true},
		"objects":            {nested(100_000, `{"a":`, `"x"`, "}"), true},
		"mixed, with spaces": {nested(5_000, "[ 1 , {\"a\" : [ ] , \"b\":", "null", "}\n, true ]"), true},
		"empty":              {nested(100_000, "[", "", "]"), true},
		"8M open":            {strings.Repeat("[", 8<<20), false},
		"8M objects":         {strings.Repeat(`{"":`, 8<<18), false},
		"whole, 16 MB":       {nested(8<<20, "[", "", "]"), true},
		"one too few":        {nested(1000, "[", "", "]") + "]", false},
		"one too many":       {"[" + nested(1000, "[", "", "]"), false},
		"wrong bracket":      {nested(1000, "[", "{]", "]"), false},
		"crossed":            {nested(1000, "[", `{"a":[}]`, "]"), false},
		"trailing comma":     {nested(1000, "[", "1,", "]"), false},
		"no value":           {nested(1000, "[", `{"a":}`, "]"), false},
		"no name":            {nested(1000, "[", `{1:2}`, "]"), false},
		"no colon":           {nested(1000, "[", `{"a" 2}`, "]"), false},
		"two values":         {nested(1000, "[", "1 2", "]"), false},
		"bad literal":        {nested(1000, "[", "nul", "]"), false},
		"bad number":         {nested(1000, "[", "01", "]"), false},
		"bad escape":         {nested(1000, "[", `"\x"`, "]"), false},
		"open string":        {strings.Repeat("[", 1000) + `"abc\`, false},
		"brackets in text":   {`["` + strings.Repeat("[", 10_000) + `"]`, true},
	} {
		if got := JSON([]byte(tc.text)); got != tc.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	for text, want := range map[string]int{
		"1": 0, `"[{"`: 0, `{"a":[1]}`: 2, nested(63, "[", "", "]"): 63, nested(64, "[", "", "]"): 64, nested(65, "[", "", "]"): 65,
		nested(MaxDepth+1, `{"a":`, "1", "}"):                                       MaxDepth + 1,
		"[" + strings.TrimSuffix(strings.Repeat("[],", 1000), ",") + "]":            2,
		"[" + nested(70, "[", "", "]") + `,{"a":` + nested(70, "[", "", "]") + "}]": 72,
	} {
		if got, ok := Check([]byte(text)); !ok || got != want {
			t.Errorf("%.80s has %d levels, want %d (%v)", text, got, want, ok)
		}
	}
}

// Text without strings is valid exactly if encoding/json says so. Any text is valid exactly if
// fastjson says so, which accepts control characters before an escape. Neither answer changes if
// the text is nested deeper.
func FuzzJSON(f *testing.F) {
	for _, s := range []string{
		`{"a":[1,2.5e3,"x\n",true,null]}`, `[ ]`, `{"":{}}`, `[1,]`, `"\ud800"`, `[01]`, "[\"\x01\"]", `-`, `{"a":1,"b"}`, "",
		" \r\n\t{ \"a\" : -0.5E+7 , \"b\":[false , { } ]}\n", `{"a":"12345678\"1234567\\"}`, `"\u00eG"`, `"\x"`, `"12345678`,
		`"1234567\`, "\"\t and \\n\"", "\"\\n and \t\"", "{\"\x1f\\u00e9 1234567890\":\"é\xff\"}", `[-]`, `[1.]`, `[1e]`, `[1E-]`, `tru`, `[nul]`,
		"\v1", "1\f", `{"a" 1}`, `{"a":}`, `{,}`, `[}`, `{"a":1]`, `1 2`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got := JSON(data)
		if want := fastjson.ValidateBytes(data) == nil; got != want && levelsOf(data) < 1000 {
			t.Errorf("%q: %v, fastjson says %v", data, got, want)
		}
		if want := json.Valid(data); got != want && !bytes.ContainsAny(data, `"`) {
			t.Errorf("%q: %v, encoding/json says %v", data, got, want)
		}
		if bytes.ContainsAny(data, "[]{}") {
			return // data may close what is before it
		}
		deep := bytes.Join([][]byte{bytes.Repeat([]byte("["), 400), data, bytes.Repeat([]byte("]"), 400)}, nil)
		if inside := JSON(deep); inside != (got || len(bytes.Trim(data, " \t\r\n")) == 0) && !bytes.ContainsAny(data, `",`) {
			t.Errorf("%q: %v inside 400 arrays, %v alone", data, inside, got)
		}
	})
}

// levelsOf bounds the recursion of fastjson.
func levelsOf(data []byte) int {
	return bytes.Count(data, []byte("[")) + bytes.Count(data, []byte("{"))
}
