package sessionlist

import (
	"context"

	"tapedeck/query"
	"tapedeck/query/facts/findings"
	"tapedeck/query/facts/sessionhead"
)

// AddFindings adds the findings of their usage to the sessions of a page.
func AddFindings(ctx context.Context, r *query.Reader, tenant string, page *query.Page[sessionhead.Summary]) error {
	of := make([]findings.Session, len(page.Items))
	for i := range page.Items {
		s := &page.Items[i]
		of[i] = findings.Session{ID: s.ID, First: s.Started, Last: s.LastAt}
	}
	used, err := findings.OfSessions(ctx, r, tenant, of)
	for i := range used {
		page.Items[i].Findings = used[i].Findings
	}
	return err
}
