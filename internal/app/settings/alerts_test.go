package settings

import (
	"strings"
	"testing"
)

// Settings of alerts that do not go together, and targets that are not allowed, are refused.
func TestAlertTargets(t *testing.T) {
	key := write(t, "key\n", 0o600)
	for want, a := range map[string]Alerts{
		"":                                          {},
		"go together":                               {Rules: "r.yaml", Webhooks: []string{"https://hooks.example.com/x"}},
		"inward goes with":                          {Rules: "r.yaml", Inward: true},
		"go with --alert-rules":                     {Webhooks: []string{"https://hooks.example.com/x"}, Secret: key},
		"there is no file /nonexistent":             {Rules: "r.yaml", Webhooks: []string{"https://hooks.example.com/x"}, Secret: "/nonexistent"},
		"URL 2: it must be a URL":                   {Rules: "r.yaml", Webhooks: []string{"https://hooks.example.com/x", "hooks"}, Secret: key},
		"URL 1: the address is not public":          {Rules: "r.yaml", Webhooks: []string{"https://10.0.0.1/secret"}, Secret: key},
		"--alert-slack-webhook go with":             {Slack: []string{"https://hooks.example.com/x"}},
		"--alert-slack-webhook, URL 1: the address": {Rules: "r.yaml", Slack: []string{"https://10.0.0.1/secret"}},
		"--alert-slack-webhook, URL 2: it is named twice": {Rules: "r.yaml", Slack: []string{"https://hooks.example.com/x", "https://hooks.example.com/x"}},
		"and --alert-webhook-secret-file go":              {Rules: "r.yaml", Slack: []string{"https://hooks.example.com/x"}, Secret: key},
	} {
		_, err := a.AlertTargets("")
		if (err == nil) != (want == "") || err != nil && (!strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret\"")) {
			t.Errorf("%+v: %v, want %q", a, err, want)
		}
	}
	inward := Alerts{Rules: "r.yaml", Webhooks: []string{"http://127.0.0.1:1/x", "https://hooks.example.com/x"}, Secret: key, Inward: true,
		Slack: []string{"https://hooks.example.com/x"}}
	if list, err := inward.AlertTargets("https://tapedeck.example.com"); err != nil || len(list) != 3 {
		t.Errorf("%v, %v", list, err)
	}
	slack := Alerts{Rules: "r.yaml", Slack: []string{"https://hooks.example.com/x"}}
	if list, err := slack.AlertTargets(""); err != nil || len(list) != 1 {
		t.Errorf("without a secret: %v, %v", list, err)
	}
}

// The settings of a server that are printed show no path of a webhook.
func TestHostsOf(t *testing.T) {
	if got := hostsOf([]string{"https://hooks.example.com/T0/secret?key=1", "x"}); got != "https://hooks.example.com/…,…" {
		t.Error(got)
	}
}
