package custom_test

import (
	"slices"
	"testing"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/custom"
	"tapedeck/schema"
)

// TestMissing checks that keys without a value in a frame are listed with their paths.
func TestMissing(t *testing.T) {
	m, err := custom.Parse("f.yaml", []byte(`
name: x
rules:
  - {when: {a: say}, text: [b.c, d]}
  - {when: {a: call}, tool_call: {id: id, name: name}}
  - {when: {$.a: list}, each: 'items[*]', error: why}
  - {when: {a: known}, ignore: true}
  - {when: {a: row}, each: 'items[*]', error: why}
`))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		frame string
		want  []string
	}{
		{`{"a":"say","b":{"c":"hi"}}`, nil},
		{`{"a":"say","d":""}`, nil},
		{`{"a":"say","b":"c"}`, []string{"rules[0].text (b.c, d)"}},
		{`{"a":"call","name":"f"}`, nil},
		{`{"a":"call"}`, []string{"rules[1].tool_call (id, name)"}},
		{`{"a":"known"}`, nil},
		{`{"a":"list","items":[{"why":"full"}]}`, nil},
		{`{"a":"list","items":[{},{}]}`, []string{"rules[2].error (why)"}},
		{`{"a":"other"}`, nil},
		{`{"a":"row","items":[{"why":"full"}]}`, []string{"rules[4].when (a: of an element; the frame's is $.a)"}},
		{`{"items":[{"a":"row","why":"full"}]}`, nil},
		{`{"a":"row","items":[{"a":"row","why":"full"},{}]}`, nil},
		{`{"a":"row","items":[]}`, nil},
	} {
		in := dialect.Input{Frame: &schema.Frame{}, Data: []byte(test.frame), JSON: fastjson.MustParse(test.frame)}
		if got := m.Missing(&in); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", test.frame, got, test.want)
		}
	}
}
