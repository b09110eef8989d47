package encryption

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"tapedeck/internal/certs/certstest"
)

// A client without a certificate of the authority is refused before it can send a request;
// HTTP/2 and HTTP/1.1 are spoken, plain HTTP is not; names are bound to https, addresses and
// loopback names are not.
func TestHTTP(t *testing.T) {
	r := newRig(t)
	ask := func(url string, change func(*tls.Config)) (*http.Response, error) {
		config := r.tls.Clone()
		change(config)
		transport := &http.Transport{TLSClientConfig: config, ForceAttemptHTTP2: len(config.NextProtos) == 0, DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, strings.TrimPrefix(r.url, "https://"))
		}}
		defer transport.CloseIdleConnections()
		resp, err := (&http.Client{Transport: transport, Timeout: 10 * time.Second}).Get(url)
		if err == nil {
			_ = resp.Body.Close()
		}
		return resp, err
	}
	other := certstest.New(t, "other")
	show := func(c tls.Certificate) func(*tls.Config) {
		return func(config *tls.Config) {
			config.Certificates = nil
			config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &c, nil }
		}
	}
	for name, change := range map[string]func(*tls.Config){
		"no certificate":                   func(c *tls.Config) { c.Certificates = nil },
		"certificate of another authority": show(other.TLS(other.Issue(time.Hour, "client"))),
		"expired certificate":              show(r.ca.TLS(r.ca.Issue(-time.Hour, "client"))),
		"another authority trusted":        func(c *tls.Config) { c.RootCAs = other.Pool() },
		"another name":                     func(c *tls.Config) { c.ServerName = "a.test" },
		"TLS 1.1":                          func(c *tls.Config) { c.MinVersion, c.MaxVersion = tls.VersionTLS10, tls.VersionTLS11 },
	} {
		if resp, err := ask(r.url+"/healthz", change); err == nil {
			t.Errorf("%s: %s", name, resp.Status)
		}
	}
	plain, err := ask("http"+strings.TrimPrefix(r.url, "https")+"/healthz", func(*tls.Config) {})
	must(t, err)
	if plain.StatusCode != http.StatusBadRequest {
		t.Errorf("plain HTTP: %s", plain.Status)
	}
	_, port, err := net.SplitHostPort(strings.TrimPrefix(r.url, "https://"))
	must(t, err)
	for _, c := range []struct {
		url   string
		old   bool // HTTP/1.1
		bound bool
	}{
		{r.url + "/v1/sessions", false, false},
		{r.url + "/v1/sessions", true, false},
		{"https://tapedeck.test:" + port + "/v1/sessions", false, true},
		{"https://tapedeck.test:" + port + "/none", true, true},
	} {
		resp, err := ask(c.url, func(config *tls.Config) {
			if c.old {
				config.NextProtos = []string{"http/1.1"}
			}
		})
		must(t, err)
		major := 2
		if c.old {
			major = 1
		}
		if resp.ProtoMajor != major || resp.StatusCode >= 500 {
			t.Errorf("%s: %s %s", c.url, resp.Proto, resp.Status)
		}
		if got := resp.Header.Get("Strict-Transport-Security"); (got != "") != c.bound {
			t.Errorf("%s: Strict-Transport-Security %q", c.url, got)
		}
	}
}
