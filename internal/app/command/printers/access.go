package printers

import (
	"io"
	"strings"
	"time"

	"tapedeck/internal/app/auth/access"
	"tapedeck/internal/app/auth/share"
	"tapedeck/internal/app/server"
	"tapedeck/internal/console"
)

// Tokens writes the tokens of a server with their state at now.
func Tokens(out io.Writer, list []access.Token, now time.Time) error {
	t := console.NewTable(out, "id", "name", "tenant", "scopes", "created", "last used", "expires", "state")
	for _, k := range list {
		state := "valid"
		switch {
		case k.RevokedAt != nil:
			state = "revoked " + console.LocalTime(*k.RevokedAt)
		case k.ExpiresAt != nil && !now.Before(*k.ExpiresAt):
			state = "expired"
		}
		t.Row(k.ID, console.Clip(k.Name, 40), k.Tenant, strings.Join(access.ScopeNames(k.Scopes), ","),
			console.LocalTime(k.CreatedAt), TimeOr(k.LastUsed, "never"), TimeOr(k.ExpiresAt, "never"), state)
	}
	return t.Flush()
}

// Links writes the links that open sessions with their state at now.
func Links(out io.Writer, list []share.Link, now time.Time) error {
	t := console.NewTable(out, "id", "session", "note", "from", "to", "created", "last used", "expires", "state")
	for _, s := range list {
		state := "open"
		switch {
		case s.RevokedAt != nil:
			state = "revoked " + console.LocalTime(*s.RevokedAt)
		case s.ExpiresAt != nil && !now.Before(*s.ExpiresAt):
			state = "expired"
		}
		t.Row(s.ID, console.Clip(s.Session, 40), console.Clip(s.Note, 40), TimeOr(s.From, "its start"),
			TimeOr(s.To, "its end"),
			console.LocalTime(s.CreatedAt), TimeOr(s.LastUsed, "never"), TimeOr(s.ExpiresAt, "never"), state)
	}
	return t.Flush()
}

// Tenants writes the tenants of a server.
func Tenants(out io.Writer, list []server.Tenant) error {
	t := console.NewTable(out, "tenant", "last frame", "valid tokens", "last used", "settings")
	for i := range list {
		one := &list[i]
		t.Row(one.Name, TimeOr(one.LastFrame, "none"), one.Tokens, TimeOr(one.LastUsed, "never"), settingsOf(one))
	}
	return t.Flush()
}

// settingsOf names the settings of a tenant besides its tokens.
func settingsOf(t *server.Tenant) string {
	var names []string
	for _, s := range []struct {
		name string
		has  bool
	}{{"retention", t.Retention}, {"bills", t.Bills}, {"prices", t.Prices}} {
		if s.has {
			names = append(names, s.name)
		}
	}
	return strings.Join(names, ", ")
}
