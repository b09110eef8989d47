package search

import (
	"slices"

	"tapedeck/schema"
)

// add adds hits. The error of a failed tool is usually the text of its result too: then the result is
// the hit, and the error of the span is none.
func (s *search) add(hits []Hit) {
	for i := range hits {
		h := &hits[i]
		at := slices.IndexFunc(s.answer.Items, func(other Hit) bool { return h.repeats(&other) || other.repeats(h) })
		switch {
		case at < 0:
			s.answer.Items = append(s.answer.Items, *h)
		case !h.repeats(&s.answer.Items[at]):
			s.answer.Items[at] = *h // the error came first
		}
	}
}

// repeats reports whether a hit is the error of a span whose result has the same text.
func (h *Hit) repeats(result *Hit) bool {
	return h.Kind == "error" && h.ID == h.SpanID && result.Kind == string(schema.MessageResult) &&
		h.SpanID == result.SpanID && h.SessionID == result.SessionID && h.Matches == result.Matches && slices.Equal(h.Snippet, result.Snippet)
}
