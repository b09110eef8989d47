package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"time"

	"tapedeck/internal/app/auth/share"
	"tapedeck/internal/app/command/printers"
	"tapedeck/internal/app/command/timeword"
	"tapedeck/internal/commandline"
	"tapedeck/internal/console"
	"tapedeck/query/endpoint"
)

// shareCommand manages the links that open a session to people without an account.
type shareCommand struct {
	Create shareCreate `cmd:"" help:"Make a link to a session, or a span of its time, and print it. Secrets are masked in what it shows."`
	List   shareList   `cmd:"" default:"withargs" help:"List the links."`
	Revoke shareRevoke `cmd:"" help:"Revoke a link on every server."`
}

type shareCreate struct {
	Session   string   `arg:"" predictor:"session" help:"The session."`
	From      timeFlag `help:"Show what happened from this time on: RFC 3339, a date, now-24h or 7d, today, yesterday, this-month or last-month." placeholder:"TIME" aliases:"since"`
	To        timeFlag `help:"Show what happened before this time; now by default." placeholder:"TIME" aliases:"until"`
	ExpiresIn string   `help:"How long the link opens, like 7d or 12h; a year at most." default:"7d" placeholder:"D"`
	Note      string   `help:"What it is for; whoever opens the link sees it." placeholder:"TEXT"`
}

type shareList struct {
	Session string `help:"Only links to this session." placeholder:"ID"`
}

type shareRevoke struct {
	ID string `arg:"" help:"Its id in the list."`
}

// Run creates a link. It writes only the link to standard output.
func (c *shareCreate) Run(ctx context.Context, g *global) error {
	body := struct {
		Session   string    `json:"session"`
		From      string    `json:"from,omitempty"`
		To        string    `json:"to,omitempty"`
		ExpiresAt time.Time `json:"expires_at"`
		Note      string    `json:"note"`
	}{Session: c.Session, Note: c.Note}
	for _, at := range []struct {
		flag string
		time timeFlag
		body *string
	}{{"--from", c.From, &body.From}, {"--to", c.To, &body.To}} {
		if at.time == "" {
			continue
		}
		instant, err := endpoint.ParseInstant(at.time.utc(), time.UTC, time.Now())
		if err != nil {
			return commandline.Errorf("%s %q %w: it must be %s", at.flag, at.time, err, timeword.Forms)
		}
		*at.body = instant.Format(time.RFC3339Nano)
	}
	valid, err := parseDays(c.ExpiresIn)
	if err != nil || valid <= 0 {
		return commandline.Errorf("--expires-in %q: it must be a duration above 0, like 7d or 12h", c.ExpiresIn)
	}
	body.ExpiresAt = time.Now().Add(valid)
	var made share.Link
	if done, err := g.send(ctx, http.MethodPost, "v1/shares", body, &made); done || err != nil {
		return err
	}
	fmt.Fprintf(console.To(os.Stderr), "link %s to session %s, until %s; it is not shown again:\n", made.ID,
		made.Session, printers.TimeOr(made.ExpiresAt, "it is revoked"))
	fmt.Println(made.URL)
	return nil
}

// Run lists the links.
func (c *shareList) Run(ctx context.Context, g *global) error {
	q := url.Values{}
	if c.Session != "" {
		q.Set("session", c.Session)
	}
	var page struct{ Items []share.Link }
	if done, err := g.fetch(ctx, "v1/shares", q, &page); done || err != nil {
		return err
	}
	return printers.Links(os.Stdout, page.Items, time.Now())
}

// Run revokes a link.
func (c *shareRevoke) Run(ctx context.Context, g *global) error {
	var revoked share.Link
	if done, err := g.send(ctx, http.MethodDelete, "v1/shares/"+url.PathEscape(c.ID), nil, &revoked); done || err != nil {
		return err
	}
	fmt.Printf("revoked %s (session %s)\n", revoked.ID, revoked.Session)
	return nil
}
