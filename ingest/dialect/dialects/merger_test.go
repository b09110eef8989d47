package dialects_test

import (
	"cmp"
	"slices"

	"tapedeck/schema"
)

// merger keeps the facts of one kind, in the order in which the stream mentioned them.
type merger struct {
	records map[record]int // index of a fact
	facts   []fact
	combine func(a, b any) any // joins records with one id, the earlier first
}

// record is the key of a fact in the store.
type record struct {
	session, id string
	seq         uint64
}

type fact struct {
	key     record
	version uint64
	value   any
}

// put adds a fact, unless a record with a higher version exists.
func (m *merger) put(session string, f schema.Fact, value any) {
	if m.records == nil {
		m.records = map[record]int{}
	}
	key := record{session, f.ID, f.SeenSeq}
	i, ok := m.records[key]
	switch {
	case !ok:
		m.records[key] = len(m.facts)
		m.facts = append(m.facts, fact{key, f.Version, value})
	case f.Version >= m.facts[i].version:
		m.facts[i].version, m.facts[i].value = f.Version, value
	}
}

// merged returns the facts, one for each id.
func merged[T any](m *merger) []T {
	slices.SortStableFunc(m.facts, func(a, b fact) int { return cmp.Compare(a.key.seq, b.key.seq) })
	first := map[record]int{}
	var all []T
	for _, f := range m.facts {
		f.key.seq = 0
		i, ok := first[f.key]
		if ok {
			all[i] = m.combine(all[i], f.value).(T)
			continue
		}
		first[f.key] = len(all)
		all = append(all, f.value.(T))
	}
	return all
}

// mergeSpans joins two records of a span. A record with an end takes precedence over one that was
// cut short, and that over an open one. The other record fills in empty fields.
func mergeSpans(a, b schema.Span) schema.Span {
	front, back := a, b
	if cmp.Or(cmp.Compare(finality(b.Status), finality(a.Status)), cmp.Compare(b.Version, a.Version)) > 0 {
		front, back = b, a
	}
	front.SeenSeq = a.SeenSeq
	front.Name, front.Parent = cmp.Or(front.Name, back.Name), cmp.Or(front.Parent, back.Parent)
	front.Node, front.Model = cmp.Or(front.Node, back.Node), cmp.Or(front.Model, back.Model)
	return front
}

func finality(s schema.Status) int {
	switch {
	case !s.Ended():
		return 0
	case s == schema.StatusUnclosed:
		return 1
	}
	return 2
}

// longer returns the more complete of two records of a message.
func longer(a, b schema.Message) schema.Message {
	if len(b.Text) >= len(a.Text) {
		return b
	}
	return a
}

// later returns the later of two records of a usage.
func later(a, b schema.Usage) schema.Usage {
	if cmp.Or(cmp.Compare(b.At, a.At), cmp.Compare(b.Version, a.Version)) >= 0 {
		return b
	}
	return a
}
