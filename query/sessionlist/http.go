package sessionlist

import (
	"net/http"
	"strings"
	"time"

	"tapedeck/query/endpoint"
	"tapedeck/query/sessionhead"
)

const sessionsLimit, sessionsMost = 50, 500 // on a page

// Handler answers the questions of this package.
type Handler struct{ *endpoint.Base }

// Sessions answers GET /v1/sessions.
func (h Handler) Sessions(w http.ResponseWriter, r *http.Request, tenant string) {
	p := endpoint.NewParams(r)
	q := Query{Tenant: tenant}
	q.From, q.To = p.Range(time.UTC, h.Clock())
	q.Text, q.Tags = p.Text("q"), tags(p, "tag")
	q.Agents, q.Tools, q.Models = p.Texts("agent"), p.Texts("tool"), p.Texts("model")
	q.Dialects = p.Texts("dialect")
	q.MinDuration, q.MaxDuration = p.Durations("min_duration", "max_duration")
	q.SilentFor, q.RunningFor = p.Duration("silent_for"), p.Duration("running_for")
	q.MinTokens, q.MaxTokens = p.Tokens()
	q.Statuses = endpoint.SomeOf(p, "status", sessionhead.Statuses)
	q.Sort = endpoint.OneOf(p, "sort", Sorts)
	q.Limit = p.Number("limit", sessionsLimit, 1, sessionsMost)
	q.Cursor = p.Text("cursor")
	if err := p.Done(); err != nil {
		h.Fail(w, r, err)
		return
	}
	page, err := Read(r.Context(), h.Reader, q)
	h.Answer(w, r, page, err)
}

// tags reads tags: "k:v", or "k" for any value.
func tags(p *endpoint.Params, name string) []TagFilter {
	var list []TagFilter
	for _, v := range p.Texts(name) {
		key, value, ok := strings.Cut(v, ":")
		if key == "" {
			p.Refuse(name, v, "has no name", "name:value", "name")
			return nil
		}
		list = append(list, TagFilter{Key: key, Value: value, AnyValue: !ok})
	}
	return list
}
