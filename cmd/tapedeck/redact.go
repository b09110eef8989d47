package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"

	"tapedeck/ingest/redact"
	ingestredecode "tapedeck/ingest/redecode"
	"tapedeck/internal/app/command/printers"
	"tapedeck/internal/app/command/redecode"
	"tapedeck/internal/app/command/secretscan"
	"tapedeck/internal/app/settings"
	"tapedeck/internal/commandline"
)

// redactCommand masks secrets in recorded sessions.
type redactCommand struct {
	DryRun     bool     `help:"List what would be masked, and change nothing. Also of files: those that \"tapedeck record FILE\" takes, and tapes."`
	Wait       bool     `help:"Wait until ClickHouse has removed the files that were replaced, which takes it some 13 minutes."`
	RedactRule []string `help:"Mask more: email, phone, card, or a YAML file of rules (docs/security.md); may be repeated." placeholder:"NAME|FILE" sep:"none"`
	SecretEnv  []string `help:"Mask the value of this environment variable wherever it stands, also in base64; it is sent to the server. May be repeated." placeholder:"NAME" sep:"none"`
	Sessions   []string `arg:"" predictor:"session" name:"session" help:"The sessions, or with --dry-run also files."`
}

// Run masks one session after another. A failure does not stop the others.
func (c *redactCommand) Run(ctx context.Context, g *global) error {
	if c.Wait && c.DryRun {
		return commandline.Errorf("--wait: a dry run replaces no files to wait for")
	}
	flags := settings.Redaction{RedactRule: c.RedactRule, SecretEnv: c.SecretEnv}
	rules, err := flags.Engine()
	if err != nil {
		return err
	}
	body, err := redecode.Rules(c.RedactRule, c.SecretEnv)
	if err != nil {
		return err
	}
	var results []*ingestredecode.Redacted
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
		err = json.NewEncoder(os.Stdout).Encode(map[string]any{"items": append([]*ingestredecode.Redacted{}, results...), "next": nil})
	} else {
		err = printers.Redacted(os.Stdout, results, c.DryRun, c.Wait)
	}
	return errors.Join(append(failures, err)...)
}

// redact masks a session, or lists what would be masked in it or in a file.
func (c *redactCommand) redact(ctx context.Context, g *global, name string, rules *redact.Engine, body []byte) (*ingestredecode.Redacted, error) {
	if info, err := os.Stat(name); err == nil && !info.IsDir() {
		if !c.DryRun {
			return nil, commandline.Errorf("%s is a file: --dry-run lists its secrets, and \"tapedeck record\" "+
				"and \"tapedeck import\" mask them in what they store", name)
		}
		return secretscan.File(ctx, name, rules)
	}
	cl, err := g.slowClient()
	if err != nil {
		return nil, err
	}
	request := redecode.RedactRequest{Client: cl, DryRun: c.DryRun, Wait: c.Wait, Rules: body}
	return request.Redact(ctx, name)
}
