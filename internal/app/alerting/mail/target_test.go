package mail_test

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/http/httptest"
	netmail "net/mail"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
	"go.uber.org/goleak"

	"tapedeck/internal/app/alerting/mail"
	"tapedeck/internal/app/alerting/notify"
	"tapedeck/internal/bounded"
	"tapedeck/query/alerts/evaluate"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	user     = "ops"
	password = "hush"
)

// received is a message that a mail server has taken.
type received struct {
	user, from, to string
	encrypted      bool
	header         netmail.Header
	body           string
}

// mailServer is a real SMTP server on loopback.
type mailServer struct {
	address  string
	roots    *x509.CertPool
	messages chan received
	asked    atomic.Bool // for a login
}

// serve starts a mail server. It takes logins over encrypted connections only, and offers STARTTLS if offers is true.
func serve(t *testing.T, implicit, offers bool) *mailServer {
	t.Helper()
	certified := httptest.NewTLSServer(nil) // for its certificate
	t.Cleanup(certified.Close)
	m := &mailServer{roots: x509.NewCertPool(), messages: make(chan received, 10)}
	m.roots.AddCert(certified.Certificate())
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	m.address = listener.Addr().String()
	config := &tls.Config{Certificates: certified.TLS.Certificates}
	s := smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session, error) { return &session{server: m, conn: c}, nil }))
	s.Domain = "mail.example.com"
	if offers {
		s.TLSConfig = config
	}
	if implicit {
		listener = tls.NewListener(listener, config)
	}
	done := make(chan error, 1)
	go func() { done <- s.Serve(listener) }()
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		bounded.Receive(t, done)
	})
	return m
}

// session is one connection of a mailServer.
type session struct {
	server   *mailServer
	conn     *smtp.Conn
	received received
}

func (s *session) AuthMechanisms() []string { return []string{sasl.Plain} }

func (s *session) Auth(string) (sasl.Server, error) {
	s.server.asked.Store(true)
	return sasl.NewPlainServer(func(_, name, secret string) error {
		if name != user || secret != password {
			return errors.New("wrong login")
		}
		s.received.user = name
		return nil
	}), nil
}

func (s *session) Mail(from string, _ *smtp.MailOptions) error { s.received.from = from; return nil }

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	if strings.HasPrefix(to, "nobody@") {
		return &smtp.SMTPError{Code: 550, Message: "no such mailbox"}
	}
	s.received.to = to
	return nil
}

func (s *session) Data(r io.Reader) error {
	m, err := netmail.ReadMessage(r)
	if err != nil {
		return err
	}
	body, err := io.ReadAll(quotedprintable.NewReader(m.Body))
	if err != nil {
		return err
	}
	s.received.header, s.received.body = m.Header, strings.ReplaceAll(string(body), "\r\n", "\n")
	_, s.received.encrypted = s.conn.TLSConnectionState()
	s.server.messages <- s.received
	return nil
}

func (s *session) Reset() {}

func (s *session) Logout() error { return nil }

// alert is an open alert.
var alert = evaluate.Alert{ID: "a1", Rule: "hangs", Tenant: "acme", Session: "chat 7", Detail: "the call of bash is open – longer than 1m30s",
	Began: time.Date(2026, 3, 29, 12, 0, 0, 0, time.UTC)}

func target(t *testing.T, o mail.Options) *mail.Target {
	t.Helper()
	if o.From == "" {
		o.From = "alerts@tapedeck.example.com"
	}
	if o.To == "" {
		o.To = "ops@example.com"
	}
	if o.Timeout == 0 {
		o.Timeout = bounded.Limit
	}
	to, err := mail.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return to
}

// A mail server takes a message by STARTTLS with a login, by TLS, and without encryption if that is asked for.
func TestSend(t *testing.T) {
	for name, tc := range map[string]struct {
		implicit, offers bool
		scheme, query    string
		login            bool
	}{
		"STARTTLS":                {offers: true, scheme: "smtp://", login: true},
		"STARTTLS without a user": {offers: true, scheme: "smtp://"},
		"TLS":                     {implicit: true, scheme: "smtps://", login: true},
		"without encryption":      {scheme: "smtp://", query: "?tls=off"},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, tc.implicit, tc.offers)
			o := mail.Options{Server: tc.scheme + s.address + tc.query, Page: "https://tapedeck.example.com/", Roots: s.roots}
			want := received{from: "alerts@tapedeck.example.com", to: "ops@example.com", encrypted: tc.query == ""}
			if tc.login {
				o.Server, o.Password = tc.scheme+user+"@"+s.address, password
				want.user = user
			}
			if err := target(t, o).Send(t.Context(), notify.EventOf(&alert)); err != nil {
				t.Fatal(err)
			}
			got := bounded.Receive(t, s.messages)
			if got.user != want.user || got.from != want.from || got.to != want.to || got.encrypted != want.encrypted {
				t.Errorf("%+v, want %+v", got, want)
			}
			for key, want := range map[string]string{
				"Subject": "Alert hangs: chat 7 began", "From": "<alerts@tapedeck.example.com>", "To": "<ops@example.com>",
				"Date": "Sun, 29 Mar 2026 12:00:00 +0000", "Auto-Submitted": "auto-generated", "Content-Type": "text/plain; charset=UTF-8",
			} {
				if text, err := new(mime.WordDecoder).DecodeHeader(got.header.Get(key)); err != nil || text != want {
					t.Errorf("%s: %q, want %q (%v)", key, text, want, err)
				}
			}
			const text = "Alert hangs began.\n\nthe call of bash is open – longer than 1m30s\n\nSession: chat 7\n" +
				"Page: https://tapedeck.example.com/sessions/chat%207\nTenant: acme\nBegan: 2026-03-29 12:00:00 UTC\n"
			if strings.TrimRight(got.body, "\n") != strings.TrimRight(text, "\n") {
				t.Errorf("the body is %q, want %q", got.body, text)
			}
		})
	}
}

