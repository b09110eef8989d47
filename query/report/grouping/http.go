package grouping

import (
	"slices"
	"strings"

	"tapedeck/query/endpoint"
)

// ReadGroupings reads group_by: names separated by commas. The name of a tag may contain any
// character except a comma.
func ReadGroupings(p *endpoint.Params, allowed []string) []string {
	list := p.Words("group_by")
	for _, name := range list {
		tag, isTag := strings.CutPrefix(name, TagPrefix)
		if slices.Contains(allowed, name) && !isTag || isTag && tag != "" && slices.Contains(allowed, TagPrefix) {
			continue
		}
		shown := slices.Clone(allowed)
		if i := slices.Index(shown, TagPrefix); i >= 0 {
			shown[i] = TagPrefix + "<name>"
		}
		p.Refuse("group_by", name, "is not a grouping of this report", shown...)
		return nil
	}
	return list
}
