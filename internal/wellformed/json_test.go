package wellformed

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
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
	for depth, want := range map[int]bool{MaxDepth: false, MaxDepth + 1: true} {
		if got := Deep([]byte(nested(depth, "[", "", "]")), MaxDepth); got != want {
			t.Errorf("%d levels are deep: %v", depth, got)
		}
	}
	if Deep([]byte("["+strings.TrimSuffix(strings.Repeat("[],", 1000), ",")+"]"), MaxDepth) {
		t.Error("many beside each other are deep")
	}
}

// What is deep is judged as encoding/json judges it, as far as that goes.
func FuzzJSON(f *testing.F) {
	for _, s := range []string{`{"a":[1,2.5e3,"x\n",true,null]}`, `[ ]`, `{"":{}}`, `[1,]`, `"\ud800"`, `[01]`, "[\"\x01\"]", `-`, `{"a":1,"b"}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		deep := bytes.Join([][]byte{bytes.Repeat([]byte("["), 400), data, bytes.Repeat([]byte("]"), 400)}, nil)
		if !Deep(deep, MaxDepth) {
			return // data closes what is before it
		}
		if got, want := JSON(deep), json.Valid(deep); got != want && !strict(data) {
			t.Errorf("%q: %v, encoding/json says %v", data, got, want)
		}
	})
}

// strict reports whether encoding/json may take what fastjson does not: both keep to
// RFC 8259, but for what they say of escapes and control characters in strings.
func strict(data []byte) bool { return bytes.ContainsAny(data, `"`) }
