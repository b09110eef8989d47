package settings

import (
	"fmt"
	"os"
	"slices"

	"tapedeck/ingest/redact"
	"tapedeck/internal/commandline"
)

// Redaction are the flags of commands that record.
type Redaction struct {
	NoRedact   bool     `help:"Record secrets as they are. By default credentials are masked before anything is stored (docs/security.md)." reload:"yes" env:"TAPEDECK_NO_REDACT"`
	RedactRule []string `help:"Mask more: email, phone, card, or a YAML file of rules (docs/security.md); may be repeated." reload:"files" env:"TAPEDECK_REDACT_RULE" placeholder:"NAME|FILE"`
	SecretEnv  []string `help:"Mask the value of this environment variable wherever it stands, also in base64; may be repeated." reload:"yes" env:"TAPEDECK_SECRET_ENV" placeholder:"NAME"`
}

// Engine compiles the rules.
func (f *Redaction) Engine() (*redact.Engine, error) {
	if f.NoRedact {
		if len(f.RedactRule)+len(f.SecretEnv) > 0 {
			return nil, commandline.Errorf("--no-redact goes without --redact-rule and --secret-env")
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
			return nil, commandline.As(fmt.Errorf("--redact-rule %s: %w", rule, unreadable(rule, err)))
		}
		o.Own, o.Paths = append(o.Own, own.Rules...), append(o.Paths, own.Paths...)
	}
	for _, name := range f.SecretEnv {
		value := os.Getenv(name)
		if value == "" {
			return nil, commandline.Errorf("--secret-env %s: the variable is not set", name)
		}
		o.Declared = append(o.Declared, redact.Declared{Name: name, Value: value})
	}
	e, err := redact.New(o)
	if err != nil {
		return nil, commandline.As(err)
	}
	return e, nil
}
