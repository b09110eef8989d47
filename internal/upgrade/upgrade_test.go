package upgrade

import (
	"net/http"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestIsWebSocket(t *testing.T) {
	for _, c := range []struct {
		connection []string
		upgrade    string
		want       bool
	}{
		{[]string{"Upgrade"}, "websocket", true},
		{[]string{"keep-alive, upgrade"}, "WebSocket", true},
		{[]string{"keep-alive", "Upgrade"}, "websocket", true},
		{[]string{"Upgrade"}, "h2c", false},
		{[]string{"keep-alive"}, "websocket", false},
		{nil, "websocket", false},
		{[]string{"upgrade-insecure-requests"}, "websocket", false},
	} {
		r := &http.Request{Header: http.Header{"Connection": c.connection, "Upgrade": {c.upgrade}}}
		if IsWebSocket(r) != c.want {
			t.Errorf("%v, %q: %t", c.connection, c.upgrade, !c.want)
		}
	}
}
