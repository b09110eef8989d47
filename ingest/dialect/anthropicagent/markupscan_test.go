package anthropicagent

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// tokens records what a scanner finds. It joins adjacent texts, as texts may come in any number
// of pieces.
type tokens struct {
	list []string
	text strings.Builder
	kind string
}

func (s *tokens) flush() {
	if s.text.Len() > 0 {
		s.list = append(s.list, fmt.Sprintf("%s %q", s.kind, s.text.String()))
		s.text.Reset()
	}
}

func (s *tokens) open(name, attributes []byte, empty bool) bool {
	s.flush()
	s.list = append(s.list, fmt.Sprintf("open %q %q %v", name, attributes, empty))
	return string(name) == "literal"
}

func (s *tokens) text_(kind string, piece []byte) {
	if s.kind != kind {
		s.flush()
	}
	s.kind = kind
	s.text.Write(piece)
}

func (s *tokens) end(name []byte) {
	s.flush()
	s.list = append(s.list, fmt.Sprintf("end %q", name))
}

// noted makes a sink of tokens.
type noted struct{ *tokens }

func (n noted) text(piece []byte, cdata bool) {
	kind := "text"
	if cdata {
		kind = "cdata"
	}
	n.text_(kind, piece)
}

// scan splits a text at the given places and returns what the scanner finds.
func scan(t testing.TB, text string, cuts ...int) string {
	t.Helper()
	s := scanner{limit: 64}
	to := noted{&tokens{}}
	from := 0
	for _, cut := range append(cuts, len(text)) {
		s.feed([]byte(text[from:cut]), to)
		from = cut
		if len(s.held) > s.limit+len("</literal>") {
			t.Fatalf("%d bytes are held, more than the limit of a tag", len(s.held))
		}
	}
	to.flush()
	return strings.Join(append(to.list, fmt.Sprintf("held %q", s.held)), "\n")
}

func TestScanner(t *testing.T) {
	tests := []struct{ text, want string }{
		{`<a x="1>2" y="">t</a>`, "open \"a\" \" x=\\\"1>2\\\" y=\\\"\\\"\" false\ntext \"t\"\nend \"a\"\nheld \"\""},
		{`<b/> 1 < 2 <`, "open \"b\" \"\" true\ntext \" 1 < 2 \"\nheld \"<\""},
		{`<literal><a> </lit</literal>x`, "open \"literal\" \"\" false\ntext \"<a> </lit\"\nend \"literal\"\ntext \"x\"\nheld \"\""},
		{`<![CDATA[<a>]]]]><![CDATA[>]]>`, "cdata \"<a>]]>\"\nheld \"\""},
		{`<![CDATA[x]]`, "cdata \"x\"\nheld \"]]\""},
		{`<a ` + strings.Repeat("x", 100) + `>`, "text \"<a " + strings.Repeat("x", 100) + ">\"\nheld \"\""},
		{`<a x="`, "held \"<a x=\\\"\""},
	}
	for _, test := range tests {
		if got := scan(t, test.text); got != test.want {
			t.Errorf("%s:\n%s\nwant\n%s", test.text, got, test.want)
		}
	}
}

// FuzzScanner compares the scan of a whole text with the scan of its pieces.
func FuzzScanner(f *testing.F) {
	for _, text := range []string{
		`<meta_init data="{&quot;a&quot;: 1}"></meta_init><literal>a < b </li</literal>`,
		`<r id="1"><![CDATA[x]]]]><![CDATA[> y]]></r><i src="data:a>b" />`,
		`<a x="` + strings.Repeat("y", 90) + `">`,
	} {
		f.Add(text, uint64(1))
	}
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		if len(text) > 1<<12 {
			return
		}
		random := rand.New(rand.NewPCG(seed, 1))
		var cuts, every []int
		for i := range len(text) {
			if random.IntN(4) == 0 {
				cuts = append(cuts, i)
			}
			every = append(every, i)
		}
		want := scan(t, text)
		if got := scan(t, text, cuts...); got != want {
			t.Errorf("in pieces:\n%s\nwant\n%s", got, want)
		}
		if got := scan(t, text, every...); got != want {
			t.Errorf("byte by byte:\n%s\nwant\n%s", got, want)
		}
	})
}
