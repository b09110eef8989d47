package custom

import (
	"regexp"
	"slices"
	"strconv"

	"tapedeck/ingest/dialect"
)

// condition is one condition of a rule: a path, and what its value must be.
type condition struct {
	at     path
	in     []string // one of these, if hasIn
	hasIn  bool
	not    []string // none of these
	exists *bool    // whether the value exists and is not null
	regex  *regexp.Regexp
	// notRegex: the value is missing, or does not match.
	notRegex *regexp.Regexp
	// lastOf is the place of a count: the value is the index of the last of so many.
	lastOf places
}

// holds reports whether the condition holds. One of several values at a path is enough.
func (c *condition) holds(s *source) bool {
	if c.at.field != inJSON || !c.at.many() {
		text := c.at.textOf(s)
		return c.fits(s, text, text != nil)
	}
	any, held := false, false
	c.at.walk(s, func(v []byte) bool {
		any = true
		text, _ := dialect.RawContent(v)
		held = c.fits(s, text, true)
		return !held
	})
	return held || !any && c.fits(s, nil, false)
}

// fits compares one value.
func (c *condition) fits(s *source, text []byte, there bool) bool {
	if c.exists != nil && *c.exists != there {
		return false
	}
	if c.hasIn && !(there && slices.Contains(c.in, dialect.Alias(text))) {
		return false
	}
	if len(c.not) > 0 && there && slices.Contains(c.not, dialect.Alias(text)) {
		return false
	}
	if c.lastOf != nil {
		index, err := strconv.ParseUint(dialect.Alias(text), 10, 64)
		count, found := c.lastOf.count(s)
		if err != nil || !found || count == 0 || index != count-1 {
			return false
		}
	}
	if c.notRegex != nil && there && c.notRegex.Match(text) {
		return false
	}
	return c.regex == nil || there && c.regex.Match(text)
}

// conditions hold if all of them hold.
type conditions []condition

func (list conditions) hold(s *source) bool {
	for i := range list {
		if !list[i].holds(s) {
			return false
		}
	}
	return true
}

// onDirection reports whether a condition is on the direction of frames.
func (list conditions) onDirection() bool {
	return slices.ContainsFunc(list, func(c condition) bool { return c.at.field == direction })
}
