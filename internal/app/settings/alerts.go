package settings

import (
	"fmt"

	"tapedeck/internal/app/alerting/webhook"
	"tapedeck/internal/commandline"
	"tapedeck/query/alerts/rule"
)

// Alerts are the settings of alerts.
type Alerts struct {
	Rules    string   `name:"alert-rules" help:"File of rules of alerts (docs/alerts.md), which a server with the role api evaluates for the sessions that are being recorded." env:"TAPEDECK_ALERT_RULES" type:"path" placeholder:"FILE"`
	Webhooks []string `name:"alert-webhook" help:"URL to which alerts are sent (docs/alerts.md); may be repeated." secret:"path" env:"TAPEDECK_ALERT_WEBHOOK" placeholder:"URL"`
	Secret   string   `name:"alert-webhook-secret-file" help:"File with the key that signs what is sent to --alert-webhook." env:"TAPEDECK_ALERT_WEBHOOK_SECRET_FILE" type:"path" placeholder:"FILE"`
	Inward   bool     `name:"alert-webhook-inward" help:"Send alerts to addresses that are not public, too: loopback and private ones." env:"TAPEDECK_ALERT_WEBHOOK_INWARD"`
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

// AlertTargets returns where alerts are sent.
func (a *Alerts) AlertTargets() (list []*webhook.Target, err error) {
	switch set := len(a.Webhooks) > 0; {
	case set != (a.Secret != ""):
		return nil, commandline.Errorf("--alert-webhook and --alert-webhook-secret-file go together")
	case !set && a.Inward:
		return nil, commandline.Errorf("--alert-webhook-inward goes with --alert-webhook")
	case !set:
		return nil, nil
	case a.Rules == "":
		return nil, commandline.Errorf("--alert-webhook goes with --alert-rules")
	}
	secret, err := ReadSecret("--alert-webhook-secret-file", a.Secret)
	if err != nil {
		return nil, err
	}
	for i, url := range a.Webhooks {
		t, err := webhook.New(webhook.Options{URL: url, Secret: secret, Inward: a.Inward})
		if err != nil {
			return nil, commandline.Errorf("--alert-webhook, URL %d: %w", i+1, err)
		}
		list = append(list, t)
	}
	return list, nil
}
