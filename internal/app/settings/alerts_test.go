package settings

import (
	"strings"
	"testing"
)

// Settings of alerts that do not go together, and targets that are not allowed, are refused.
func TestAlertTargets(t *testing.T) {
	key := write(t, "key\n", 0o600)
	for want, a := range map[string]Alerts{
		"":                                                {},
		"go together":                                     {Rules: "r.yaml", Webhooks: []string{"https://hooks.example.com/x"}},
		"inward goes with":                                {Rules: "r.yaml", Inward: true},
		"go with --alert-rules":                           {Webhooks: []string{"https://hooks.example.com/x"}, Secret: key},
		"there is no file /nonexistent":                   {Rules: "r.yaml", Webhooks: []string{"https://hooks.example.com/x"}, Secret: "/nonexistent"},
		"URL 2: it must be a URL":                         {Rules: "r.yaml", Webhooks: []string{"https://hooks.example.com/x", "hooks"}, Secret: key},
		"URL 1: the address is not public":                {Rules: "r.yaml", Webhooks: []string{"https://10.0.0.1/secret"}, Secret: key},
		"and --alert-mail go with --alert-rules":          {Slack: []string{"https://hooks.example.com/x"}},
		"--alert-slack-webhook, URL 1: the address":       {Rules: "r.yaml", Slack: []string{"https://10.0.0.1/secret"}},
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

// Settings of e-mails that do not go together, and mailboxes and servers that cannot be used, are refused.
func TestAlertMail(t *testing.T) {
	key := write(t, "hush\n", 0o600)
	const from, server = "alerts@example.com", "smtp://mail.example.com"
	to := []string{"ops@example.com", "oncall@example.com"}
	for want, a := range map[string]AlertMail{
		"go with --alert-mail":                         {From: from},
		"--alert-mail goes with --alert-mail-from":     {To: to, SMTP: server},
		"--alert-mail-from and --alert-smtp":           {To: to, From: from},
		"address 1: mail server: it must be a URL":     {To: to, From: from, SMTP: "mail.example.com"},
		"address 1: mail server: a user":               {To: to, From: from, SMTP: "smtp://ops@mail.example.com"},
		"a user in its URL and a password":             {To: to, From: from, SMTP: server, Password: key},
		"address 1: sender: it must be the address":    {To: to, From: "Ops", SMTP: server},
		"address 2: recipient: it must be":             {To: []string{to[0], "Ops <ops@example.com>"}, From: from, SMTP: server},
		"address 2: it is named twice":                 {To: []string{to[0], "OPS@example.com"}, From: from, SMTP: server},
		"--alert-smtp-password-file: there is no file": {To: to, From: from, SMTP: "smtp://ops@mail.example.com", Password: "/nonexistent"},
	} {
		_, err := (&Alerts{Rules: "r.yaml", AlertMail: a}).AlertTargets("")
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hush") {
			t.Errorf("%+v: %v, want %q", a, err, want)
		}
	}
	list, err := (&Alerts{Rules: "r.yaml", AlertMail: AlertMail{To: to, From: from, SMTP: "smtps://ops@mail.example.com", Password: key}}).AlertTargets("")
	if err != nil || len(list) != 2 || list[1].Name() != "mailto:oncall@example.com" {
		t.Errorf("%v, %v", list, err)
	}
}

// The settings of a server that are printed show no path of a webhook.
func TestHostsOf(t *testing.T) {
	if got := hostsOf([]string{"https://hooks.example.com/T0/secret?key=1", "x"}); got != "https://hooks.example.com/…,…" {
		t.Error(got)
	}
}
