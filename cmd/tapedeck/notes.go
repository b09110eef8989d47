package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"tapedeck/internal/app/command/printers"
	"tapedeck/internal/commandline"
	"tapedeck/internal/console"
	"tapedeck/query"
	"tapedeck/query/notes"
)

// notesCommand manages the notes of sessions.
type notesCommand struct {
	List   notesList   `cmd:"" default:"withargs" help:"List the notes of a session, or of all."`
	Add    notesAdd    `cmd:"" help:"Write a note on a session, a span or a moment, and print its id."`
	Change notesChange `cmd:"" help:"Replace what a note says."`
	Delete notesDelete `cmd:"" help:"Delete a note."`
}

type notesList struct {
	Session string   `arg:"" optional:"" predictor:"session" help:"The session."`
	Query   string   `help:"Only with this in their text." short:"q" placeholder:"TEXT"`
	Label   []string `help:"Only with this label." placeholder:"LABEL"`
	Thumb   string   `help:"Only with this thumb: up or down." placeholder:"THUMB"`
	Author  string   `help:"Only by this author." placeholder:"NAME"`
	From    timeFlag `help:"Written at this time or later: RFC 3339, a date, now-24h or 7d, today, yesterday, this-month or last-month." placeholder:"TIME" aliases:"since"`
	To      timeFlag `help:"Written before this time." placeholder:"TIME" aliases:"until"`
	Limit   *int     `help:"How many at most, up to 500. Default: 50, and all of a session without filters." short:"n" placeholder:"N"`
	Cursor  string   `help:"Go on where a list ended that printed this." placeholder:"POS"`
}

// noteContent holds the flags that say what a note says.
type noteContent struct {
	Label []string `help:"A label; may be repeated." placeholder:"LABEL"`
	Thumb string   `help:"A verdict: up or down." placeholder:"THUMB"`
}

type notesAdd struct {
	Session string `arg:"" predictor:"session" help:"The session."`
	Text    string `arg:"" optional:"" help:"What the note says."`
	At      string `help:"The moment that it belongs to: an offset like +12.5s, or a time like 2026-03-29T12:00:00.5Z." placeholder:"MOMENT"`
	Span    string `help:"The span that it belongs to, by its id." placeholder:"ID"`
	noteContent
}

type notesChange struct {
	Session string `arg:"" predictor:"session" help:"The session."`
	Note    string `arg:"" help:"The id of the note in the list."`
	Text    string `arg:"" optional:"" help:"What the note says from now on."`
	noteContent
}

type notesDelete struct {
	Session string `arg:"" predictor:"session" help:"The session."`
	Note    string `arg:"" help:"The id of the note in the list."`
}

// noteBody is the body of a request that writes a note.
type noteBody struct {
	Text   string     `json:"text"`
	Labels []string   `json:"labels,omitempty"`
	Thumb  string     `json:"thumb,omitempty"`
	Span   string     `json:"span_id,omitempty"`
	At     *time.Time `json:"at,omitempty"`
	Offset *float64   `json:"offset_ms,omitempty"`
}

func (c *noteContent) body(text string) (noteBody, error) {
	if strings.TrimSpace(text) == "" && len(c.Label) == 0 && c.Thumb == "" {
		return noteBody{}, commandline.Errorf("the note says nothing: write a text, or give --label or --thumb")
	}
	return noteBody{Text: text, Labels: c.Label, Thumb: c.Thumb}, nil
}

// Run prints the notes.
func (c *notesList) Run(ctx context.Context, g *global) error {
	if c.Limit != nil && *c.Limit < 1 {
		return commandline.Errorf("--limit %d: it must be 1 or more", *c.Limit)
	}
	q := url.Values{}
	setAll(q, map[string][]string{
		"session": {c.Session}, "q": {c.Query}, "label": c.Label, "thumb": {c.Thumb}, "author": {c.Author}, "from": {c.From.utc()},
		"to": {c.To.utc()}, "cursor": {c.Cursor},
	})
	if c.Limit != nil {
		q.Set("limit", strconv.Itoa(*c.Limit))
	}
	path := "v1/notes"
	if c.Session != "" && len(q) == 1 { // all of one session, which must exist
		var err error
		if path, err = pathOf(c.Session, "notes"); err != nil {
			return err
		}
		q = nil
	}
	var page query.Page[notes.Note]
	if done, err := g.fetch(ctx, path, q, &page); done || err != nil {
		return err
	}
	if len(page.Items) == 0 {
		fmt.Fprintln(console.To(os.Stderr), "There are no such notes.")
		return nil
	}
	if err := printers.Notes(os.Stdout, page.Items); err != nil {
		return err
	}
	if page.Next != nil {
		fmt.Fprintf(console.To(os.Stderr), "There are more: go on with --cursor %s\n", *page.Next)
	}
	return nil
}

// Run writes a note. It writes only the id to standard output.
func (c *notesAdd) Run(ctx context.Context, g *global) error {
	body, err := c.body(c.Text)
	if err != nil {
		return err
	}
	body.Span = c.Span
	if c.At != "" {
		if offset, is := strings.CutPrefix(c.At, "+"); is {
			d, err := time.ParseDuration(offset)
			if err != nil || d < 0 {
				return commandline.Errorf("--at %q: the offset must be like +12.5s or +1m30s", c.At)
			}
			ms := float64(d) / float64(time.Millisecond)
			body.Offset = &ms
		} else {
			at, err := time.Parse(time.RFC3339Nano, c.At)
			if err != nil {
				return commandline.Errorf("--at %q: it must be an offset like +12.5s, or a time like 2026-03-29T12:00:00.5Z", c.At)
			}
			body.At = &at
		}
	}
	path, err := pathOf(c.Session, "notes")
	if err != nil {
		return err
	}
	var made notes.Note
	if done, err := g.send(ctx, http.MethodPost, path, body, &made); done || err != nil {
		return err
	}
	fmt.Println(made.ID)
	return nil
}

// notePath returns the route of a note. An id like ".." would name another route.
func notePath(session, note string) (string, error) {
	if uuid.Validate(note) != nil {
		return "", commandline.Errorf("%q is not the id of a note: \"tapedeck notes\" lists them", note)
	}
	return pathOf(session, "notes", note)
}

// Run replaces what a note says.
func (c *notesChange) Run(ctx context.Context, g *global) error {
	body, err := c.body(c.Text)
	if err != nil {
		return err
	}
	path, err := notePath(c.Session, c.Note)
	if err != nil {
		return err
	}
	var changed notes.Note
	if done, err := g.send(ctx, http.MethodPut, path, body, &changed); done || err != nil {
		return err
	}
	return printers.Notes(os.Stdout, []notes.Note{changed})
}

// Run deletes a note.
func (c *notesDelete) Run(ctx context.Context, g *global) error {
	path, err := notePath(c.Session, c.Note)
	if err != nil {
		return err
	}
	client, err := g.client()
	if err != nil {
		return err
	}
	answer, err := client.Send(ctx, http.MethodDelete, path, nil, "", nil)
	if err != nil {
		return err
	}
	if err := answer.Close(); err != nil {
		return err
	}
	fmt.Printf("deleted %s (session %s)\n", c.Note, c.Session)
	return nil
}
