package outlet

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// A clock that is wrong by minutes is logged at the start, once.
func TestClocks(t *testing.T) {
	for ahead, says := range map[time.Duration]string{
		5*time.Minute + 10*time.Second:  "the clock of this machine is 5m10s behind the server's",
		-3*time.Minute - 10*time.Second: "the clock of this machine is 3m10s ahead of the server's",
		5 * time.Second:                 "",
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Date", time.Now().Add(ahead).UTC().Format(http.TimeFormat))
			_, _ = w.Write([]byte(`{"settled":0,"max_block":1048576}`))
		}))
		var log strings.Builder
		o, err := Open(t.Context(), Options{Server: server.URL, NoSpool: true, Log: slog.New(slog.NewTextHandler(&log, nil))})
		if err != nil {
			t.Fatal(err)
		}
		o.Close()
		server.Close()
		text := log.String()
		if (strings.Count(text, "the clocks differ") == 1) != (says != "") || !strings.Contains(text, near(says)) || says != "" && !strings.Contains(text, "time service") {
			t.Errorf("%v: the log says %q, want %q", ahead, text, says)
		}
	}
}

// near returns a sentence up to its seconds, which a machine that stood still has more of.
func near(says string) string {
	before, _, _ := strings.Cut(says, "m1")
	return before
}
