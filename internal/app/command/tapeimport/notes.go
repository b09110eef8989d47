package tapeimport

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"tapedeck/query/notes"
	"tapedeck/replay/tapefile"
)

// Limits of the notes that an import keeps until the session can be read.
const (
	mostNotes     = 64 << 20 // bytes of all notes
	noteBatch     = 2 << 20  // bytes of a request, roughly
	noteOverhead  = 256      // bytes of a note besides its texts
	unreadable    = "The note is not readable."
	tooManyOnTape = "A session has 1,000 notes at most, and an import keeps 64 MiB of notes."
)

// addNotes keeps the notes of a record for RestoreNotes. The number and the size of what is kept is bounded. An
// import with bounded memory restores no notes and only counts them.
func (im *Importer) addNotes(to *Session, rec *tapefile.Record) error {
	list, bad, err := rec.Notes()
	to.Notes += len(list) + bad
	if im.memory != nil {
		return err
	}
	to.refused.Refuse(bad, unreadable)
	for i := range list {
		size := sizeOf(&list[i])
		if len(to.kept) >= notes.MostSession || im.noteBytes+size > mostNotes {
			to.refused.Refuse(len(list)-i, tooManyOnTape)
			break
		}
		im.noteBytes += size
		to.kept = append(to.kept, list[i])
	}
	return err
}

func sizeOf(n *tapefile.Note) int {
	size := noteOverhead + len(n.Text) + len(n.Author) + len(n.Span)
	for _, l := range n.Labels {
		size += noteOverhead + len(l)
	}
	return size
}

// RestoreNotes sends the notes of all sessions with post, which writes those of a session. The sessions must be
// readable on the server. It returns the first error of post; the other sessions are still tried.
func (im *Importer) RestoreNotes(ctx context.Context, post func(ctx context.Context, session string, body []byte) (*notes.ImportResult, error)) error {
	var first error
	for _, s := range im.Sessions {
		if s.Notes == 0 {
			continue
		}
		s.Restored = &notes.ImportResult{Reasons: []string{}, Refused: s.refused.Refused}
		s.Restored.Reasons = append(s.Restored.Reasons, s.refused.Reasons...)
		if err := s.restore(ctx, post); err != nil {
			first = cmp.Or(first, fmt.Errorf("restore the notes of session %s: %w", s.ID, err))
		}
		s.kept = nil
	}
	return first
}

// restore sends the notes of a session in batches.
func (s *Session) restore(ctx context.Context, post func(ctx context.Context, session string, body []byte) (*notes.ImportResult, error)) error {
	for rest := s.kept; len(rest) > 0; {
		batch, size := make([]notes.Imported, 0, notes.MostImported), 0
		for len(batch) < min(len(rest), notes.MostImported) && size < noteBatch {
			n := &rest[len(batch)]
			size += sizeOf(n)
			batch = append(batch, notes.Imported{
				ID: n.ID, Span: n.Span, At: n.At, Author: n.Author, Written: n.Written, Changed: n.Changed,
				Content: notes.Content{Text: n.Text, Labels: n.Labels, Thumb: notes.Thumb(n.Thumb)},
			})
		}
		rest = rest[len(batch):]
		body, err := json.Marshal(map[string]any{"notes": batch})
		if err != nil {
			return err
		}
		got, err := post(ctx, s.ID, body)
		if err != nil {
			s.Restored.Refuse(len(batch)+len(rest), err.Error())
			return err
		}
		s.Restored.Restored += got.Restored
		s.Restored.Existing += got.Existing
		s.Restored.Refused += got.Refused
		s.Restored.Reasons = append(s.Restored.Reasons, got.Reasons...)
	}
	return nil
}
