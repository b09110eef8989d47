// Package upgrade recognises requests that change the protocol of a connection (RFC 9110,
// section 7.8).
package upgrade

import (
	"net/http"
	"strings"
)

// IsWebSocket reports whether a request asks to upgrade to a WebSocket: its Connection header has
// the option "upgrade", and its Upgrade header names the protocol.
func IsWebSocket(r *http.Request) bool {
	for _, v := range r.Header.Values("Connection") {
		for option := range strings.SplitSeq(v, ",") {
			if strings.EqualFold(strings.TrimSpace(option), "upgrade") {
				return strings.EqualFold(r.Header.Get("Upgrade"), "websocket")
			}
		}
	}
	return false
}
