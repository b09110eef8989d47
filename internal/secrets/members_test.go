package secrets

import (
	"encoding/json"
	"strings"
	"testing"
)

// Values of secrets are replaced, and no other byte.
func TestMaskMembers(t *testing.T) {
	for text, want := range map[string]string{
		`{"api_key":"sk-1","model":"m"}`:                                            `{"api_key":"[redacted]","model":"m"}`,
		" {\r\n \"model\" : \"m\" , \"apiKey\"\t: \"sk\\\"1\" }\n":                  " {\r\n \"model\" : \"m\" , \"apiKey\"\t: \"[redacted]\" }\n",
		`{"a":[{"api_key":"inner"}],"b":{"token":"x"},"token":"t"}`:                 `{"a":[{"api_key":"inner"}],"b":{"token":"x"},"token":"[redacted]"}`,
		`{"a":[{"api_key":"inner-123456"}],"b":{"access_token":"Bearer a1b2c3d4"}}`: `{"a":[{"api_key":"[redacted]"}],"b":{"access_token":"[redacted]"}}`,
		`{"api\u005fkey":"sk-1"}`:                                                   `{"api\u005fkey":"[redacted]"}`,
		`{"token":"a","token":"b"}`:                                                 `{"token":"[redacted]","token":"[redacted]"}`,
		`{"token":""}`:                                                              `{"token":"[redacted]"}`,
		`{"token":"[redacted]"}`:                                                    `{"token":"[redacted]"}`,
		`{"token":5,"password":null,"x":"y"}`:                                       `{"token":5,"password":null,"x":"y"}`,
		`{"max_tokens":"5","text":"\"token\":\"x\""}`:                               `{"max_tokens":"5","text":"\"token\":\"x\""}`,
		`{"x":"}","token":"t"}`:                                                     `{"x":"}","token":"[redacted]"}`,
		`{"token":["a", "b\"]"],"x":["c"]}`:                                         `{"token":["[redacted]", "[redacted]"],"x":["c"]}`,
		`{"token":[]}`:                                                              `{"token":[]}`,
		`{"token":[1,"a",["in"],{"token":"in"},null],"y":"z"}`:                      `{"token":[1,"[redacted]",["in"],{"token":"in"},null],"y":"z"}`,
		`{"token":["a","sk-cut\"`:                                                   `{"token":["[redacted]","[redacted]`,
		`{"token":["a",`:                                                            `{"token":["[redacted]",`,
		"\ufeff{\"token\":\"t\"}":                                                   "\ufeff{\"token\":\"[redacted]\"}",
		" \ufeff{\"token\":\"t\"}":                                                  " \ufeff{\"token\":\"t\"}", // not JSON
		`["token","t"]`:                                                             `["token","t"]`,
		`"token"`:                                                                   `"token"`,
		``:                                                                          ``,
		`{`:                                                                         `{`,
		`{"token"`:                                                                  `{"token"`,
		`{"token":`:                                                                 `{"token":`,
		`{"token":"sk-cut`:                                                          `{"token":"[redacted]`, // the body was cut off
		`{"token":"sk-cut\"`:                                                        `{"token":"[redacted]`,
		`{"token":"`:                                                                `{"token":"[redacted]`,
		`{"a":1 "token":"t"}`:                                                       `{"a":1 "token":"t"}`, // not JSON
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
}

func FuzzMaskMembers(f *testing.F) {
	f.Add([]byte(`{"api_key":"sk-1","a":[{}],"b":"c"}`))
	f.Add([]byte(`{"token":"x\"`))
	f.Add([]byte(`{"token":["x",1,"y"],"b":"c"}`))
	f.Add([]byte("{\"token\":\"\x10\x00-1\"}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		got, cuts := Names{}.MaskMembers(text)
		// The other way it may be: a value with a control character is no JSON, and its mask is.
		if json.Valid(text) && !json.Valid(got) {
			t.Errorf("%q is valid and became %q, which is not", text, got)
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

// Credentials that providers document below the outermost object are masked, and what describes
// tools is not.
func TestNestedMembers(t *testing.T) {
	for in, masked := range map[string]int{
		`{"tools":[{"type":"mcp","server_label":"x","authorization":"%"}]}`:                                                          1,
		`{"tools":[{"type":"mcp","headers":{"X-Api-Key":"%","DPoP":"%","X-Pin":"%","Accept":"a"}}]}`:                                 3,
		`{"mcp_servers":[{"type":"url","url":"u","name":"n","authorization_token":"%"}]}`:                                            1,
		`{"mcpServers":{"x":{"command":"c","env":{"API_TOKEN":"%","PATH":"/bin"},"token":"%"}}}`:                                     2,
		`{"a":{"b":[{"env":[{"name":"DB_PASS","value":"%"},{"name":"HOME","value":"h"}]}]}}`:                                         1,
		`{"headers":[{"key":"X-Otp","value":"%"},{"key":"Accept","value":"a"}]}`:                                                     1,
		`{"auth":{"type":"bearer","token":"%"},"x":{"credentials":{"user":"u","password":"%"}}}`:                                     2,
		`{"client_secret":{"value":"%","expires_at":1}}`:                                                                             1,
		`{"secrets":{"openai":"%"},"y":{"secrets":["NAME_1","NAME_2"]}}`:                                                             1,
		`{"x":{"y":[[{"clientSecret":"opaque-%-1"}]]}}`:                                                                              1,
		`{"tools":[{"name":"get_token","input_schema":{"properties":{"token":{"type":"string"}},"required":["token","password"]}}]}`: 0,
		`{"tools":[{"function":{"parameters":{"properties":{"api_key":{"type":"string","description":"the key"}}}}}]}`:               0,
		`{"x":{"authorization":"required"},"y":{"api_key":"the key of the user"}}`:                                                   0,
		`{"messages":[{"token":"kept"},{"password":"kept"}]}`:                                                                        0,
		`{"tools":[],"headers":{},"env":[],"x":[[],{},[{}]],"token":1}`:                                                              0,
	} {
		for _, name := range []string{in, " " + strings.NewReplacer(":", " : ", ",", " ,\n").Replace(in)} {
			text := strings.ReplaceAll(name, "%", "s3cret-1")
			got, cuts := Names{}.MaskMembers([]byte(text))
			if !json.Valid(got) || len(cuts) != masked || strings.Contains(string(got), "s3cret") {
				t.Errorf("%s became %s", text, got)
			}
		}
	}
	deep := strings.Repeat(`{"a":[`, 4000) + strings.Repeat("]}", 4000)
	if got, cuts := (Names{}).MaskMembers([]byte(`{"a":` + deep + `,"token":"t"}`)); len(cuts) != 1 || !json.Valid(got) {
		t.Errorf("%d cuts behind 8,000 levels", len(cuts))
	}
}

// Tokens in answers are masked; other members of the same names are not.
func TestMaskAnswer(t *testing.T) {
	for in, want := range map[string]string{
		`{"access_token":"a1b2c3d4e5","token_type":"bearer","id_token":"x1.y2.z3z"}`: `{"access_token":"[redacted]","token_type":"bearer","id_token":"[redacted]"}`,
		`{"token":"a1b2c3d4e5"}`:                      `{"token":"[redacted]"}`,
		`{"data":[{"api_key":"a1b2c3d4e5"}]}`:         `{"data":[{"api_key":"[redacted]"}]}`,
		`{"client_secret":{"value":"ek-1"}}`:          `{"client_secret":{"value":"[redacted]"}}`,
		`{"token":"hello","pwd":"/home/u1/x","n":1}`:  `{"token":"hello","pwd":"/home/u1/x","n":1}`,
		`{"token":["a1b2c3d4e5"],"key":"a1b2c3d4e5"}`: `{"token":["a1b2c3d4e5"],"key":"a1b2c3d4e5"}`,
	} {
		if got, _ := (Names{}).MaskAnswer([]byte(in)); string(got) != want {
			t.Errorf("%s became %s, want %s", in, got, want)
		}
	}
}
