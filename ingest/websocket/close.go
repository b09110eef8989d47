package websocket

import (
	"strconv"
	"strings"

	"github.com/coder/websocket"
)

// goesOn reports whether to connect again after a connection was closed with a code: not
// after a normal closure (1000, or no code).
func reconnects(code int) bool {
	return code != int(websocket.StatusNormalClosure) && code != int(websocket.StatusNoStatusRcvd)
}

// EndReason is the reason for which a stream ended whose connection was closed
// with a close frame: "closed" for an ordinary end, else "error: closed with
// <code> <reason>". A close frame without a code (1005, as RFC 6455 section
// 7.1.5 numbers it) is an ordinary end.
func EndReason(code int, reason string) string {
	switch websocket.StatusCode(code) {
	case websocket.StatusNormalClosure, websocket.StatusGoingAway, websocket.StatusNoStatusRcvd:
		return "closed"
	}
	text := "error: closed with " + strconv.Itoa(code)
	if reason != "" {
		text += " " + strings.ToValidUTF8(reason, "\uFFFD")
	}
	return text
}
