package live

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"tapedeck/query"
	"tapedeck/query/alerts/evaluate"
	"tapedeck/schema"
)

// Bounds of what is kept of sessions between two readings. Spans that began in the keptOverlap before the last reading
// are read again, as their frames may have been received later than they arrived at the recorder.
const (
	keptMost    = 200_000 // spans of a tenant; further sessions are read as a whole
	keptFor     = 5 * time.Minute
	keptOverlap = 20 * time.Second
)

// tenantSessions are the sessions of a tenant as they were read last.
type tenantSessions struct {
	storedTo int64 // all blocks that were received until then were stored, ns
	of       map[string]*keptSession
}

// keptSession is a session with its open spans and its latest tool calls.
type keptSession struct {
	readAt int64 // when all its spans were read, ns
	model  int64 // when a model call ended last, ns
	spans  map[string]evaluate.Span
	left   []string // ids of the spans without an end that no live stream has
}

func newKept(now int64) *keptSession {
	return &keptSession{readAt: now, spans: map[string]evaluate.Span{}}
}

// Only forgets what is kept of tenants that are not among some.
func (r *Reader) Only(tenants []string) {
	maps.DeleteFunc(r.kept, func(tenant string, _ *tenantSessions) bool { return !slices.Contains(tenants, tenant) })
	r.usages.mu.Lock()
	defer r.usages.mu.Unlock()
	maps.DeleteFunc(r.usages.of, func(tenant string, _ *tenantUsage) bool { return !slices.Contains(tenants, tenant) })
}

// continued returns sessions, of which it reads what is new since the last call, or for new ones all.
func (r *Reader) continued(ctx context.Context, tenant string, rows []sessionRow, storedTo int64) ([]*evaluate.Session, error) {
	now, last := r.reader.Now(), r.kept[tenant]
	if last == nil {
		last = &tenantSessions{}
	}
	next := &tenantSessions{storedTo: storedTo, of: make(map[string]*keptSession, len(rows))}
	var known, fresh []sessionRow
	open := []string{}
	for _, row := range rows {
		k := last.of[row.ID]
		if k == nil || now-k.readAt >= int64(keptFor) {
			next.of[row.ID] = newKept(now)
			fresh = append(fresh, row)
			continue
		}
		next.of[row.ID] = k
		known = append(known, row)
		open = append(open, k.forgetOpen()...)
	}
	delete(r.kept, tenant) // until all is read: what was open is missing
	for _, part := range []struct {
		rows  []sessionRow
		shape spansShape
		more  query.Args
	}{
		{fresh, spansShape{}, nil},
		{known, spansShape{Since: true}, query.Args{"since": last.storedTo - int64(keptOverlap), "open": open}},
	} {
		if len(part.rows) == 0 {
			continue
		}
		spans, err := r.spans(ctx, tenant, part.rows, part.shape, part.more)
		if err != nil {
			return nil, err
		}
		r.take(tenant, next.of, spans)
	}
	list, kept := make([]*evaluate.Session, len(rows)), 0
	for i := range rows {
		k := next.of[rows[i].ID]
		list[i] = k.session(tenant, &rows[i])
		if kept += len(k.spans) + len(k.left); kept > keptMost {
			delete(next.of, rows[i].ID)
		}
	}
	r.kept[tenant] = next
	return list, nil
}

// take adds spans to their sessions.
func (r *Reader) take(tenant string, to map[string]*keptSession, spans []spanRow) {
	for i := range spans {
		s := &spans[i]
		k := to[s.Session]
		k.model = max(k.model, s.Model)
		if s.Left {
			k.left = append(k.left, s.ID)
			continue
		}
		k.spans[s.ID] = s.span(r.arguments[spanKey{tenant, s.Session, s.ID}])
	}
}

// forgetOpen removes the spans without an end, and returns their ids.
func (k *keptSession) forgetOpen() (ids []string) {
	ids, k.left = k.left, nil
	for id, s := range k.spans {
		if s.IsOpen() {
			ids = append(ids, id)
			delete(k.spans, id)
		}
	}
	return ids
}

// session returns the session as rules observe it. Of the ended calls it keeps the latest.
func (k *keptSession) session(tenant string, row *sessionRow) *evaluate.Session {
	s := &evaluate.Session{Tenant: tenant, ID: row.ID, Stream: row.Stream, LastAt: row.Last, ModelAt: k.model}
	for _, span := range k.spans {
		if span.IsOpen() {
			s.Open = append(s.Open, span)
		}
		if span.Kind == schema.SpanTool {
			s.Calls = append(s.Calls, span)
		}
	}
	byBegin := func(a, b evaluate.Span) int {
		return cmp.Or(cmp.Compare(a.Begin, b.Begin), cmp.Compare(a.Position, b.Position), cmp.Compare(a.ID, b.ID))
	}
	slices.SortFunc(s.Open, byBegin)
	slices.SortFunc(s.Calls, byBegin)
	var over []evaluate.Span
	s.Calls, over = evaluate.Latest(s.Calls)
	for i := range over {
		delete(k.spans, over[i].ID)
	}
	return s
}
