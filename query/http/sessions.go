package queryhttp

import (
	"net/http"
	"strings"
	"time"

	"tapedeck/query/deletion"
	"tapedeck/query/sessiondetail"
	"tapedeck/query/sessionhead"
	"tapedeck/query/sessionlist"
	"tapedeck/query/timeline"
	"tapedeck/query/transcript"
)

// Limits of pages: how much one holds if nothing is said, and at most.
const (
	sessionsLimit, sessionsMost     = 50, 500
	framesLimit, framesMost         = 200, 5000
	transcriptLimit, transcriptMost = 1000, 5000
)

// Sessions answers GET /v1/sessions.
func (s *Server) Sessions(w http.ResponseWriter, r *http.Request, tenant string) {
	p := newParams(r)
	q := sessionlist.Query{Tenant: tenant}
	q.From, q.To = p.span(time.UTC, s.now())
	q.Text, q.Tags = p.text("q"), p.tags("tag")
	q.Agents, q.Tools, q.Models = p.texts("agent"), p.texts("tool"), p.texts("model")
	q.Dialects = p.texts("dialect")
	q.MinDuration, q.MaxDuration = p.durations("min_duration", "max_duration")
	q.SilentFor, q.RunningFor = p.duration("silent_for"), p.duration("running_for")
	q.MinTokens, q.MaxTokens = p.tokens()
	q.Statuses = someOf(p, "status", sessionhead.Statuses)
	q.Sort = oneOf(p, "sort", sessionlist.Sorts)
	q.Limit = p.number("limit", sessionsLimit, 1, sessionsMost)
	q.Cursor = p.text("cursor")
	if err := p.done(); err != nil {
		s.fail(w, r, err)
		return
	}
	page, err := sessionlist.Read(r.Context(), s.reader, q)
	s.answer(w, r, page, err)
}

// tags reads tags: "k:v", or "k" for any value.
func (p *params) tags(name string) []sessionlist.TagFilter {
	var list []sessionlist.TagFilter
	for _, v := range p.texts(name) {
		key, value, ok := strings.Cut(v, ":")
		if key == "" {
			p.refuse(name, v, "has no name", "name:value", "name")
			return nil
		}
		list = append(list, sessionlist.TagFilter{Key: key, Value: value, AnyValue: !ok})
	}
	return list
}

// Session answers GET /v1/sessions/{id}.
func (s *Server) Session(w http.ResponseWriter, r *http.Request, tenant, session string) {
	if err := newParams(r).done(); err != nil {
		s.fail(w, r, err)
		return
	}
	detail, err := sessiondetail.Read(r.Context(), s.reader, tenant, session)
	s.answer(w, r, detail, err)
}

// Delete answers DELETE /v1/sessions/{id}: 204 once nothing of it shows.
func (s *Server) Delete(w http.ResponseWriter, r *http.Request, tenant, session string) {
	err := newParams(r).done()
	if err == nil {
		err = deletion.Delete(r.Context(), s.reader, tenant, session)
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// Timeline answers GET /v1/sessions/{id}/timeline.
func (s *Server) Timeline(w http.ResponseWriter, r *http.Request, tenant, session string) {
	if err := newParams(r).done(); err != nil {
		s.fail(w, r, err)
		return
	}
	timeline, err := timeline.Read(r.Context(), s.reader, tenant, session)
	s.answer(w, r, timeline, err)
}

// Transcript answers GET /v1/sessions/{id}/transcript.
func (s *Server) Transcript(w http.ResponseWriter, r *http.Request, tenant, session string) {
	p := newParams(r)
	q := transcript.Query{
		Tenant: tenant, Session: session, Chunks: p.flag("chunks"), Since: p.instant("since", time.UTC, s.now()),
		Limit: p.number("limit", transcriptLimit, 1, transcriptMost), Cursor: p.text("cursor"),
	}
	if err := p.done(); err != nil {
		s.fail(w, r, err)
		return
	}
	page, err := transcript.Read(r.Context(), s.reader, q)
	s.answer(w, r, page, err)
}
