package dialect

import (
	"strings"

	"tapedeck/schema"
)

// Counting declares how a source counts tokens: where its usage JSON has each number, which
// number includes which, and how records add up. A place is the name of a member, or "a.b" for a
// member of a member. "a
// b" is the first of several places that exists, and "a+b" is a sum. An empty place means that
// the source has no such number.
type Counting struct {
	Input, CacheRead, CacheWrite5m, CacheWrite1h string
	Output, Reasoning, Total                     string
	// InputHoldsCache: Input includes the tokens read from a cache and written to one, unless they
	// exceed it.
	InputHoldsCache bool
	// OutputHoldsReasoning: Output includes Reasoning, unless Reasoning exceeds it.
	OutputHoldsReasoning bool
	// ReasoningInTotal: reasoning is part of Total only, which exceeds input plus output by it.
	ReasoningInTotal bool
	// Mode says how several records add up.
	Mode schema.UsageMode
	// Bill declares what else the usage JSON states. Nil reads nothing else.
	Bill *Bill
}

// Read puts the counts of a usage object into disjoint buckets. total is the total that the object
// states, 0 for none. ok is false if usage is not an object or counts nothing.
func (c *Counting) Read(usage []byte) (t schema.Tokens, total uint64, ok bool) {
	var members usageMembers
	if !members.read(usage) {
		return t, 0, false
	}
	read := func(places string) uint64 {
		n, found := members.count(places)
		ok = ok || found
		return n
	}
	t = schema.Tokens{
		Input: read(c.Input), CacheRead: read(c.CacheRead),
		CacheWrite5m: read(c.CacheWrite5m), CacheWrite1h: read(c.CacheWrite1h),
		Output: read(c.Output), Reasoning: read(c.Reasoning),
	}
	total = read(c.Total)
	if stated := t.Input + t.Output; c.ReasoningInTotal && t.Reasoning == 0 && total > stated {
		t.Reasoning = total - stated
	}
	if c.InputHoldsCache {
		t.Input -= cachedPart(t.Input, t.CacheRead, t.CacheWrite5m+t.CacheWrite1h)
	}
	if c.OutputHoldsReasoning && t.Reasoning <= t.Output {
		t.Output -= t.Reasoning
	}
	return t, total, ok
}

// cachedPart returns how many tokens of an input were read from a cache or written to one. A count
// that is greater than the input is not a part of it: some servers count the cache beside the
// prompt. If both counts are a part and exceed the input together, tokens were written and read at
// once.
func cachedPart(input, read, written uint64) uint64 {
	switch {
	case read > input && written > input:
		return 0
	case read > input:
		return written
	case written > input:
		return read
	case read+written > input:
		return max(read, written)
	}
	return read + written
}

// usageMembers holds the first members of a usage object. Lookups outnumber members, and many
// sources report their usage with every frame.
type usageMembers struct {
	text  []byte
	first [16]struct{ name, value []byte }
	n     int
}

// read reports whether text is an object.
func (u *usageMembers) read(text []byte) bool {
	u.text = text
	members, ok := MembersOf(text)
	for is := ok; is && u.n < len(u.first); {
		m := &u.first[u.n]
		if m.name, m.value, is = members.Next(); is {
			u.n++
		}
	}
	return ok
}

// path returns the value of a member, as RawPath does.
func (u *usageMembers) path(path string) []byte {
	name, rest, _ := strings.Cut(path, ".")
	for i := range u.first[:u.n] {
		if string(u.first[i].name) == name {
			return RawPath(u.first[i].value, rest)
		}
	}
	if u.n < len(u.first) {
		return nil
	}
	return RawPath(u.text, path) // beyond the members that are held
}

// count reads a number from its places.
func (u *usageMembers) count(places string) (n uint64, found bool) {
	for places != "" && !found {
		var place string
		place, places, _ = strings.Cut(places, "|")
		for place != "" {
			var term string
			term, place, _ = strings.Cut(place, "+")
			if one, ok := RawUint(u.path(term)); ok {
				n, found = n+one, true
			}
		}
	}
	return n, found
}

// RawPath returns the value at a path such as "a.b", or nil.
func RawPath(text []byte, path string) []byte {
	for path != "" && text != nil {
		var name string
		name, path, _ = strings.Cut(path, ".")
		text = RawMember(text, name)
	}
	return text
}

// AddTokens returns the sum of two counts.
func AddTokens(a, b schema.Tokens) schema.Tokens {
	return schema.Tokens{
		Input: a.Input + b.Input, CacheRead: a.CacheRead + b.CacheRead,
		CacheWrite5m: a.CacheWrite5m + b.CacheWrite5m, CacheWrite1h: a.CacheWrite1h + b.CacheWrite1h,
		Output: a.Output + b.Output, Reasoning: a.Reasoning + b.Reasoning,
	}
}
