package notes

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"tapedeck/internal/problem"
	"tapedeck/query"
	"tapedeck/query/facts/sessionstreams"
)

// Limits of an import.
const (
	MostImported = 100       // notes of one request
	mostAuthor   = 256       // bytes of an author
	mostReasons  = 5         // reasons in an answer
	importLimit  = 4 << 20   // bytes of a request
	skew         = time.Hour // how far ahead the clock of another server may be
)

// Imported is a note of another server, as a tape file has it.
type Imported struct {
	ID   string     `json:"id"`
	Span string     `json:"span_id"`
	At   *time.Time `json:"at"`
	Content
	Author  string    `json:"author"`
	Written time.Time `json:"written_at"`
	Changed time.Time `json:"changed_at"`
}

// ImportResult counts the notes of an import.
type ImportResult struct {
	Restored int      `json:"restored"`
	Existing int      `json:"existing"` // were in the session, or were deleted from it
	Refused  int      `json:"refused"`
	Reasons  []string `json:"reasons"` // why, of the first
}

// Refuse counts notes that are refused, with the reason.
func (r *ImportResult) Refuse(notes int, reason string) {
	if r.Refused += notes; notes > 0 && len(r.Reasons) < mostReasons && !slices.Contains(r.Reasons, reason) {
		r.Reasons = append(r.Reasons, reason)
	}
}

// Import writes notes of another server on a session, with their ids, times and authors. The author names the
// importer as well, since the server cannot know who wrote them. A note whose id the session has, or had, stays as
// it is. Notes that Add would refuse are refused one by one.
func Import(ctx context.Context, r *query.Reader, tenant, session, by string, list []Imported) (*ImportResult, error) {
	s, err := sessionstreams.Find(ctx, r, tenant, session)
	if err != nil {
		return nil, err
	}
	known, err := knownIDs(ctx, r, tenant, session, list)
	if err != nil {
		return nil, err
	}
	count, err := countOf(ctx, r, tenant, session)
	if err != nil {
		return nil, err
	}
	result, fresh := &ImportResult{Reasons: []string{}}, []Note(nil)
	for i := range list {
		n, err := list[i].note(session, by, query.Instant(r.Now()))
		if err == nil && known[n.ID] {
			result.Existing++
			continue
		}
		if err == nil {
			err = inSession(ctx, r, tenant, s, n)
		}
		if err == nil && count+uint64(len(fresh)) >= MostSession {
			err = tooMany(session)
		}
		if p, refused := problem.From(err); refused && p.Status < 500 {
			result.Refuse(1, p.Detail)
			continue
		}
		if err != nil {
			return nil, err
		}
		known[n.ID] = true
		n.stream = slices.Max(s.StreamIDs)
		fresh = append(fresh, *n)
	}
	err = writeNew(ctx, r, tenant, fresh...)
	if p, refused := problem.From(err); refused && p.Status == 409 {
		result.Refuse(len(fresh), p.Detail)
		return result, nil
	}
	result.Restored = len(fresh)
	return result, err
}

// knownIDs returns which of the ids a session has or had.
func knownIDs(ctx context.Context, r *query.Reader, tenant, session string, list []Imported) (map[string]bool, error) {
	ids := make([]string, len(list))
	for i := range list {
		ids[i] = strings.ToLower(list[i].ID)
	}
	rows, err := query.Ask[struct {
		ID string `ch:"note_id"`
	}](ctx, r, statements, "note_ids", nil, query.Args{"tenant": tenant, "session": session, "ids": ids})
	known := map[string]bool{}
	for i := range rows {
		known[rows[i].ID] = true
	}
	return known, err
}

// note returns the note to write, or why it is refused.
func (n *Imported) note(session, by string, now time.Time) (*Note, error) {
	switch {
	case uuid.Validate(n.ID) != nil || len(n.ID) != 36:
		return nil, problem.BadParameter("id", fmt.Sprintf("%q is not the id of a note, a UUID.", shorten(n.ID)))
	case len(n.Author) > mostAuthor || !utf8.ValidString(n.Author) || strings.ContainsFunc(n.Author, unicode.IsControl):
		return nil, problem.BadParameter("author", fmt.Sprintf("The author %q is not one: it has at most %d bytes of text.", shorten(n.Author), mostAuthor))
	case n.Written.Before(time.Unix(0, 0)) || n.Written.After(now.Add(skew)):
		return nil, problem.BadParameter("written_at", fmt.Sprintf("The note %s was written at %s, which is not a past time.", n.ID, n.Written.UTC().Format(time.RFC3339)))
	case n.Changed.Before(n.Written) || n.Changed.After(now.Add(skew)):
		return nil, problem.BadParameter("changed_at", fmt.Sprintf("The note %s was changed at %s, which is not between when it was written and now.",
			n.ID, n.Changed.UTC().Format(time.RFC3339)))
	}
	content := n.Content
	if err := content.normalise(); err != nil {
		return nil, err
	}
	return &Note{ID: strings.ToLower(n.ID), Session: session, Span: query.Named(n.Span), At: n.At, Content: content, Author: importedAuthor(n.Author, by),
		Written: n.Written, Changed: n.Changed}, nil
}

// importedBy begins the name of the importer in an author.
const importedBy = " (imported by "

// importedAuthor returns the author of an imported note: the author that the tape names, and who imported it. An
// earlier importer is left out.
func importedAuthor(author, by string) string {
	author, _, _ = strings.Cut(author, importedBy)
	return cmp.Or(author, "unknown") + importedBy + by + ")"
}
