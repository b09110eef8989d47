package replay

import (
	"cmp"
	"errors"
	"slices"

	"tapedeck/schema"
	"tapedeck/schema/block"
)

// FactQuery selects facts of a session. A kind that is not listed is not read.
type FactQuery struct {
	Spans    []schema.SpanKind
	Messages []schema.MessageKind
	Usages   bool
	// MaxBytes bounds the approximate memory of the facts that are read from a database; 0 means no
	// bound. Beyond it the error is ErrManyFacts.
	MaxBytes int
}

// ErrManyFacts is returned for a session with more facts than FactQuery.MaxBytes.
var ErrManyFacts = errors.New("the session has more facts than are read at once")

// Facts maps the id of a stream to the facts of a session that come from it: the current version of
// each fact, ordered by the frame that first mentioned it. A stream of a session that is being
// recorded, or of a file that was cut off, may have no facts.
type Facts map[string]*block.Facts

// FactSet collects facts that may be stored in several versions. It keeps the latest version of
// each fact.
type FactSet struct {
	query FactQuery
	facts Facts
	at    map[factKey]int
}

// NewFactSet returns an empty set for the facts that the query selects.
func NewFactSet(q FactQuery) *FactSet { return &FactSet{query: q} }

type factKey struct {
	stream, kind, id string
	seq              uint64
}

// Add adds the facts of a stream that the query selects.
func (s *FactSet) Add(stream string, f *block.Facts) {
	if s.at == nil {
		s.facts, s.at = Facts{}, map[factKey]int{}
	}
	to := s.facts[stream]
	if to == nil {
		to = &block.Facts{}
		s.facts[stream] = to
	}
	for i := range f.Spans {
		if v := &f.Spans[i]; slices.Contains(s.query.Spans, v.Kind) {
			to.Spans = addFact(s, to.Spans, stream, "span", v, spanFact)
		}
	}
	for i := range f.Messages {
		if v := &f.Messages[i]; slices.Contains(s.query.Messages, v.Kind) {
			to.Messages = addFact(s, to.Messages, stream, "message", v, messageFact)
		}
	}
	for i := range f.Usages {
		if s.query.Usages {
			to.Usages = addFact(s, to.Usages, stream, "usage", &f.Usages[i], usageFact)
		}
	}
}

// Facts returns the added facts.
func (s *FactSet) Facts() Facts {
	for _, f := range s.facts {
		sortFacts(f.Spans, spanFact)
		sortFacts(f.Messages, messageFact)
		sortFacts(f.Usages, usageFact)
	}
	return s.facts
}

func spanFact(v *schema.Span) *schema.Fact       { return &v.Fact }
func messageFact(v *schema.Message) *schema.Fact { return &v.Fact }
func usageFact(v *schema.Usage) *schema.Fact     { return &v.Fact }

func addFact[T any](s *FactSet, list []T, stream, kind string, v *T, factOf func(*T) *schema.Fact) []T {
	f := factOf(v)
	k := factKey{stream, kind, f.ID, f.SeenSeq}
	i, known := s.at[k]
	if !known {
		s.at[k] = len(list)
		return append(list, *v)
	}
	if factOf(&list[i]).Version <= f.Version {
		list[i] = *v
	}
	return list
}

func sortFacts[T any](list []T, factOf func(*T) *schema.Fact) {
	slices.SortStableFunc(list, func(a, b T) int {
		x, y := factOf(&a), factOf(&b)
		return cmp.Or(cmp.Compare(x.SeenSeq, y.SeenSeq), cmp.Compare(x.ID, y.ID))
	})
}