// A message that is sent again has the same id, and the end of an alert is an answer to its begin.
func TestThread(t *testing.T) {
	s := serve(t, false, true)
	to := target(t, mail.Options{Server: "smtp://" + s.address, Roots: s.roots})
	over := alert
	ended := alert.Began.Add(90 * time.Second)
	over.Ended = &ended
	var got []received
	for _, a := range []*evaluate.Alert{&alert, &alert, &over} {
		if err := to.Send(t.Context(), notify.EventOf(a)); err != nil {
			t.Fatal(err)
		}
		got = append(got, bounded.Receive(t, s.messages))
	}
	id := func(i int) string { return got[i].header.Get("Message-Id") }
	if !strings.HasSuffix(id(0), "@tapedeck.example.com>") || id(0) != id(1) || id(2) == id(0) {
		t.Errorf("the ids are %s, %s, %s", id(0), id(1), id(2))
	}
	if answer := got[2].header.Get("In-Reply-To"); answer != id(0) || got[2].header.Get("References") != id(0) || got[0].header.Get("In-Reply-To") != "" {
		t.Errorf("the end is an answer to %s, want %s", answer, id(0))
	}
	if subject := got[2].header.Get("Subject"); subject != "Alert hangs: chat 7 ended after 1m30s" {
		t.Errorf("the subject of the end is %s", subject)
	}
	if !strings.HasPrefix(got[2].body, "Alert hangs ended after 1m30s.\n") || !strings.Contains(got[2].body, "Ended: 2026-03-29 12:01:30 UTC") {
		t.Errorf("the body of the end is %s", got[2].body)
	}
}

// Recorded texts add no header, no recipient and no line, and are clipped.
func TestHostileTexts(t *testing.T) {
	s := serve(t, false, true)
	hostile := alert
	hostile.Session = "s\r\nBcc: other@example.com\r\n\r\nPage: https://other.example.com"
	hostile.Rule = "r\x00\u2028x\xff"
	hostile.Detail = strings.Repeat("ä\n.\n", 10_000)
	if err := target(t, mail.Options{Server: "smtp://" + s.address, Roots: s.roots}).Send(t.Context(), notify.EventOf(&hostile)); err != nil {
		t.Fatal(err)
	}
	got := bounded.Receive(t, s.messages)
	if got.header.Get("Bcc") != "" || got.to != "ops@example.com" || len(got.header["Subject"]) != 1 {
		t.Errorf("%+v", got.header)
	}
	if strings.Contains(got.body, "\nBcc") || strings.Contains(got.body, "\nPage:") || len(got.body) > 3000 || strings.Count(got.body, "\n") > 8 {
		t.Errorf("the body has %d bytes: %.300q", len(got.body), got.body)
	}
}

// A server that cannot encrypt, has another certificate, refuses, hangs or sends without end has not taken a message, and a
// password is sent encrypted or not at all.
func TestFailures(t *testing.T) {
	plain, good := serve(t, false, false), serve(t, false, true)
	silent, flood := raw(t, func(c net.Conn) { _, _ = io.Copy(io.Discard, c) }), raw(t, func(c net.Conn) {
		for line := []byte("220-" + strings.Repeat("x", 1000) + "\r\n"); ; {
			if _, err := c.Write(line); err != nil {
				return
			}
		}
	})
	for name, tc := range map[string]struct {
		options mail.Options
		want    string
	}{
		"no STARTTLS":         {mail.Options{Server: "smtp://ops@" + plain.address, Password: password}, "STARTTLS"},
		"another certificate": {mail.Options{Server: "smtp://ops@" + good.address, Password: password}, "certificate"},
		"a wrong password":    {mail.Options{Server: "smtp://ops@" + good.address, Password: "wrong", Roots: good.roots}, "wrong login"},
		"no such mailbox":     {mail.Options{Server: "smtp://" + good.address, To: "nobody@example.com", Roots: good.roots}, "no such mailbox"},
		"a server that hangs": {mail.Options{Server: "smtp://" + silent + "?tls=off", Timeout: 200 * time.Millisecond}, "imeout"},
		"an endless greeting": {mail.Options{Server: "smtp://" + flood + "?tls=off"}, "more than 1 MiB"},
	} {
		err := target(t, tc.options).Send(t.Context(), notify.EventOf(&alert))
		if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), password) {
			t.Errorf("%s: %v, want %s", name, err, tc.want)
		}
	}
	if plain.asked.Load() {
		t.Error("a login was sent unencrypted")
	}
	if n := len(plain.messages) + len(good.messages); n > 0 {
		t.Errorf("%d messages were taken", n)
	}
}

// raw starts a server that answers a connection by a function, and closes connections at the end of the test.
func raw(t *testing.T, answer func(net.Conn)) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			answer(c) // ends when the other side closes the connection
			_ = c.Close()
		}
	}()
	t.Cleanup(func() { _ = listener.Close(); bounded.Receive(t, done) })
	return listener.Addr().String()
}
