package redecode

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"

	"tapedeck/ingest/redact"
	"tapedeck/ingest/redecode"
	"tapedeck/internal/apiclient"
	"tapedeck/internal/commandline"
)

// RedactRequest configures how secrets of sessions are masked.
type RedactRequest struct {
	Client *apiclient.Client
	DryRun bool   // list what would be masked
	Wait   bool   // wait until the replaced files are removed
	Rules  []byte // see Rules
}

// Redact makes the server mask the secrets of a session.
func (r *RedactRequest) Redact(ctx context.Context, session string) (*redecode.Redacted, error) {
	q := url.Values{}
	if r.DryRun {
		q.Set("dry_run", "1")
	}
	if r.Wait {
		q.Set("wait", "1")
	}
	answer, err := r.Client.Post(ctx, apiclient.SessionPath(session, "redact"), q, "application/json", r.Rules)
	if refused, ok := errors.AsType[*apiclient.Error](err); ok && refused.Status == http.StatusBadRequest {
		err = commandline.As(err)
	}
	if err != nil {
		return nil, fmt.Errorf("session %s: %w", session, err)
	}
	defer answer.Close()
	redacted := &redecode.Redacted{}
	if err := json.NewDecoder(answer).Decode(redacted); err != nil {
		return nil, fmt.Errorf("session %s: read the server's answer: %w", session, err)
	}
	return redacted, nil
}

// Rules returns rules in the format of the server's API, nil for the server's own rules. rules are
// names of kinds of personal data or files of rules, secretEnv environment variables whose values
// are secrets.
func Rules(rules, secretEnv []string) ([]byte, error) {
	if len(rules)+len(secretEnv) == 0 {
		return nil, nil
	}
	var more redecode.RedactRules
	for _, rule := range rules {
		if slices.Contains(redact.Personal, rule) {
			more.Personal = append(more.Personal, rule)
			continue
		}
		text, err := os.ReadFile(rule)
		if err != nil {
			return nil, commandline.As(fmt.Errorf("--redact-rule %s: %w", rule, err))
		}
		if more.Rules != "" {
			return nil, commandline.Errorf("--redact-rule %s: name one file of rules", rule)
		}
		more.Rules = string(text)
	}
	for _, name := range secretEnv {
		more.Declared = append(more.Declared, redact.Declared{Name: name, Value: os.Getenv(name)})
	}
	return json.Marshal(more)
}
