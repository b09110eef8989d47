package tapefile

import (
	"encoding/json"
	"fmt"
	"time"

	"tapedeck/schema"
	"tapedeck/schema/block"
)

// Note is a note of a session. It is stored as JSON.
type Note struct {
	ID      string     `json:"id"`                // a UUID
	Span    string     `json:"span_id,omitempty"` // the span that it is about
	At      *time.Time `json:"at,omitempty"`      // the moment that it is about
	Text    string     `json:"text,omitempty"`
	Labels  []string   `json:"labels,omitempty"`
	Thumb   string     `json:"thumb,omitempty"` // up or down
	Author  string     `json:"author"`
	Written time.Time  `json:"written_at"`
	Changed time.Time  `json:"changed_at"`
}

// Limits of a record of notes, bytes before compression. A writer ends a record at notesBytes; a reader
// accepts maxNotes.
const (
	notesBytes = groupBytes
	maxNotes   = 4 << 20
)

// Notes writes notes of the session. A record of notes has the layout of a record of frames, each frame
// with the JSON of a note, so that programs that do not know the kind can skip it. Without notes nothing
// is written.
func (w *Writer) Notes(list []Note) error {
	if err := w.Flush(); err != nil {
		return err
	}
	for len(list) > 0 {
		builder, n := block.NewBuilder(), 0
		for n < len(list) && builder.Size() < notesBytes {
			text, err := json.Marshal(&list[n])
			if err != nil {
				builder.Release()
				return fmt.Errorf("write note %s of session %q to a tape: %w", list[n].ID, w.session, err)
			}
			builder.Add(&schema.Frame{Seq: uint64(n) + 1, Raw: text})
			n++
		}
		w.body = appendBlock(w.body[:0], &block.Block{Session: w.session}, builder)
		builder.Release()
		w.record(KindNotes, &Meta{Session: w.session})
		list = list[n:]
	}
	return w.err
}

// Notes returns the notes of a record of notes, and how many of them are not notes. The error is a
// BreakError if the record is not readable.
func (r *Record) Notes() (list []Note, unreadable int, err error) {
	if r.Body > maxNotes {
		return nil, 0, r.broken(fmt.Errorf("%w: a record has %d bytes of notes, and %d at most are read", ErrDamaged, r.Body, maxNotes))
	}
	err = r.Blocks(false, func(b *block.Block) error {
		for i := range b.Frames {
			var n Note
			if json.Unmarshal(b.Frames[i].Raw, &n) != nil {
				unreadable++
				continue
			}
			list = append(list, n)
		}
		return nil
	})
	return list, unreadable, err
}
