package dialect

import (
	"encoding/json"
	"testing"
	"unicode/utf8"
)

func TestUnquote(t *testing.T) {
	for raw, want := range map[string]string{
		`""`:                       "",
		`"plain ü"`:                "plain ü",
		`"a\"b\\c\/d\b\f\n\r\te"`:  "a\"b\\c/d\b\f\n\r\te",
		`"\u00e9\u20AC"`:           "é€",
		`"\ud83d\ude00!"`:          "😀!",
		`"\ud83dx"`:                "\ufffdx",
		`"\ud83d\u0041"`:           "\ufffdA",
		`"\ude00\ud83d\ude00\ud8"`: "\ufffd😀\ufffd",
		`"\u12"`:                   "\ufffd",
		`"\u0000"`:                 "\x00",
	} {
		text, _ := Unquote([]byte(raw), nil)
		if text == nil || string(text) != want {
			t.Errorf("%s: %q, want %q", raw, text, want)
		}
	}
	for _, raw := range []string{``, `"`, `null`, `12`, `{}`, `[]`} {
		if text, _ := Unquote([]byte(raw), nil); text != nil {
			t.Errorf("%s is no string, yet it returns %q", raw, text)
		}
	}
}

// Texts from one buffer do not overwrite one another.
func TestUnquoteBuffer(t *testing.T) {
	var buf []byte
	var texts [][]byte
	for range 100 {
		var text []byte
		text, buf = Unquote([]byte(`"one\ntwo"`), buf)
		_ = append(text, '#')
		texts = append(texts, text)
	}
	for i, text := range texts {
		if string(text) != "one\ntwo" {
			t.Fatalf("text %d became %q", i, text)
		}
	}
}

func FuzzUnquote(f *testing.F) {
	for _, raw := range []string{`"a"`, `"\u00e9\n"`, `"\ud83d\ude00"`, `"\ud83d\ud83d\ude00"`, `"\`, `"\u12"`, `x`} {
		f.Add([]byte(raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		text, _ := Unquote(raw, nil)
		var want string
		if !utf8.Valid(raw) || len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &want) != nil || raw[len(raw)-1] != '"' {
			return
		}
		if string(text) != want {
			t.Errorf("%q, want %q", text, want)
		}
	})
}

func TestRawUint(t *testing.T) {
	const none = "none"
	for raw, want := range map[string]any{
		`0`: uint64(0), `12`: uint64(12), `12.0`: uint64(12), `1e3`: uint64(1000), `"7"`: uint64(7), `" 7 "`: uint64(7),
		`18446744073709551609`: uint64(18446744073709551609), `-0`: uint64(0),
		`-1`: none, `1.5`: none, `null`: none, `true`: none, ``: none, `""`: none, `"x"`: none, `"-1"`: none,
		`"1.0"`: none, `1e99`: none, `{}`: none, `99999999999999999999999`: none, `"`: none,
	} {
		n, ok := RawUint([]byte(raw))
		if got := any(n); !ok && want != none || ok && got != want {
			t.Errorf("%s: %d %t, want %v", raw, n, ok, want)
		}
	}
}

func TestRawTrue(t *testing.T) {
	for raw, want := range map[string]bool{
		`true`: true, `1`: true, `-2.5`: true, `"true"`: true, `"TRUE"`: true,
		`false`: false, `0`: false, `0.0`: false, `null`: false, `"no"`: false, ``: false, `{}`: false, `"`: false,
	} {
		if got := RawTrue([]byte(raw)); got != want {
			t.Errorf("%s: %t", raw, got)
		}
	}
}

func TestLastOwns(t *testing.T) {
	var l Last
	text := []byte("one")
	first := l.Own(text)
	text[0] = 'X'
	if first != "one" || l.Own([]byte("one")) != "one" || l.Own(nil) != "" || l.Own([]byte("two")) != "two" {
		t.Errorf("%q", first)
	}
	if n := testing.AllocsPerRun(100, func() { l.Own([]byte("two")) }); n != 0 {
		t.Errorf("%v copies of a text that is known", n)
	}
	if long := make([]byte, lastLimit+1); l.Own(long) != string(long) || string(l) != "two" {
		t.Errorf("a long text was kept")
	}
}
