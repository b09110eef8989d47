package settings

import (
	"fmt"

	"tapedeck/internal/commandline"
	"tapedeck/query/alerts/rule"
)

// Alerts are the settings of alerts.
type Alerts struct {
	Rules string `name:"alert-rules" help:"File of rules of alerts (docs/alerts.md), which a server with the role api evaluates for the sessions that are being recorded." env:"TAPEDECK_ALERT_RULES" type:"path" placeholder:"FILE"`
}

// AlertRules reads the rules; none without a file.
func (a *Alerts) AlertRules() ([]rule.Rule, error) {
	if a.Rules == "" {
		return nil, nil
	}
	rules, err := rule.ReadFile(a.Rules)
	if err != nil {
		return nil, commandline.As(fmt.Errorf("--alert-rules %s: %w", a.Rules, unreadable(a.Rules, err)))
	}
	return rules, nil
}
