package settings

import (
	"strings"
	"testing"
)

// An address that the start would refuse is refused when the settings are checked.
func TestCheckListen(t *testing.T) {
	for _, c := range []struct {
		addr   string
		tokens bool
		want   string // "" for no error
	}{
		{"127.0.0.1:4600", false, ""}, {"[::1]:0", false, ""}, {"localhost:4600", false, ""}, {"0.0.0.0:4600", true, ""}, {":4600", true, ""},
		{"4600", false, "it must be host:port, like 127.0.0.1:4600"}, {"4600", true, "it must be host:port, like 127.0.0.1:4600"},
		{"0.0.0.0:4600", false, "use 127.0.0.1 or [::1], or --tokens"}, {":4600", false, "use 127.0.0.1 or [::1], or --tokens"},
		{"127.0.0.1:99999", false, "the port must be a number from 0 to 65535, like 4600"}, {"0.0.0.0:46000o", true, "the port must be a number from 0 to 65535, like 4600"},
	} {
		a := Access{Tokens: c.tokens}
		err := a.checkListen("--listen", c.addr)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.HasSuffix(err.Error(), c.want)) {
			t.Errorf("%q, tokens %v: %v, want %q", c.addr, c.tokens, err, c.want)
		}
	}
}
