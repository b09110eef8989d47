package mcpserver

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"tapedeck/internal/apiclient"
	"tapedeck/query/notes"
)

const addNoteText = "Write a note on a session, on one of its spans, or on a moment in it, for the people and programs that read the recording: a text, labels, a thumb. Needs a token with the scopes read and note. Not for a recording that is only read."

type addNoteArguments struct {
	Session string   `json:"session" jsonschema:"The id of the session, from find_sessions."`
	Text    string   `json:"text,omitempty" jsonschema:"What the note says, at most 16 KiB. A note needs a text, a label or a thumb."`
	Label   []string `json:"label,omitempty" jsonschema:"Labels, at most 16 of 64 bytes each."`
	Thumb   string   `json:"thumb,omitempty" jsonschema:"A verdict: up or down."`
	Span    string   `json:"span,omitempty" jsonschema:"The span that it is about."`
	At      string   `json:"at,omitempty" jsonschema:"The moment that it is about: RFC 3339, or an offset from the start of the session like +12.5s."`
}

// noteBody is the body of a request that writes a note.
type noteBody struct {
	Text   string     `json:"text,omitempty"`
	Labels []string   `json:"labels,omitempty"`
	Thumb  string     `json:"thumb,omitempty"`
	Span   string     `json:"span_id,omitempty"`
	At     *time.Time `json:"at,omitempty"`
	Offset *float64   `json:"offset_ms,omitempty"`
}

func addNote(ctx context.Context, c *call, in addNoteArguments) (*answer, error) {
	if in.Session == "" {
		return nil, errNoSession
	}
	at, err := parseMoment("at", in.At)
	if err != nil {
		return nil, err
	}
	body := noteBody{Text: in.Text, Labels: in.Label, Thumb: in.Thumb, Span: in.Span}
	switch {
	case at == nil:
	case at.isTime:
		body.At = &at.at
	default:
		offset := milliseconds(at.offset)
		body.Offset = &offset
	}
	var n notes.Note
	text, err := c.Send(ctx, http.MethodPost, apiclient.SessionPath(in.Session, "notes"), nil, "application/json", encoded(body))
	if err != nil {
		return nil, err
	}
	defer text.Close()
	if err := decodeLimited(text, &n); err != nil {
		return nil, err
	}
	a := &answer{outline: fmt.Sprintf("The note is written on session %s.", short(in.Session, nameSize))}
	a.set("note", short(n.ID, idSize))
	a.set("author", short(n.Author, nameSize))
	a.set("labels", shortList(n.Labels, notes.MostLabels))
	if n.Thumb != "" {
		a.set("thumb", short(string(n.Thumb), nameSize))
	}
	if n.At != nil {
		a.set("at", n.At.Format(timeForm))
	}
	return a, nil
}
