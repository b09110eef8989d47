package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"tapedeck/ingest/redact"
	"tapedeck/internal/usage"
)

// redactFlags are the flags of commands that record.
type redactFlags struct {
	NoRedact   bool     `help:"Record secrets as they are. By default credentials are masked before anything is stored (docs/security.md)." env:"TAPEDECK_NO_REDACT"`
	RedactRule []string `help:"Mask more: email, phone, card, or a YAML file of rules (docs/security.md); may be repeated." placeholder:"NAME|FILE" sep:"none"`
	SecretEnv  []string `help:"Mask the value of this environment variable wherever it stands, also in base64; may be repeated." placeholder:"NAME" sep:"none"`
}

// engine compiles the rules.
func (f *redactFlags) engine() (*redact.Engine, error) {
	if f.NoRedact {
		if len(f.RedactRule)+len(f.SecretEnv) > 0 {
			return nil, usage.Errorf("--no-redact goes without --redact-rule and --secret-env")
		}
		return redact.Off, nil
	}
	if len(f.RedactRule)+len(f.SecretEnv) == 0 {
		return redact.Default(), nil
	}
	var o redact.Options
	for _, rule := range f.RedactRule {
		if slices.Contains(redact.Personal, rule) {
			o.Personal = append(o.Personal, rule)
			continue
		}
		own, err := redact.ReadFile(rule)
		if err != nil {
			return nil, usage.As(fmt.Errorf("--redact-rule %s: %w", rule, err))
		}
		o.Own, o.Paths = append(o.Own, own.Rules...), append(o.Paths, own.Paths...)
	}
	for _, name := range f.SecretEnv {
		value := os.Getenv(name)
		if value == "" {
			return nil, usage.Errorf("--secret-env %s: the variable is not set", name)
		}
		o.Declared = append(o.Declared, redact.Declared{Name: name, Value: value})
	}
	e, err := redact.New(o)
	if err != nil {
		return nil, usage.As(err)
	}
	return e, nil
}

// redactedRules lists how many secrets were masked by which rule.
func redactedRules(counts map[string]uint64) string {
	list := make([]string, 0, len(counts))
	for _, id := range slices.Sorted(maps.Keys(counts)) {
		list = append(list, fmt.Sprintf("%d × %s", counts[id], id))
	}
	return strings.Join(list, ", ")
}
