package settings

import (
	"fmt"
	"slices"

	"tapedeck/internal/app/alerting/notify"
	"tapedeck/internal/app/alerting/webhook"
	"tapedeck/internal/commandline"
	"tapedeck/query/alerts/rule"
)

// Alerts are the settings of alerts.
type Alerts struct {
	Rules     string   `name:"alert-rules" help:"File of rules of alerts (docs/alerts.md), which a server with the role api evaluates for the sessions that are being recorded." env:"TAPEDECK_ALERT_RULES" type:"path" placeholder:"FILE"`
	Webhooks  []string `name:"alert-webhook" help:"URL to which alerts are sent (docs/alerts.md); may be repeated." secret:"path" env:"TAPEDECK_ALERT_WEBHOOK" placeholder:"URL"`
	Slack     []string `name:"alert-slack-webhook" help:"URL of an incoming webhook of Slack to which alerts are sent as messages (docs/alerts.md); may be repeated." secret:"path" env:"TAPEDECK_ALERT_SLACK_WEBHOOK" placeholder:"URL"`
	Secret    string   `name:"alert-webhook-secret-file" help:"File with the key that signs what is sent to --alert-webhook." env:"TAPEDECK_ALERT_WEBHOOK_SECRET_FILE" type:"path" placeholder:"FILE"`
	AlertMail `embed:""`
	Inward    bool `name:"alert-webhook-inward" help:"Send alerts to addresses that are not public, too: loopback and private ones." env:"TAPEDECK_ALERT_WEBHOOK_INWARD"`
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

// AlertTargets returns where alerts are sent. page is the address by which browsers call the server, "" if it is not known.
func (a *Alerts) AlertTargets(page string) ([]notify.Target, error) {
	urls := len(a.Webhooks)+len(a.Slack) > 0
	switch {
	case (len(a.Webhooks) > 0) != (a.Secret != ""):
		return nil, commandline.Errorf("--alert-webhook and --alert-webhook-secret-file go together")
	case !urls && a.Inward:
		return nil, commandline.Errorf("--alert-webhook-inward goes with --alert-webhook or --alert-slack-webhook")
	case a.Rules == "" && (urls || len(a.To) > 0):
		return nil, commandline.Errorf("--alert-webhook, --alert-slack-webhook and --alert-mail go with --alert-rules")
	}
	var secret string
	if a.Secret != "" {
		var err error
		if secret, err = ReadSecret("--alert-webhook-secret-file", a.Secret); err != nil {
			return nil, err
		}
	}
	list, err := webhooks(nil, "--alert-webhook", a.Webhooks, webhook.Options{Secret: secret, Inward: a.Inward})
	if err != nil {
		return nil, err
	}
	list, err = webhooks(list, "--alert-slack-webhook", a.Slack, webhook.Options{Slack: true, Page: page, Inward: a.Inward})
	if err != nil {
		return nil, err
	}
	return a.mailboxes(list, page)
}

// webhooks adds the targets of a setting.
func webhooks(list []notify.Target, setting string, urls []string, o webhook.Options) ([]notify.Target, error) {
	for i, url := range urls {
		if slices.Contains(urls[:i], url) {
			return nil, commandline.Errorf("%s, URL %d: it is named twice", setting, i+1)
		}
		o.URL = url
		t, err := webhook.New(o)
		if err != nil {
			return nil, commandline.Errorf("%s, URL %d: %w", setting, i+1, err)
		}
		list = append(list, t)
	}
	return list, nil
}
