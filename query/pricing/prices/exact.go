package prices

import (
	"regexp"
	"strings"
)

// snapshot matches suffixes that do not change which model a name denotes: a date, a version, a
// moving alias, or the size of a context.
var snapshot = regexp.MustCompile(`^([-@:_]?(20\d{6}|20\d{2}-\d{2}-\d{2}|\d{4}|\d{2}-\d{2}(-20\d{2})?` +
	`|00\d|v\d+(:\d+)?|latest|preview|exp|default)|\[1m\])*$`)

// Inexact returns the id of the entry that prices calls of a model, if the entry belongs to another
// model. That is the case if the model's name differs from the names of the entry by more than a
// date or another snapshot suffix. Inexact returns "" if the entry is exact or there is no entry.
func (e *Effective) Inexact(provider, model string) string {
	_, m, err := e.entries.of(e.content.Table, provider, model)
	if err != nil || m.names(strings.ToLower(strings.TrimSpace(model))) {
		return ""
	}
	return m.ID
}

// names reports whether a name, in lower case, is one of the model's own names.
func (m *Model) names(name string) bool {
	return isName(name, m.ID) || m.Match.names(name)
}

// names reports whether the clause or one of its parts contains the name, ignoring snapshot
// suffixes.
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

// region matches the region prefix of a Bedrock inference profile.
var region = regexp.MustCompile(`^(us|us-gov|eu|apac|au|jp|in|ca|sa|global|regional)\.`)

// isName reports whether a name denotes a model. It ignores the service, the region and snapshot
// suffixes, and treats points and hyphens as equal.
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
