// Package webhook sends alerts to URLs that the operator named.
package webhook

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"syscall"
	"time"

	"tapedeck/internal/app/alerting/notify"
)

// Options configure a Target.
type Options struct {
	URL    string
	Secret string // the key of the signature; events in Slack's form have none
	// Slack sends messages in the form of Slack's incoming webhooks in place of events.
	Slack bool
	// Page is the address of the server's page, for links to sessions in messages; "" for none.
	Page string
	// Inward allows addresses that are not public: loopback, private, link-local.
	Inward bool
	// Timeout bounds one request; default 10 s.
	Timeout time.Duration
}

// Target is a URL that receives alerts.
type Target struct {
	name   string // the URL without what may be secret: scheme and host
	url    string
	secret []byte
	slack  bool
	page   string
	client *http.Client
}

const (
	defaultTimeout = 10 * time.Second
	mostAnswer     = 4 << 10 // bytes of an answer that are read
)

var errInward = errors.New("the address is not public: name another one, or allow it with --alert-webhook-inward")

// New checks the options and returns the target.
func New(o Options) (*Target, error) {
	u, err := url.Parse(o.URL)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.User != nil || u.Fragment != "" {
		return nil, errors.New("it must be a URL such as https://hooks.example.com/alerts, without a user")
	}
	if u.Scheme == "http" && !o.Inward {
		return nil, errors.New("it must be an https URL; http is for inward addresses, with --alert-webhook-inward")
	}
	if ip, err := netip.ParseAddr(u.Hostname()); err == nil && !o.Inward && !public(ip) {
		return nil, errInward
	}
	if o.Timeout == 0 {
		o.Timeout = defaultTimeout
	}
	dialer := &net.Dialer{Timeout: o.Timeout}
	if !o.Inward {
		dialer.Control = refuseInward
	}
	return &Target{name: u.Scheme + "://" + u.Host, url: o.URL, secret: []byte(o.Secret), slack: o.Slack, page: o.Page, client: &http.Client{
		Timeout:       o.Timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		// No proxy: the check of addresses is on what is dialled.
		Transport: &http.Transport{DialContext: dialer.DialContext, TLSHandshakeTimeout: o.Timeout, MaxIdleConnsPerHost: 1,
			IdleConnTimeout: time.Minute, MaxResponseHeaderBytes: 64 << 10, ForceAttemptHTTP2: true},
	}}, nil
}

// refuseInward refuses connections to addresses that are not public, after names were resolved.
func refuseInward(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil || !public(at.Addr()) {
		return errInward
	}
	return nil
}

// special are ranges that are global unicast and not public: shared addresses of providers, translations of IPv4
// addresses, documentation and benchmarks.
var special = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"), netip.MustParsePrefix("240.0.0.0/4"), netip.MustParsePrefix("64:ff9b::/96"),
	netip.MustParsePrefix("64:ff9b:1::/48"), netip.MustParsePrefix("2002::/16"), netip.MustParsePrefix("2001::/32"),
}

// public reports whether an address is in the public internet.
func public(ip netip.Addr) bool {
	ip = ip.Unmap()
	if !ip.IsGlobalUnicast() || ip.IsPrivate() || ip.Zone() != "" {
		return false
	}
	for _, p := range special {
		if p.Contains(ip) {
			return false
		}
	}
	return true
}

// Name implements notify.Target.
func (t *Target) Name() string { return t.name }

// ID implements notify.Target.
func (t *Target) ID() string {
	if t.slack {
		return "slack " + t.url
	}
	return t.url
}

// Send sends an event once. It returns nil if the receiver answered with a status of success.
func (t *Target) Send(ctx context.Context, e notify.Event) error {
	body, err := t.body(e)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, t.url, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("send alert to %s: %w", t.name, bare(err))
	}
	at := strconv.FormatInt(time.Now().Unix(), 10)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "tapedeck")
	r.Header.Set("Tapedeck-Event-Id", e.ID)
	if !t.slack {
		r.Header.Set("Tapedeck-Timestamp", at)
		r.Header.Set("Tapedeck-Signature", "v1="+Sign(t.secret, at, body))
	}
	answer, err := t.client.Do(r)
	if err != nil {
		return fmt.Errorf("send alert to %s: %w", t.name, bare(err))
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, mostAnswer)) // so that the connection is used again
	if answer.StatusCode/100 != 2 {
		return fmt.Errorf("send alert to %s: it answered %d, which is no success", t.name, answer.StatusCode)
	}
	return nil
}

func (t *Target) body(e notify.Event) ([]byte, error) {
	if t.slack {
		return json.Marshal(messageOf(e.Alert, t.page))
	}
	return json.Marshal(e)
}

// Sign returns the signature of a body that is sent at a time, seconds since 1970: the HMAC-SHA256 of both with a
// dot between, in hexadecimal.
func Sign(secret []byte, at string, body []byte) string {
	mac := hmac.New(sha256.New, secret)
	_, _ = mac.Write([]byte(at + "."))
	_, _ = mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}

// bare returns the cause of an error of a client without the URL, which may hold a secret.
func bare(err error) error {
	if of, ok := errors.AsType[*url.Error](err); ok {
		return of.Err
	}
	return err
}

// Close implements notify.Target.
func (t *Target) Close() { t.client.CloseIdleConnections() }
