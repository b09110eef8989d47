package dialect

import (
	"strings"
	"testing"

	"github.com/valyala/fastjson"
)

func TestRawText(t *testing.T) {
	const object = `{"a":"x\ny","b":1,"c":"","d":null}`
	for name, want := range map[string]string{"a": "x\ny", "b": "nil", "c": "", "d": "nil", "e": "nil"} {
		got := RawText([]byte(object), name)
		if got == nil && want != "nil" || got != nil && string(got) != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestRawContent(t *testing.T) {
	for raw, want := range map[string]string{
		`"a\tb"`: "text a\tb", `""`: "text ", `{"a":1}`: `json {"a":1}`, "12": "json 12", "": "json ",
	} {
		if text, media := RawContent([]byte(raw)); media+" "+string(text) != want {
			t.Errorf("%s: %s %q", raw, media, text)
		}
	}
}

func TestRawWords(t *testing.T) {
	for raw, want := range map[string]string{
		`"one"`: "one",
		`[{"type":"text","text":"one"},{"type":"image"},{"text":""},{"text":"t\"wo"}]`: "one\nt\"wo",
		`[]`: "", `{"text":"one"}`: "", ``: "",
	} {
		if got := RawWords([]byte(raw)); string(got) != want {
			t.Errorf("%s: %q, want %q", raw, got, want)
		}
	}
	if RawWords([]byte(`[{"text":1}]`)) != nil {
		t.Error("an array without texts has words")
	}
}

func TestKindsOfValues(t *testing.T) {
	v := fastjson.MustParse(`{"o":{},"a":[],"n":null,"s":"","t":"x"}`)
	if !IsObject(v.Get("o")) || IsObject(v.Get("a")) || IsObject(nil) {
		t.Error("IsObject")
	}
	if !IsArray(v.Get("a")) || IsArray(v.Get("o")) || IsArray(nil) {
		t.Error("IsArray")
	}
	if !IsNull(v.Get("n")) || !IsNull(v.Get("x")) || IsNull(v.Get("s")) {
		t.Error("IsNull")
	}
	if got := FirstText(v, "x", "o", "s", "t"); string(got) != "x" || FirstText(v, "s") != nil || FirstText(nil, "t") != nil {
		t.Errorf("FirstText: %q", got)
	}
}

func TestElements(t *testing.T) {
	const raw = `[1, {"a":[2]}, "x,]"]`
	all := fastjson.MustParse(raw).GetArray()
	seen := func(values []*fastjson.Value, from int) string {
		var out []string
		Elements(values, []byte(raw), from, func(i int, v *fastjson.Value, raw []byte) {
			if string(v.MarshalTo(nil)) != string(raw) || i != from+len(out) {
				t.Errorf("element %d, %s, comes with the text %s", i, v, raw)
			}
			out = append(out, string(raw))
		})
		return strings.Join(out, " ")
	}
	for _, c := range []struct {
		values []*fastjson.Value
		from   int
		want   string
	}{
		{all, 0, `1 {"a":[2]} "x,]"`},
		{all, 1, `{"a":[2]} "x,]"`},
		{all, 3, ""},
		{all[:2], 0, `1 {"a":[2]}`},
		{nil, 0, ""},
	} {
		if got := seen(c.values, c.from); got != c.want {
			t.Errorf("from %d of %d: %s, want %s", c.from, len(c.values), got, c.want)
		}
	}
}

func TestNewSince(t *testing.T) {
	ofModel := func(v *fastjson.Value) bool { return string(v.GetStringBytes()) == "model" }
	for _, c := range []struct {
		messages string
		prefill  bool
		want     int
	}{
		{`[]`, true, 0},
		{`["user"]`, false, 0},
		{`["user","model","user","tool"]`, false, 2},
		{`["user","model"]`, false, 2},
		{`["user","model"]`, true, 0},
		{`["user","model","user","model"]`, true, 2},
		{`["user","model","user"]`, true, 2},
		{`["model"]`, true, 0},
	} {
		messages := fastjson.MustParse(c.messages).GetArray()
		if got := NewSince(messages, ofModel, c.prefill); got != c.want {
			t.Errorf("%s, prefill %t: %d, want %d", c.messages, c.prefill, got, c.want)
		}
	}
}
