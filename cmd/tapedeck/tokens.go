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

	"tapedeck/internal/app/auth/access"
	"tapedeck/internal/app/command/printers"
	"tapedeck/internal/commandline"
	"tapedeck/internal/console"
)

// tokensCommand manages the tokens of a server.
type tokensCommand struct {
	List     tokensList     `cmd:"" default:"withargs" help:"List the tokens."`
	Create   tokensCreate   `cmd:"" help:"Make a token and print its text, which is shown only then."`
	Revoke   tokensRevoke   `cmd:"" help:"Revoke a token on every server."`
	Generate tokensGenerate `cmd:"" help:"Print the text of a new token that no server has, for --admin-token-file of a server without tokens."`
}

type tokensGenerate struct{}

// Run prints a token's text. It sends no request.
func (c *tokensGenerate) Run() error {
	_, err := fmt.Println(access.NewTokenText())
	return err
}

type tokensList struct{}

type tokensCreate struct {
	Name      string   `arg:"" help:"What it is for."`
	Scope     []string `help:"What it may do: record, read, read:raw, note, bill, admin; may be repeated." required:"" placeholder:"SCOPE"`
	Tenant    string   `help:"Its tenant; * for the administration of all. Default: that of the token in use." placeholder:"T"`
	ExpiresIn string   `help:"How long it is valid, like 90d or 12h; without end by default." placeholder:"D"`
}

type tokensRevoke struct {
	ID string `arg:"" help:"Its id in the list."`
}

// Run lists the tokens.
func (c *tokensList) Run(ctx context.Context, g *global) error {
	var page struct{ Items []access.Token }
	if done, err := g.fetch(ctx, "v1/tokens", nil, &page); done || err != nil {
		return err
	}
	return printers.Tokens(os.Stdout, page.Items, time.Now())
}

// Run creates a token. It writes only the token's text to standard output.
func (c *tokensCreate) Run(ctx context.Context, g *global) error {
	body := struct {
		Name      string     `json:"name"`
		Tenant    string     `json:"tenant,omitempty"`
		Scopes    []string   `json:"scopes"`
		ExpiresAt *time.Time `json:"expires_at,omitempty"`
	}{Name: c.Name, Tenant: c.Tenant, Scopes: c.Scope}
	if c.ExpiresIn != "" {
		valid, err := parseDays(c.ExpiresIn)
		if err != nil || valid <= 0 {
			return commandline.Errorf("--expires-in %q: it must be a duration above 0, like 90d or 12h", c.ExpiresIn)
		}
		at := time.Now().Add(valid)
		body.ExpiresAt = &at
	}
	var made struct {
		access.Token
		Text string `json:"token"`
	}
	if done, err := g.send(ctx, http.MethodPost, "v1/tokens", body, &made); done || err != nil {
		return err
	}
	fmt.Fprintf(console.To(os.Stderr), "token %s of tenant %s with %s; it is not shown again:\n", made.ID,
		made.Tenant, strings.Join(access.ScopeNames(made.Scopes), ", "))
	fmt.Println(made.Text)
	return nil
}

// parseDays parses a duration that may be in days.
func parseDays(text string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.ParseUint(days, 10, 16)
		return time.Duration(n) * 24 * time.Hour, err
	}
	return time.ParseDuration(text)
}

// Run revokes a token.
func (c *tokensRevoke) Run(ctx context.Context, g *global) error {
	var revoked access.Token
	if done, err := g.send(ctx, http.MethodDelete, "v1/tokens/"+url.PathEscape(c.ID), nil, &revoked); done || err != nil {
		return err
	}
	fmt.Printf("revoked %s (%s)\n", revoked.ID, revoked.Name)
	return nil
}
