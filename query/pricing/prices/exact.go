package prices

import (
	"regexp"
	"strings"
)

// snapshot is what may follow the name of a model without making it another model: a date, a
// version, an alias that moves, or the size of a context.
var snapshot = regexp.MustCompile(`^([-@:_]?(20\d{6}|20\d{2}-\d{2}-\d{2}|\d{4}|\d{2}-\d{2}(-20\d{2})?` +
	`|00\d|v\d+(:\d+)?|latest|preview|exp|default)|\[1m\])*$`)

// Inexact returns the id of the entry by which calls of a model are priced if the entry is of
// another model: if the name and what the entry matches differ by more than a date or the suffix
// of a snapshot. It is "" for an exact entry, and where there is none.
func (e *Effective) Inexact(provider, model string) string {
	_, m, err := e.entries.of(e.content.Table, provider, model)
	if err != nil || m.names(strings.ToLower(strings.TrimSpace(model))) {
		return ""
	}
	return m.ID
}

// names reports whether a name, in lower case, is one of the model's own.
func (m *Model) names(name string) bool {
	return isName(name, m.ID) || m.Match.names(name)
}

// names reports whether the clause or one of its parts states the name but for a snapshot.
func (c *Clause) names(name string) bool {
	for _, parts := range [][]Clause{c.Or, c.And} {
		for i := range parts {
			if parts[i].names(name) {
				return true
			}
		}
	}
	switch {
	case c.Equals != "":
		return isName(name, c.Equals)
	case c.StartsWith != "":
		return isName(name, c.StartsWith)
	case c.EndsWith != "":
		return isName(name, c.EndsWith)
	case c.Contains != "":
		return isName(name, c.Contains)
	case c.pattern != nil:
		open := strings.Contains(c.Regex, ".*") || strings.Contains(c.Regex, ".+") || !strings.HasSuffix(c.Regex, "$")
		return !open && c.pattern.matches(name)
	}
	return false
}

// region is the region of an inference profile of Bedrock.
var region = regexp.MustCompile(`^(us|us-gov|eu|apac|au|jp|in|ca|sa|global|regional)\.`)

// isName reports whether a name is that of a model but for the service, the region and the
// snapshot in either of them, and for points written as hyphens.
func isName(name, model string) bool {
	name, model = bare(name), bare(strings.ToLower(model))
	rest, ok := strings.CutPrefix(name, model)
	if ok && snapshot.MatchString(rest) {
		return true
	}
	rest, ok = strings.CutPrefix(model, name)
	return ok && snapshot.MatchString(rest)
}

func bare(name string) string {
	name = region.ReplaceAllString(name[strings.LastIndex(name, "/")+1:], "")
	if bedrockID.MatchString(name) {
		_, name, _ = strings.Cut(name, ".")
	}
	return strings.ReplaceAll(name, ".", "-")
}
