package mail

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"
	"unicode"

	gomail "github.com/wneessen/go-mail"

	"tapedeck/internal/app/alerting/notify"
)

// mostSubject bounds the names in the subject of a message, bytes.
const mostSubject = 60

// message returns the message about an event. Its Message-ID follows from the event, so that mail clients show a message
// once that was sent again, and the end of an alert below its begin (RFC 5322, section 3.6.4).
func (t *Target) message(e notify.Event) (*gomail.Msg, error) {
	m := gomail.NewMsg()
	if err := m.From(t.opts.From); err != nil {
		return nil, err
	}
	if err := m.To(t.opts.To); err != nil {
		return nil, err
	}
	a, at, happened := e.Alert, e.Alert.Began, "began"
	began := t.messageID(a.ID + ":" + string(notify.Began))
	m.SetMessageIDWithValue(began)
	if a.Ended != nil {
		at, happened = *a.Ended, fmt.Sprintf("ended after %s", a.Ended.Sub(a.Began).Round(time.Second))
		m.SetMessageIDWithValue(t.messageID(e.ID))
		m.SetGenHeader(gomail.HeaderInReplyTo, "<"+began+">")
		m.SetGenHeader(gomail.HeaderReferences, "<"+began+">")
	}
	m.SetDateWithValue(at)
	m.SetGenHeader("Auto-Submitted", "auto-generated") // RFC 3834: no automatic answers
	m.SetUserAgent("tapedeck")
	m.Subject(fmt.Sprintf("Alert %s: %s %s", line(a.Rule, mostSubject), line(a.Session, mostSubject), happened))
	var b strings.Builder
	fmt.Fprintf(&b, "Alert %s %s.\n\n%s\n\n", line(a.Rule, notify.MostName), happened, line(a.Detail, notify.MostDetail))
	fmt.Fprintf(&b, "Session: %s\n", line(a.Session, notify.MostName))
	if page := notify.SessionPage(t.opts.Page, a.Session); page != "" {
		fmt.Fprintf(&b, "Page: %s\n", page)
	}
	fmt.Fprintf(&b, "Tenant: %s\nBegan: %s\n", line(a.Tenant, notify.MostName), instant(a.Began))
	if a.Ended != nil {
		fmt.Fprintf(&b, "Ended: %s\n", instant(*a.Ended))
	}
	m.SetBodyString(gomail.TypeTextPlain, b.String())
	return m, nil
}

// messageID returns the Message-ID of an event, without brackets, in the domain of the sender.
func (t *Target) messageID(event string) string {
	sum := sha256.Sum256([]byte(event))
	return "tapedeck." + hex.EncodeToString(sum[:16]) + t.opts.From[strings.LastIndexByte(t.opts.From, '@'):]
}

func instant(at time.Time) string { return at.UTC().Format("2006-01-02 15:04:05 UTC") }

// line returns a recorded text on one line, without control characters, clipped to a number of bytes.
func line(s string, most int) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, notify.Clip(s, most))
}
