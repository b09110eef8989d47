package record

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"tapedeck/internal/fulltest"
	"tapedeck/internal/problem"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// Recording commands wait for a server that is starting.
func TestCommandsWaitForStartingServer(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	h, c := newAgentHome(t), newConversation()
	target, err := url.Parse(h.URL)
	if err != nil {
		t.Fatal(err)
	}
	var refused atomic.Int32
	proxy := httputil.NewSingleHostReverseProxy(target)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if refused.Add(-1) >= 0 {
			w.Header().Set(problem.StartingHeader, "1")
			problem.Write(w, &problem.Problem{Status: http.StatusServiceUnavailable, Detail: "migrating"})
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	path := h.write(t, c.path(), c.asks("One")+c.says("1"))
	for _, args := range [][]string{{"sync"}, {"record", path}} {
		refused.Store(2)
		cmd := h.command(t)
		cmd.Args = append([]string{cmd.Args[0]}, args...)
		cmd.Env = append(cmd.Env, "TAPEDECK_SERVER="+server.URL)
		_, stderr, exit := commandtest.Finish(t, cmd)
		if exit != 0 || strings.Count(stderr, "waiting for the tapedeck server, which is starting") != 1 || !strings.Contains(stderr, "reason=migrating at_most=2m0s") {
			t.Errorf("%v: exit %d\n%s", args, exit, stderr)
		}
	}
	h.shows(t, c.session, func(s *synced) bool { return s.Tokens.Output == 10 })
}
