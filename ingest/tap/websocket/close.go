package websocket

import (
	"strconv"
	"strings"

	"github.com/coder/websocket"
)

// reconnects reports whether to connect again after a connection was closed with a code. It returns
// false after a normal closure (1000, or no code).
func reconnects(code int) bool {
	return code != int(websocket.StatusNormalClosure) && code != int(websocket.StatusNoStatusRcvd)
}

// EndReason returns the end reason of a stream whose connection was closed with a close
// frame: "closed" for a normal end, else "error: closed with <code> <reason>". A close
// frame without a code (1005, as RFC 6455 section 7.1.5 numbers it) is a normal end.
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
