package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"

	"tapedeck/deploy/printers"
	"tapedeck/deploy/secretscan"
	"tapedeck/deploy/settings"
	"tapedeck/ingest/redact"
	"tapedeck/ingest/redecode"
	"tapedeck/internal/apiclient"
	"tapedeck/internal/usage"
)

// redactCommand masks the secrets in what is recorded already.
type redactCommand struct {
	DryRun     bool     `help:"List what would be masked, and change nothing. Also of files: those that \"tapedeck record FILE\" takes, and tapes."`
	Wait       bool     `help:"Wait until ClickHouse has removed the files that were replaced, which takes it some 13 minutes."`
	RedactRule []string `help:"Mask more: email, phone, card, or a YAML file of rules (docs/security.md); may be repeated." placeholder:"NAME|FILE" sep:"none"`
	SecretEnv  []string `help:"Mask the value of this environment variable wherever it stands, also in base64; it is sent to the server. May be repeated." placeholder:"NAME" sep:"none"`
	Sessions   []string `arg:"" name:"session" help:"The sessions, or with --dry-run also files."`
}

// Run masks one session after the other. A failure does not stop the others.
func (c *redactCommand) Run(ctx context.Context, g *global) error {
	if c.Wait && c.DryRun {
		return usage.Errorf("--wait: a dry run replaces no files to wait for")
	}
	flags := settings.Redaction{RedactRule: c.RedactRule, SecretEnv: c.SecretEnv}
	rules, err := flags.Engine()
	if err != nil {
		return err
	}
	body, err := c.rules()
	if err != nil {
		return err
	}
	var results []*redecode.Redacted
	var failures []error
	for _, name := range c.Sessions {
		r, err := c.redact(ctx, g, name, rules, body)
		if err != nil {
			failures = append(failures, err)
			if ctx.Err() != nil {
				break
			}
			continue
		}
		results = append(results, r)
	}
	if g.JSON {
		err = json.NewEncoder(os.Stdout).Encode(map[string]any{"items": append([]*redecode.Redacted{}, results...), "next": nil})
	} else {
		err = printers.Redacted(os.Stdout, results, c.DryRun, c.Wait)
	}
	return errors.Join(append(failures, err)...)
}

// redact masks a session, or lists what would be masked in it or in a file.
func (c *redactCommand) redact(ctx context.Context, g *global, name string, rules *redact.Engine, body []byte) (*redecode.Redacted, error) {
	if info, err := os.Stat(name); err == nil && !info.IsDir() {
		if !c.DryRun {
			return nil, usage.Errorf("%s is a file: --dry-run lists its secrets, and \"tapedeck record\" and \"tapedeck import\" mask them in what they store", name)
		}
		return secretscan.File(ctx, name, rules)
	}
	cl, err := g.client()
	if err != nil {
		return nil, err
	}
	cl.HTTP.Timeout = 0 // the answer is sent when all is stored
	q := url.Values{}
	if c.DryRun {
		q.Set("dry_run", "1")
	}
	if c.Wait {
		q.Set("wait", "1")
	}
	answer, err := cl.Post(ctx, apiclient.SessionPath(name, "redact"), q, "application/json", body)
	if refused, ok := errors.AsType[*apiclient.Error](err); ok && refused.Status == http.StatusBadRequest {
		err = usage.As(err)
	}
	if err != nil {
		return nil, fmt.Errorf("session %s: %w", name, err)
	}
	defer answer.Close()
	r := &redecode.Redacted{}
	if err := json.NewDecoder(answer).Decode(r); err != nil {
		return nil, fmt.Errorf("session %s: read the server's answer: %w", name, err)
	}
	return r, nil
}

// rules returns the rules of the flags as the server takes them, nil for those that it has.
func (c *redactCommand) rules() ([]byte, error) {
	if len(c.RedactRule)+len(c.SecretEnv) == 0 {
		return nil, nil
	}
	var more redecode.RedactRules
	for _, rule := range c.RedactRule {
		if slices.Contains(redact.Personal, rule) {
			more.Personal = append(more.Personal, rule)
			continue
		}
		text, err := os.ReadFile(rule)
		if err != nil {
			return nil, usage.As(fmt.Errorf("--redact-rule %s: %w", rule, err))
		}
		if more.Rules != "" {
			return nil, usage.Errorf("--redact-rule %s: name one file of rules", rule)
		}
		more.Rules = string(text)
	}
	for _, name := range c.SecretEnv {
		more.Declared = append(more.Declared, redact.Declared{Name: name, Value: os.Getenv(name)})
	}
	return json.Marshal(more)
}
