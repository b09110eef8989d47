package secrets

import (
	"encoding/json"
	"testing"
)

// Values of secrets are replaced, and no other byte.
func TestMaskMembers(t *testing.T) {
	for text, want := range map[string]string{
		`{"api_key":"sk-1","model":"m"}`:                            `{"api_key":"[redacted]","model":"m"}`,
		" {\r\n \"model\" : \"m\" , \"apiKey\"\t: \"sk\\\"1\" }\n":  " {\r\n \"model\" : \"m\" , \"apiKey\"\t: \"[redacted]\" }\n",
		`{"a":[{"api_key":"inner"}],"b":{"token":"x"},"token":"t"}`: `{"a":[{"api_key":"inner"}],"b":{"token":"x"},"token":"[redacted]"}`,
		`{"api\u005fkey":"sk-1"}`:                                   `{"api\u005fkey":"[redacted]"}`,
		`{"token":"a","token":"b"}`:                                 `{"token":"[redacted]","token":"[redacted]"}`,
		`{"token":""}`:                                              `{"token":"[redacted]"}`,
		`{"token":"[redacted]"}`:                                    `{"token":"[redacted]"}`,
		`{"token":5,"password":null,"x":"y"}`:                       `{"token":5,"password":null,"x":"y"}`,
		`{"max_tokens":"5","text":"\"token\":\"x\""}`:               `{"max_tokens":"5","text":"\"token\":\"x\""}`,
		`{"x":"}","token":"t"}`:                                     `{"x":"}","token":"[redacted]"}`,
		`{"token":["a", "b\"]"],"x":["c"]}`:                         `{"token":["[redacted]", "[redacted]"],"x":["c"]}`,
		`{"token":[]}`:                                              `{"token":[]}`,
		`{"token":[1,"a",["in"],{"token":"in"},null],"y":"z"}`:      `{"token":[1,"[redacted]",["in"],{"token":"in"},null],"y":"z"}`,
		`{"token":["a","sk-cut\"`:                                   `{"token":["[redacted]","[redacted]`,
		`{"token":["a",`:                                            `{"token":["[redacted]",`,
		"\ufeff{\"token\":\"t\"}":                                   "\ufeff{\"token\":\"[redacted]\"}",
		" \ufeff{\"token\":\"t\"}":                                  " \ufeff{\"token\":\"t\"}", // not JSON
		`["token","t"]`:                                             `["token","t"]`,
		`"token"`:                                                   `"token"`,
		``:                                                          ``,
		`{`:                                                         `{`,
		`{"token"`:                                                  `{"token"`,
		`{"token":`:                                                 `{"token":`,
		`{"token":"sk-cut`:                                          `{"token":"[redacted]`, // the body was cut off
		`{"token":"sk-cut\"`:                                        `{"token":"[redacted]`,
		`{"token":"`:                                                `{"token":"[redacted]`,
		`{"a":1 "token":"t"}`:                                       `{"a":1 "token":"t"}`, // not JSON
	} {
		got, cuts := Names{}.MaskMembers([]byte(text))
		if string(got) != want {
			t.Errorf("%s became %s, want %s", text, got, want)
		}
		if json.Valid([]byte(text)) != json.Valid(got) {
			t.Errorf("%s became %s: one is valid, the other is not", text, got)
		}
		if (cuts != nil) != (want != text) {
			t.Errorf("%s: cuts %v", text, cuts)
		}
	}
	if got := Masked([]byte(`{"a":"[redacted]","b":["[redacted]","[redacted]"],"c":"x","d":["x"]}`)); len(got) != 2 || got[0] != "a" || got[1] != "b" {
		t.Errorf("masked members %q", got)
	}
}

func FuzzMaskMembers(f *testing.F) {
	f.Add([]byte(`{"api_key":"sk-1","a":[{}],"b":"c"}`))
	f.Add([]byte(`{"token":"x\"`))
	f.Add([]byte(`{"token":["x",1,"y"],"b":"c"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		got, cuts := Names{}.MaskMembers(text)
		if json.Valid(text) != json.Valid(got) {
			t.Errorf("%q became %q: one is valid, the other is not", text, got)
		}
		shift := 0
		for _, c := range cuts {
			shift += c.Length - (c.To - c.From)
		}
		if len(got) != len(text)+shift {
			t.Errorf("%q became %q, which the cuts %v do not explain", text, got, cuts)
		}
		if again, more := (Names{}).MaskMembers(got); len(more) > 0 || string(again) != string(got) {
			t.Errorf("%q became %q, and that %q", text, got, again)
		}
	})
}
