package server

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// clientAddress returns the address of the client of a request: the address of the connection or,
// behind a trusted proxy, the last address in X-Forwarded-For that does not belong to a trusted
// proxy. Clients can choose the earlier addresses in the field.
func (s *Server) clientAddress(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	at, err := netip.ParseAddr(host)
	if err != nil || !s.trusts(at) {
		return host
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		next, err := forwardedAddress(strings.TrimSpace(hop))
		if err != nil {
			break
		}
		if at = next.Unmap(); !s.trusts(at) {
			break
		}
	}
	return at.String()
}

// forwardedAddress reads an entry of X-Forwarded-For: an address, to which some proxies add the port.
// An IPv6 address may be in brackets.
func forwardedAddress(text string) (netip.Addr, error) {
	if withPort, err := netip.ParseAddrPort(text); err == nil {
		return withPort.Addr(), nil
	}
	if strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]") {
		text = text[1 : len(text)-1]
	}
	return netip.ParseAddr(text)
}

// trusts reports whether an address belongs to a trusted proxy.
func (s *Server) trusts(addr netip.Addr) bool {
	return slices.ContainsFunc(s.Proxies, func(p netip.Prefix) bool { return p.Contains(addr.Unmap()) })
}
