package usagereport

import (
	"context"
	"fmt"
	"strings"

	"tapedeck/internal/problem"
	"tapedeck/query"
	"tapedeck/query/report/grouping"
)

// tagsShown is the number of tags that an error names.
const tagsShown = 20

type tagRow struct {
	Name string `ch:"name"`
}

// checkTags returns an error if the report has rows and groups by a tag that no stream of the
// tenant has. It only looks up tags for which no row has a value.
func (r *Report) checkTags(ctx context.Context, reader *query.Reader, tenant string) error {
	for _, by := range r.GroupBy {
		tag, isTag := strings.CutPrefix(by, grouping.TagPrefix)
		if !isTag || len(r.Items) == 0 || r.hasValue(by) {
			continue
		}
		names, err := query.Ask[tagRow](ctx, reader, statements, "tag_names", nil,
			query.Args{"tenant": tenant, "tag": tag, "limit": tagsShown})
		if err != nil {
			return err
		}
		if len(names) > 0 && names[0].Name == tag {
			continue
		}
		allowed := []string{"the tag of a session"}
		for i := range names {
			allowed = append(allowed, grouping.TagPrefix+names[i].Name)
		}
		return problem.BadParameter("group_by", fmt.Sprintf("group_by %q names a tag that no session has.", by),
			allowed...)
	}
	return nil
}

// hasValue reports whether a row has a value of a grouping.
func (r *Report) hasValue(by string) bool {
	for i := range r.Items {
		if r.Items[i].Group[by] != nil {
			return true
		}
	}
	return false
}
