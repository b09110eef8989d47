package anthropicagent

import "testing"

func TestEscapes(t *testing.T) {
	tests := []struct {
		name   string
		e      escapes
		pieces []string
		want   string
	}{
		{"a newline", escapes{}, []string{`a\nb`}, "a\nb"},
		{"a backslash and an n", escapes{}, []string{`a\\nb`}, `a\nb`},
		{"cut in an escape", escapes{}, []string{`a\`, `nb\`, `\n`}, "a\nb\\n"},
		{"another escape is none", escapes{}, []string{`a\t`}, `a\t`},
		{"at the end", escapes{}, []string{`a\`}, `a\`},
		{"backslashes are not doubled", escapes{single: true}, []string{`c:\\new`}, "c:\\\new"},
		{"nothing is escaped", escapes{verbatim: true}, []string{`a\nb\\`}, `a\nb\\`},
	}
	for _, test := range tests {
		got := ""
		for _, piece := range test.pieces {
			got += string(test.e.text([]byte(piece), nil))
		}
		got += string(test.e.rest())
		if got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// JSON that has one valid reading identifies the way of escaping. Until then backslashes are
// taken as doubled.
func TestEscapedJSON(t *testing.T) {
	tests := []struct {
		name           string
		e              escapes
		raw, want      string
		single, double bool
	}{
		{"doubled", escapes{}, `{"a":"x\\ny \\"q\\""}`, `{"a":"x\ny \"q\""}`, false, true},
		{"single", escapes{}, `{"a":"x\ny \"q\""}`, `{"a":"x\ny \"q\""}`, true, false},
		{"both are valid", escapes{}, `{"a":"c:\\new"}`, `{"a":"c:\new"}`, false, false},
		{"both are valid, and single is known", escapes{single: true}, `{"a":"c:\\new"}`, `{"a":"c:\\new"}`, true, false},
		{"doubled after all", escapes{single: true}, `{"a":"\\"q\\""}`, `{"a":"\"q\""}`, true, true},
		{"only single is valid", escapes{}, `{"a":"c:\\dir"}`, `{"a":"c:\\dir"}`, true, false},
		{"no JSON", escapes{}, `a\\b`, `a\\b`, false, false},
	}
	for _, test := range tests {
		if got := string(test.e.json([]byte(test.raw))); got != test.want || test.e.single != test.single || test.e.double != test.double {
			t.Errorf("%s: %s %+v, want %s", test.name, got, test.e, test.want)
		}
	}
}

func TestUnescape(t *testing.T) {
	for value, want := range map[string]string{
		"plain":                           "plain",
		"&quot;a&quot; &amp;amp; &#x27;":  `"a" &amp; '`,
		"&lt;&gt;&apos;&#39;&#8364;":      "<>''€",
		"&nbsp; & &#; &#xzz; &#99999999;": "&nbsp; & &#; &#xzz; &#99999999;",
		"&":                               "&",
	} {
		if got := string(unescape([]byte(value))); got != want {
			t.Errorf("%s: %s, want %s", value, got, want)
		}
	}
}
