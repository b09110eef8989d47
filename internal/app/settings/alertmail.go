package settings

import (
	"slices"
	"strings"

	"tapedeck/internal/app/alerting/mail"
	"tapedeck/internal/app/alerting/notify"
	"tapedeck/internal/commandline"
)

// AlertMail are the settings of alerts that are sent as e-mail.
type AlertMail struct {
	To       []string `name:"alert-mail" help:"Mailbox to which alerts are sent by e-mail (docs/alerts.md); may be repeated." env:"TAPEDECK_ALERT_MAIL" placeholder:"ADDRESS"`
	From     string   `name:"alert-mail-from" help:"Sender of the e-mails of --alert-mail." env:"TAPEDECK_ALERT_MAIL_FROM" placeholder:"ADDRESS"`
	SMTP     string   `name:"alert-smtp" help:"Mail server of --alert-mail: smtp://user@host:587 with STARTTLS, smtps://host with TLS, or smtp://127.0.0.1:25?tls=off." secret:"url" env:"TAPEDECK_ALERT_SMTP" placeholder:"URL"`
	Password string   `name:"alert-smtp-password-file" help:"File with the password of the user in --alert-smtp." env:"TAPEDECK_ALERT_SMTP_PASSWORD_FILE" type:"path" placeholder:"FILE"`
}

// mailboxes adds the mailboxes, each a target of its own: one that the mail server refuses delays no other.
func (a *AlertMail) mailboxes(list []notify.Target, page string) ([]notify.Target, error) {
	if len(a.To) == 0 {
		if a.From+a.SMTP+a.Password != "" {
			return nil, commandline.Errorf("--alert-mail-from, --alert-smtp and --alert-smtp-password-file go with --alert-mail")
		}
		return list, nil
	}
	if a.From == "" || a.SMTP == "" {
		return nil, commandline.Errorf("--alert-mail goes with --alert-mail-from and --alert-smtp")
	}
	o := mail.Options{Server: a.SMTP, From: a.From, Page: page}
	if a.Password != "" {
		var err error
		if o.Password, err = ReadSecret("--alert-smtp-password-file", a.Password); err != nil {
			return nil, err
		}
	}
	for i, to := range a.To {
		if slices.ContainsFunc(a.To[:i], func(other string) bool { return strings.EqualFold(other, to) }) {
			return nil, commandline.Errorf("--alert-mail, address %d: it is named twice", i+1)
		}
		o.To = to
		t, err := mail.New(o)
		if err != nil {
			return nil, commandline.Errorf("--alert-mail, address %d: %w", i+1, err)
		}
		list = append(list, t)
	}
	return list, nil
}
