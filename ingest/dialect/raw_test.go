package dialect

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/valyala/fastjson"
)

func TestRawMember(t *testing.T) {
	tests := []struct{ name, text, member, want string }{
		{"verbatim", `{"usage": {"a" :1,  "b":[1, 2]} , "x":1}`, "usage", `{"a" :1,  "b":[1, 2]}`},
		{"last", `{"a":1,"b":-2.5e3}`, "b", `-2.5e3`},
		{"white space all over", " \n{\t\"a\"\r:\n1 ,\n\"b\" : null\n}\n", "b", `null`},
		{"a text with quotes and brackets", `{"a":"}],\"{","b":true}`, "b", `true`},
		{"a text that ends in a backslash", `{"a":"x\\","b":"y\\\"z"}`, "b", `"y\\\"z"`},
		{"an escaped name", `{"\u0061b":1,"ab":2}`, "ab", `1`},
		{"the first of two", `{"a":1,"a":2}`, "a", `1`},
		{"not inside others", `{"x":{"a":1},"y":[{"a":2}],"a":3}`, "a", `3`},
		{"missing", `{"a":1}`, "b", ``},
		{"empty object", `{}`, "a", ``},
		{"empty name", `{"":1}`, "", `1`},
		{"no object", `[{"a":1}]`, "a", ``},
		{"not JSON", `{"a":{"b":"c`, "a", `{"b":"c`},
		{"nothing", ``, "a", ``},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := RawMember([]byte(test.text), test.member); string(got) != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

func TestRawElements(t *testing.T) {
	collect := func(text string, most int) (elements []string) {
		RawElements([]byte(text), func(e []byte) bool {
			elements = append(elements, string(e))
			return len(elements) < most
		})
		return elements
	}
	for text, want := range map[string][]string{
		` [1, {"a": [2 ]} ,"x,]", null,[]] `: {`1`, `{"a": [2 ]}`, `"x,]"`, `null`, `[]`},
		`[]`:                                 nil,
		`{"a":1}`:                            nil,
		`[1`:                                 {`1`},
	} {
		if got := collect(text, 99); !cmp.Equal(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	if got := collect(`[1,2,3]`, 2); !cmp.Equal(got, []string{"1", "2"}) {
		t.Errorf("went on after the callback stopped it: %q", got)
	}
}

// FuzzMembers compares Members with encoding/json on valid JSON, and checks that other text does
// not panic.
func FuzzMembers(f *testing.F) {
	for _, text := range []string{
		`{"a":1,"b":{"c":[1,2,{"d":"e\"}"}]},"\u00e9\\":"\ud83d\ude00\n"}`, `[1,"a",null,{"b":[]}]`,
		` { } `, `[ ]`, `"\ud800x"`, `{"a":"\\"}`, `{"a"`, `[`, `"`, `\`, `{"a":}`, "{\"\x00\":1}", `[1}`, `[{}},1]`, `{"a":}}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var elements [][]byte
		RawElements(text, func(e []byte) bool { elements = append(elements, e); return len(elements) <= len(text) })
		if len(elements) > len(text) {
			t.Fatalf("more than %d elements in %d bytes", len(text), len(text))
		}
		members, isObject := MembersOf(text)
		var names, values [][]byte
		for {
			name, value, ok := members.Next()
			if !ok {
				break
			}
			names, values = append(names, name), append(values, value)
		}
		if fastjson.ValidateBytes(text) != nil || !json.Valid(text) {
			return
		}
		var want []json.RawMessage
		if json.Unmarshal(text, &want) == nil && want != nil {
			if len(want) != len(elements) {
				t.Fatalf("%d elements, want %d", len(elements), len(want))
			}
			for i := range want {
				if !bytes.Equal(want[i], elements[i]) {
					t.Errorf("element %d is %s, want %s", i, elements[i], want[i])
				}
			}
		}
		first := bytes.TrimLeft(text, " \t\r\n")
		if isObject != (first[0] == '{') {
			t.Fatalf("object: %t", isObject)
		}
		if !isObject {
			return
		}
		decoder := json.NewDecoder(bytes.NewReader(text))
		if _, err := decoder.Token(); err != nil {
			t.Fatal(err)
		}
		for i := 0; decoder.More(); i++ {
			name, err := decoder.Token()
			// The decoder replaces bytes that are not UTF-8.
			if err != nil || i >= len(names) || string([]rune(string(names[i]))) != name {
				t.Fatalf("member %d: names %q, want %v (%v)", i, names, name, err)
			}
			var value json.RawMessage
			if err := decoder.Decode(&value); err != nil || !bytes.Equal(value, values[i]) {
				t.Fatalf("member %d is %s, want %s (%v)", i, values[i], value, err)
			}
		}
	})
}
