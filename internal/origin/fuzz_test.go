package origin

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
)

// A server that serves loopback names only serves no other name, however it is written, and a
// page's origin is its own only if it has the host that the request names.
func FuzzCheck(f *testing.F) {
	for _, host := range []string{
		"127.0.0.1:4600", "localhost", "LOCALHOST:1", "[::1]:4600", "::1", "127.1", "0x7f.0.0.1", "127.0.0.1.evil.example", "localhost.evil.example:80",
		"evil.example", "", ":80", "[::ffff:127.0.0.1]", "[::1%25lo]:1", "127.0.0.1:4600@evil.example", "localhost\x00.evil", "[localhost]", "127.0.0.1]", "[::1]:", "[::1]:\x13", "127.0.0.1:http", "[::1]:466000",
	} {
		for _, from := range []string{"", "null", "http://" + host, "https://evil.example", "http://localhost:3000", "http://evil.example#@" + host, "//" + host} {
			f.Add(host, from)
		}
	}
	f.Fuzz(func(t *testing.T, host, from string) {
		r := httptest.NewRequest(http.MethodPost, "/", nil)
		r.Host = host
		if Hosts(nil).Check(r, "") == nil && !plainlyLoopback(host) {
			t.Errorf("the host %q is served", host)
		}
		r.Header["Origin"] = []string{from}
		if from == "" || (Rule{}).Check(r, "ask") != nil {
			return
		}
		u, err := url.Parse(from)
		if err != nil || u.Host == "" || !strings.EqualFold(u.Host, host) {
			t.Errorf("a page of %q may ask %q", from, host)
		}
	})
}

// plainlyLoopback reads a host by another parser than the code does.
func plainlyLoopback(host string) bool {
	host = strings.TrimSuffix(host, ":") // an empty port
	name := host
	if a, err := netip.ParseAddrPort(host); err == nil {
		return a.Addr().IsLoopback() || a.Addr().Unmap().IsLoopback()
	}
	if i := strings.LastIndexByte(name, ':'); i >= 0 && strings.Count(name, ":") == 1 {
		name = name[:i]
	}
	name = strings.Trim(name, "[]")
	if strings.EqualFold(name, "localhost") {
		return true
	}
	a, err := netip.ParseAddr(name)
	return err == nil && a.Unmap().IsLoopback()
}
