package notes

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"tapedeck/internal/problem"
	"tapedeck/query"
	"tapedeck/query/facts/sessionstreams"
)

var statements = query.Statements("notes")

// row is a row of the table notes.
type row struct {
	Session string   `ch:"session_id"`
	Stream  string   `ch:"stream_id"`
	ID      string   `ch:"note_id"`
	Version uint64   `ch:"version"`
	Span    string   `ch:"span_id"`
	At      int64    `ch:"at_ns"`
	Text    string   `ch:"text"`
	Labels  []string `ch:"labels"`
	Thumb   string   `ch:"thumb"`
	Author  string   `ch:"author"`
	Written int64    `ch:"written_ns"`
}

func (r *row) note() Note {
	return Note{
		ID: r.ID, Session: r.Session, Span: query.Named(r.Span), At: query.KnownInstant(r.At),
		Content: Content{Text: r.Text, Labels: r.Labels, Thumb: Thumb(r.Thumb)},
		Author:  r.Author, Written: query.Instant(r.Written), Changed: query.Instant(int64(r.Version)), stream: r.Stream,
	}
}

// Query selects notes of a tenant. An empty field selects all.
type Query struct {
	Tenant, Session, ID string
	Text                string   // part of the text; case is ignored
	Labels              []string // notes with any of them
	Thumb               Thumb
	Author              string
	From, To            time.Time // half open, by when the note was written
	After               *query.Mark
	Limit               int
}

// shape selects the optional parts of sql/notes.sql.
type shape struct {
	Session, ID, Text, Labels, Thumb, Author, From, To, After bool
}

// listed is the name of the list in its cursors.
const listed = "notes"

// List returns one page of notes, the latest first.
func List(ctx context.Context, r *query.Reader, q Query) (*query.Page[Note], error) {
	a := query.Args{
		"tenant": q.Tenant, "session": q.Session, "id": q.ID, "text": q.Text, "labels": q.Labels, "thumb": string(q.Thumb),
		"author": q.Author, "limit": q.Limit + 1,
	}
	s := shape{
		Session: q.Session != "", ID: q.ID != "", Text: q.Text != "", Labels: len(q.Labels) > 0, Thumb: q.Thumb != "",
		Author: q.Author != "", From: !q.From.IsZero(), To: !q.To.IsZero(), After: q.After != nil,
	}
	if s.From {
		a["from"] = q.From.UnixNano()
	}
	if s.To {
		a["to"] = q.To.UnixNano()
	}
	if s.After {
		a["after_key"], a["after_id"] = q.After.Key, q.After.ID
	}
	rows, err := query.Ask[row](ctx, r, statements, "notes", s, a)
	if err != nil {
		return nil, err
	}
	page := &query.Page[Note]{Items: make([]Note, 0, len(rows))}
	for i := range rows {
		if i == q.Limit {
			last := rows[i-1]
			page.Next = query.Mark{List: listed, Key: last.Written, ID: last.ID}.Cursor()
			break
		}
		page.Items = append(page.Items, rows[i].note())
	}
	return page, nil
}

// OfSession returns all notes of a session in the order of the moments that they belong to. Those of
// no moment come first. While requests write at the same time there may be more than MostSession.
func OfSession(ctx context.Context, r *query.Reader, tenant, session string) ([]Note, error) {
	page, err := List(ctx, r, Query{Tenant: tenant, Session: session, Limit: 2 * MostSession})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(page.Items, func(a, b Note) int {
		moment := func(n *Note) time.Time {
			if n.At == nil {
				return time.Time{}
			}
			return *n.At
		}
		if by := moment(&a).Compare(moment(&b)); by != 0 {
			return by
		}
		if by := a.Written.Compare(b.Written); by != 0 {
			return by
		}
		return strings.Compare(a.ID, b.ID)
	})
	return page.Items, nil
}

