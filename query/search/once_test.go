package search

import (
	"testing"

	"tapedeck/schema"
)

// The error of a span is no hit beside a result of the span with the same text, whichever comes first.
func TestErrorOfResult(t *testing.T) {
	hit := func(kind, id, session, text string) Hit {
		return Hit{SessionID: session, ID: id, SpanID: "tool:1", Kind: kind, Matches: 1, Snippet: []Part{{Text: text, Match: true}}}
	}
	failed := hit("error", "tool:1", "a", "FAIL")
	result := hit(string(schema.MessageResult), "result:1", "a", "FAIL")
	for name, tc := range map[string]struct {
		hits []Hit
		want []string // ids
	}{
		"the result first":              {[]Hit{result, failed}, []string{"result:1"}},
		"the error first":               {[]Hit{failed, result}, []string{"result:1"}},
		"another text":                  {[]Hit{result, hit("error", "tool:1", "a", "FAIL x")}, []string{"result:1", "tool:1"}},
		"another session":               {[]Hit{result, hit("error", "tool:1", "b", "FAIL")}, []string{"result:1", "tool:1"}},
		"a message of the kind error":   {[]Hit{result, hit("error", "error:1", "a", "FAIL")}, []string{"result:1", "error:1"}},
		"an error without its result":   {[]Hit{failed}, []string{"tool:1"}},
		"two results of the same words": {[]Hit{result, hit(string(schema.MessageResult), "result:2", "a", "FAIL")}, []string{"result:1", "result:2"}},
	} {
		s := search{answer: &Answer{}}
		s.add(tc.hits)
		var got []string
		for _, h := range s.answer.Items {
			got = append(got, h.ID)
		}
		if len(got) != len(tc.want) {
			t.Errorf("%s: %v, want %v", name, got, tc.want)
			continue
		}
		for i := range got {
			if got[i] != tc.want[i] {
				t.Errorf("%s: %v, want %v", name, got, tc.want)
			}
		}
	}
}
