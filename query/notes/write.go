package notes

import (
	"context"
	"fmt"
	"math"
	"time"

	"tapedeck/internal/problem"
	"tapedeck/query"
)

// write inserts a version of each note. That of a deletion is the highest, so that a change that another request
// makes at the same time does not bring the note back.
func write(ctx context.Context, r *query.Reader, tenant string, deleted bool, list ...Note) error {
	if len(list) == 0 {
		return nil
	}
	rows := make([][]any, len(list))
	for i := range list {
		n := &list[i]
		flag, version := uint8(0), uint64(n.Changed.UnixNano())
		if deleted {
			flag, version = 1, math.MaxUint64
		}
		at := time.Unix(0, 0)
		if n.At != nil {
			at = *n.At
		}
		rows[i] = []any{tenant, n.Session, n.stream, n.ID, version, query.Text(n.Span), at, n.Text, n.Labels, string(n.Thumb), n.Author,
			n.Written, flag}
	}
	if err := r.InsertAll(ctx, statements.Must("insert_notes", nil), rows); err != nil {
		return fmt.Errorf("write notes: %w", err)
	}
	return nil
}

// writeNew writes new notes of one session. If requests at the same time exceed the bound of the session
// together, each that sees it removes what it wrote and returns an error: the last to write sees all, so the
// bound holds when they have ended.
func writeNew(ctx context.Context, r *query.Reader, tenant string, list ...Note) error {
	if err := write(ctx, r, tenant, false, list...); err != nil || len(list) == 0 {
		return err
	}
	session := list[0].Session
	count, err := countOf(ctx, r, tenant, session)
	if err != nil || count <= MostSession {
		return err
	}
	removed := make([]Note, len(list))
	for i := range list {
		removed[i] = list[i]
		removed[i].Content = Content{Labels: []string{}}
	}
	if err := write(context.WithoutCancel(ctx), r, tenant, true, removed...); err != nil {
		return err
	}
	return tooMany(session)
}

// countOf returns how many notes a session has.
func countOf(ctx context.Context, r *query.Reader, tenant, session string) (uint64, error) {
	count, err := query.AskOne[struct {
		Notes uint64 `ch:"notes"`
	}](ctx, r, statements, "session_notes_count", nil, query.Args{"tenant": tenant, "session": session})
	return count.Notes, err
}

func tooMany(session string) error {
	return &problem.Problem{
		Title: "Too many notes", Status: 409,
		Detail: fmt.Sprintf("The session %q has %d notes, which is the most that one may have.", session, MostSession),
		Hint:   "Delete some of them: DELETE /v1/sessions/{id}/notes/{note}.",
	}
}
