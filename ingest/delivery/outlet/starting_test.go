package outlet

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"tapedeck/internal/problem"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A server that is starting is waited for, for a bounded time. Other failures are reported at once.
func TestStartingServer(t *testing.T) {
	for _, c := range []struct {
		starting bool
		requests int32 // at least
		want     []string
	}{
		{true, 2, []string{"is starting: migrating 0019_search 3/7", "It was waited for 4s. Try again when http://", "/readyz answers 200"}},
		{false, 1, []string{"503 Service Unavailable: migrating 0019_search 3/7"}},
	} {
		var requests atomic.Int32
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			requests.Add(1)
			if c.starting {
				w.Header().Set(problem.StartingHeader, "1")
			}
			problem.Write(w, &problem.Problem{Status: http.StatusServiceUnavailable, Detail: "migrating 0019_search 3/7", RetryAfter: time.Second})
		}))
		var log strings.Builder
		o, err := Open(t.Context(), Options{
			Server: server.URL, NoSpool: true, StartTimeout: 4 * time.Second, Log: slog.New(slog.NewTextHandler(io.Writer(&log), nil)),
		})
		server.Close()
		if err == nil {
			o.Close()
			t.Fatal("it connected")
		}
		for _, part := range c.want {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%q is missing in: %v", part, err)
			}
		}
		if n := requests.Load(); n < c.requests || !c.starting && n != 1 {
			t.Errorf("%d requests", n)
		}
		if said := strings.Count(log.String(), "waiting for the tapedeck server, which is starting"); (said == 1) != c.starting {
			t.Errorf("the log:\n%s", log.String())
		}
	}
}
