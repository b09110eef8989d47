package websocket

import (
	"strconv"
	"strings"

	"github.com/coder/websocket"
)

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
