package search

import (
	"net/http"
	"slices"
	"time"

	"tapedeck/internal/problem"
	"tapedeck/query/endpoint"
	"tapedeck/query/sessionfilter"
)

// Handler serves the route of search.
type Handler struct{ *endpoint.Base }

const hitsLimit, hitsMost = 20, 100 // on a page

// Search serves GET /v1/search.
func (h Handler) Search(w http.ResponseWriter, r *http.Request, tenant string) {
	p := endpoint.NewParams(r)
	q := Query{Tenant: tenant}
	q.From, q.To = p.Range(time.UTC, h.Clock())
	q.Filter = sessionfilter.Read(p)
	text := p.Value("q")
	if q.Filter != nil {
		// These parameters select the texts themselves, not other texts of the same sessions.
		q.Filter.Text, q.Tools, q.Agents = "", q.Filter.Tools, q.Filter.Agents
		nameless := func(name string) bool { return name == "" }
		q.Agents, q.Tools = slices.DeleteFunc(q.Agents, nameless), slices.DeleteFunc(q.Tools, nameless)
		q.Filter.Tools, q.Filter.Agents = nil, nil
		if q.Filter.IsEmpty() {
			q.Filter = nil
		}
	}
	q.Sessions = p.Texts("session")
	q.Kinds, q.Roles = endpoint.SomeOf(p, "kind", Kinds), endpoint.SomeOf(p, "role", Roles)
	q.Order = endpoint.OneOf(p, "order", Orders)
	q.Limit = p.Number("limit", hitsLimit, 1, hitsMost)
	q.Cursor = p.Text("cursor")
	err := p.Done()
	if err == nil {
		q.Expression, err = Parse(text)
	}
	if err == nil {
		err = validNames(&q)
	}
	if err != nil {
		h.Fail(w, r, err)
		return
	}
	answer, err := Read(r.Context(), h.Reader, q)
	h.Answer(w, r, answer, err)
}

// validNames refuses lists of names that are too long.
func validNames(q *Query) error {
	for name, list := range map[string][]string{"session": q.Sessions, "tool": q.Tools, "agent": q.Agents} {
		if len(list) > 200 {
			return problem.BadParameter(name, name+" is given more than 200 times.", "up to 200 times")
		}
	}
	return nil
}
