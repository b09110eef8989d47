// Package notes keeps what people and programs say of a recorded session, of one of its spans, or of
// a moment in it: a text, labels, a thumb up or down.
package notes

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"tapedeck/internal/problem"
)

// Thumb is a verdict.
type Thumb string

// The verdicts; "" for none.
const (
	Up   Thumb = "up"
	Down Thumb = "down"
)

// MarshalJSON writes null for no verdict.
func (t Thumb) MarshalJSON() ([]byte, error) {
	if t == "" {
		return []byte("null"), nil
	}
	return json.Marshal(string(t))
}

// Thumbs lists the verdicts.
var Thumbs = []Thumb{Up, Down}

// Limits of notes.
const (
	MostText    = 16 << 10 // bytes
	MostLabels  = 16       // of one note
	MostLabel   = 64       // bytes of a label
	MostSession = 1000     // notes of one session
)

// Content is what a note says.
type Content struct {
	Text   string   `json:"text"`
	Labels []string `json:"labels"` // sorted, each once
	Thumb  Thumb    `json:"thumb"`
}

// Note is a note of a session. Span and At are where it belongs: both empty for the whole session.
type Note struct {
	ID      string `json:"id"` // a UUIDv7
	Session string `json:"session_id"`
	// Span is the id of a span; null for none.
	Span *string `json:"span_id"`
	// At is a moment of the recording; null for none.
	At *time.Time `json:"at"`
	Content
	Author  string    `json:"author"`
	Written time.Time `json:"written_at"`
	Changed time.Time `json:"changed_at"` // Written, unless the note was changed

	stream string // see table notes
}

// normalise sorts labels and removes repeated ones, and checks the bounds.
func (c *Content) normalise() error {
	c.Text = strings.TrimSpace(c.Text)
	labels := make([]string, 0, len(c.Labels))
	for _, l := range c.Labels {
		if l = strings.TrimSpace(l); l == "" || len(l) > MostLabel || strings.ContainsFunc(l, unfit) || !utf8.ValidString(l) {
			return problem.BadParameter("labels", fmt.Sprintf("The label %q is not one: it has 1 to %d bytes, and no comma, line break or control character.",
				shorten(l), MostLabel))
		}
		labels = append(labels, l)
	}
	slices.Sort(labels)
	c.Labels = slices.Compact(labels)
	switch {
	case !utf8.ValidString(c.Text):
		return problem.BadParameter("text", "The text is not UTF-8.")
	case len(c.Text) > MostText:
		return problem.BadParameter("text", fmt.Sprintf("The text has %d bytes, and a note has %d at most.", len(c.Text), MostText))
	case len(c.Labels) > MostLabels:
		return problem.BadParameter("labels", fmt.Sprintf("These are %d labels, and a note has %d at most.", len(c.Labels), MostLabels))
	case c.Thumb != "" && !slices.Contains(Thumbs, c.Thumb):
		return problem.BadParameter("thumb", fmt.Sprintf("There is no thumb %q.", shorten(string(c.Thumb))), string(Up), string(Down))
	case c.Text == "" && len(c.Labels) == 0 && c.Thumb == "":
		return problem.BadParameter("text", "The note says nothing: it needs a text, a label or a thumb.")
	}
	return nil
}

// unfit reports whether labels may not have a character: a comma, a line break, or a control character.
func unfit(r rune) bool {
	return r == ',' || r == '\u2028' || r == '\u2029' || unicode.IsControl(r)
}

// shorten returns the beginning of a text, for messages.
func shorten(s string) string {
	const most = 80
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
