// Package mail sends alerts as e-mail, by a mail server that the operator named.
package mail

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"time"

	gomail "github.com/wneessen/go-mail"

	"tapedeck/internal/app/alerting/notify"
)

// Options configure a Target.
type Options struct {
	// Server is the URL of the mail server: smtp://[USER@]HOST[:587] with STARTTLS, smtps://[USER@]HOST[:465] with TLS, or
	// smtp://HOST[:25]?tls=off without encryption.
	Server   string
	Password string // of the user
	From, To string // addresses of mailboxes
	// Page is the address of the server's page, for links to sessions; "" for none.
	Page string
	// Timeout bounds the connection, and after it the sending of a message; default 10 s.
	Timeout time.Duration
	// Roots are the certificates that the mail server's certificate is verified by; nil for those of the system.
	Roots *x509.CertPool
}

// Target is a mailbox that receives alerts.
type Target struct {
	opts   Options
	server server
}

const defaultTimeout = 10 * time.Second

// New checks the options and returns the target.
func New(o Options) (*Target, error) {
	s, err := parseServer(o.Server)
	if err != nil {
		return nil, fmt.Errorf("mail server: %w", err)
	}
	if (s.user != "") != (o.Password != "") {
		return nil, errors.New("mail server: a user in its URL and a password go together")
	}
	if o.From, err = parseAddress(o.From); err != nil {
		return nil, fmt.Errorf("sender: %w", err)
	}
	if o.To, err = parseAddress(o.To); err != nil {
		return nil, fmt.Errorf("recipient: %w", err)
	}
	if o.Timeout == 0 {
		o.Timeout = defaultTimeout
	}
	return &Target{opts: o, server: s}, nil
}

// Name implements notify.Target.
func (t *Target) Name() string { return "mailto:" + t.opts.To }

// ID implements notify.Target.
func (t *Target) ID() string { return t.Name() }

// Close implements notify.Target. There are no idle connections: each message has its own.
func (t *Target) Close() {}

// Send sends an event once. It returns nil if the mail server has taken the message.
func (t *Target) Send(ctx context.Context, e notify.Event) error {
	if err := t.send(ctx, e); err != nil {
		return fmt.Errorf("send alert to %s by the mail server %s: %w", t.opts.To, t.server.host, err)
	}
	return nil
}

func (t *Target) send(ctx context.Context, e notify.Event) error {
	m, err := t.message(e)
	if err != nil {
		return err
	}
	client, err := t.client(ctx)
	if err != nil {
		return err
	}
	connection, err := client.DialToSMTPClientWithContext(ctx)
	if err != nil {
		return err
	}
	if err := client.SendWithSMTPClient(connection, m); err != nil {
		_ = connection.Close() // the message is sent again by another connection
		return err
	}
	_ = client.CloseWithSMTPClient(connection) // the message is taken, whatever the answer to QUIT is
	return nil
}

// client returns a client for one message.
func (t *Target) client(ctx context.Context) (*gomail.Client, error) {
	config := &tls.Config{ServerName: t.server.host, RootCAs: t.opts.Roots, MinVersion: tls.VersionTLS12}
	options := []gomail.Option{
		gomail.WithPort(t.server.port), gomail.WithTimeout(t.opts.Timeout), gomail.WithTLSConfig(config), gomail.WithoutNoop(),
		gomail.WithDialContextFunc(t.server.dialer(ctx, config)),
	}
	login := gomail.SMTPAuthAutoDiscover
	switch t.server.security {
	case implicitTLS:
		options = append(options, gomail.WithSSL())
		login = gomail.SMTPAuthPlainNoEnc // the connection is encrypted by the dialer, of which the client does not know
	case startTLS:
		options = append(options, gomail.WithTLSPolicy(gomail.TLSMandatory))
	case plaintext:
		options = append(options, gomail.WithTLSPolicy(gomail.NoTLS))
	}
	if t.server.user != "" {
		options = append(options, gomail.WithSMTPAuth(login), gomail.WithUsername(t.server.user), gomail.WithPassword(t.opts.Password))
	}
	return gomail.NewClient(t.server.host, options...)
}