// Find returns a note of a session.
func Find(ctx context.Context, r *query.Reader, tenant, session, id string) (*Note, error) {
	page, err := List(ctx, r, Query{Tenant: tenant, Session: session, ID: id, Limit: 1})
	if err != nil {
		return nil, err
	}
	if len(page.Items) == 0 {
		p := problem.NotFound(fmt.Sprintf("The session %q has no note %q.", session, shorten(id)))
		p.Hint = "GET /v1/sessions/{id}/notes lists them."
		return nil, p
	}
	return &page.Items[0], nil
}

// Add writes a note of a session and returns it. The span and the moment of the note must be in the
// session. The id and the times of n are set.
func Add(ctx context.Context, r *query.Reader, tenant string, n Note) (*Note, error) {
	if err := n.normalise(); err != nil {
		return nil, err
	}
	s, err := sessionstreams.Find(ctx, r, tenant, n.Session)
	if err != nil {
		return nil, err
	}
	if err := inSession(ctx, r, tenant, s, &n); err != nil {
		return nil, err
	}
	count, err := countOf(ctx, r, tenant, n.Session)
	if err != nil {
		return nil, err
	}
	if count >= MostSession {
		return nil, tooMany(n.Session)
	}
	id, err := uuid.NewV7()
	if err != nil {
		return nil, fmt.Errorf("make the id of a note: %w", err)
	}
	n.ID, n.stream = id.String(), slices.Max(s.StreamIDs)
	n.Written = query.Instant(r.Now())
	n.Changed = n.Written
	return &n, writeNew(ctx, r, tenant, n)
}

// inSession refuses a span or a moment that is not in the session of a note.
func inSession(ctx context.Context, r *query.Reader, tenant string, s *sessionstreams.Row, n *Note) error {
	if n.At != nil {
		last := max(s.Last, s.End)
		if s.LiveStreams > 0 {
			last = max(last, r.Now())
		}
		// Nanoseconds of a year after 2262 overflow, so times are compared.
		if start, end := query.Instant(s.Started), query.Instant(last); n.At.Before(start) || n.At.After(end) {
			return problem.BadParameter("at", fmt.Sprintf("The moment %s is not in the session %q, which is from %s to %s.",
				n.At.UTC().Format(time.RFC3339Nano), n.Session, start.Format(time.RFC3339Nano), end.Format(time.RFC3339Nano)))
		}
	}
	span := query.Text(n.Span)
	if span == "" {
		return nil
	}
	found, err := query.AskOne[struct {
		Rows uint64 `ch:"rows"`
	}](ctx, r, statements, "span_exists", nil, query.Args{"tenant": tenant, "session": n.Session, "span": span})
	if err == nil && found.Rows == 0 {
		p := problem.BadParameter("span_id", fmt.Sprintf("The session %q has no span %q.", n.Session, shorten(span)))
		p.Hint = "GET /v1/sessions/{id}/timeline lists the spans."
		return p
	}
	return err
}

// Change replaces what a note says, and returns the note.
func Change(ctx context.Context, r *query.Reader, tenant, session, id string, to Content) (*Note, error) {
	if err := to.normalise(); err != nil {
		return nil, err
	}
	n, err := Find(ctx, r, tenant, session, id)
	if err != nil {
		return nil, err
	}
	n.Content, n.Changed = to, later(n.Changed, r.Now())
	return n, write(ctx, r, tenant, false, *n)
}

// Delete removes a note. Its text is no longer stored when ClickHouse has merged the versions.
func Delete(ctx context.Context, r *query.Reader, tenant, session, id string) error {
	n, err := Find(ctx, r, tenant, session, id)
	if err != nil {
		return err
	}
	n.Content = Content{Labels: []string{}}
	return write(ctx, r, tenant, true, *n)
}

// later returns the present, or the next nanosecond after a time that is not before it: a version must
// be newer than the one that it replaces.
func later(than time.Time, now int64) time.Time { return query.Instant(max(than.UnixNano()+1, now)) }
