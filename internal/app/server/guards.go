package server

import (
	"errors"
	"log/slog"
	"time"

	"github.com/nats-io/nats.go"

	"tapedeck/internal/app/auth/access"
	"tapedeck/internal/app/auth/audit"
	"tapedeck/internal/app/auth/login"
)

// Guards authenticate the requests to a server with tokens. The zero value is for a server without
// tokens, on loopback.
type Guards struct {
	Tokens  *access.Store
	Logins  *login.Logins
	Shares  *access.Store
	Tickets *access.Tickets
}

// GuardOptions configure guards.
type GuardOptions struct {
	NATS      *nats.Conn
	Replicas  int
	MaxAge    time.Duration  // how long they are valid without NATS; default access.DefaultMaxAge
	AdminFile string         // file of the first administrator's token; "" creates none
	Login     login.Settings // checked
	Audit     *audit.Log
	Log       *slog.Logger
}

// OpenGuards starts the guards of a server with tokens. The server's Run closes them.
func OpenGuards(o GuardOptions) (g Guards, err error) {
	defer func() {
		if err != nil {
			g.close()
		}
	}()
	stores := access.Options{NATS: o.NATS, Replicas: o.Replicas, MaxAge: o.MaxAge, Log: o.Log}
	tokens, shares := stores, stores
	tokens.AdminFile, shares.Kind = o.AdminFile, access.KindShare
	if g.Tokens, err = access.Open(tokens); err != nil {
		return g, err
	}
	if g.Shares, err = access.Open(shares); err != nil {
		return g, err
	}
	if g.Tickets, err = access.NewTickets(o.NATS, o.Replicas); err != nil {
		return g, err
	}
	g.Logins, err = login.Open(login.Options{Settings: o.Login, Store: stores, Tokens: g.Tokens, Audit: o.Audit})
	return g, err
}

// Ready waits until all credentials can be checked, done is closed, or wait receives.
func (g Guards) Ready(done <-chan struct{}, wait <-chan time.Time) {
	if g.Tokens == nil {
		return
	}
	for _, ready := range []<-chan struct{}{g.Tokens.Ready(), g.Shares.Ready(), g.Logins.Ready()} {
		select {
		case <-ready:
		case <-done:
			return
		case <-wait:
			return
		}
	}
}

// Check returns nil while tokens, logins and shared links can be checked.
func (g Guards) Check() error {
	return errors.Join(g.Tokens.Check(), g.Logins.Check(), g.Shares.Check())
}

func (g Guards) close() {
	if g.Tokens != nil {
		g.Tokens.Close()
	}
	if g.Shares != nil {
		g.Shares.Close()
	}
	if g.Logins != nil {
		g.Logins.Close()
	}
}
