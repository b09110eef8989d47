package server

import (
	"net/http"
	"net/netip"
	"testing"
)

// A client cannot choose its address; a trusted proxy can.
func TestClientAddress(t *testing.T) {
	s := &Server{Options: Options{Proxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}}}
	for _, tc := range []struct {
		peer      string
		forwarded []string
		want      string
	}{
		{"192.0.2.7:1234", nil, "192.0.2.7"},
		{"192.0.2.7:1234", []string{"198.51.100.1"}, "192.0.2.7"},
		{"10.0.0.1:1234", nil, "10.0.0.1"},
		{"10.0.0.1:1234", []string{"198.51.100.1"}, "198.51.100.1"},
		{"10.0.0.1:1234", []string{"203.0.113.9, 198.51.100.1"}, "198.51.100.1"},
		{"10.0.0.1:1234", []string{"203.0.113.9, 198.51.100.1, 10.0.0.2"}, "198.51.100.1"},
		{"10.0.0.1:1234", []string{"203.0.113.9", "198.51.100.1"}, "198.51.100.1"},
		{"10.0.0.1:1234", []string{"198.51.100.1, nonsense, 10.0.0.2"}, "10.0.0.2"},
		{"[fd00::1]:1234", []string{"2001:db8::1"}, "2001:db8::1"},
		{"10.0.0.1:1234", []string{"203.0.113.7:50123"}, "203.0.113.7"},
		{"10.0.0.1:1234", []string{"203.0.113.9, 198.51.100.1:443, 10.0.0.2:80"}, "198.51.100.1"},
		{"10.0.0.1:1234", []string{"[2001:db8::1]:50123, [fd00::2]"}, "2001:db8::1"},
		{"10.0.0.1:1234", []string{"198.51.100.1, [10.0.0.2"}, "10.0.0.1"},
		{"[::ffff:10.0.0.1]:1234", []string{"::ffff:198.51.100.1"}, "198.51.100.1"},
	} {
		r := &http.Request{RemoteAddr: tc.peer, Header: http.Header{"X-Forwarded-For": tc.forwarded}}
		if got := s.clientAddress(r); got != tc.want {
			t.Errorf("%s for %q: %s, want %s", tc.peer, tc.forwarded, got, tc.want)
		}
	}
}
