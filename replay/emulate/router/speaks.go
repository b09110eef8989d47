package router

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"tapedeck/internal/problem"
	"tapedeck/replay/emulate/isolate"
)

// protocols lists the protocols of the emulated servers. http covers everything that passed through
// the proxy.
var protocols = []string{"loom", "http", "anthropic-agent", "compozy"}

// Speaks checks in advance whether a session can be played in a protocol. If not, it returns the
// *problem.Problem that would answer the first request.
func (s *Server) Speaks(ctx context.Context, tenant, session, protocol string) error {
	t, err := s.stage.Tape(ctx, tenant, session)
	if err != nil {
		return err
	}
	switch protocol {
	case "loom":
		return s.loom.Speaks(ctx, tenant, session, t)
	case "http":
		return s.exchanges.Speaks(ctx, tenant, session, t)
	case "anthropic-agent":
		return s.agent.Speaks(ctx, tenant, session, t)
	case "compozy":
		return nil // sessions of all protocols are available in this form
	}
	return problem.BadParameter("protocol", fmt.Sprintf("there is no server for %q", protocol), protocols...)
}

// ServeSpeaks answers with 204 if a session can be played in the protocol of the query, else with
// the reason.
func (s *Server) ServeSpeaks(w http.ResponseWriter, r *http.Request, tenant, session string) {
	if err := s.Speaks(r.Context(), tenant, session, r.URL.Query().Get("protocol")); err != nil {
		if r.Context().Err() == nil { // otherwise the client has disconnected
			problem.Write(w, s.stage.Problem(err, name))
		}
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// rootHint answers GET / for a session in Loom's protocol, which requires a WebSocket.
func (s *Server) rootHint(w http.ResponseWriter, r *http.Request, session string) {
	w.Header().Set("Connection", "Upgrade")
	w.Header().Set("Upgrade", "websocket")
	s.stage.Refuse(w, r, name, &problem.Problem{
		Title: "A WebSocket is spoken here", Status: http.StatusUpgradeRequired,
		Detail: fmt.Sprintf("Session %q speaks Loom's protocol at this path, over a WebSocket: open %s.",
			session, socketAddress(r)),
		Hint: "Without a WebSocket, ?form=typed, ?form=export or ?form=websocket returns its runs as lines.",
	})
}

// socketAddress returns the address of a WebSocket at the address that the client has requested.
func socketAddress(r *http.Request) string {
	if own, ok := strings.CutPrefix(r.Header.Get(isolate.OwnOrigin), "http://"); ok { // "tapedeck emulate" forwards it
		return "ws://" + own + "/"
	}
	scheme := "ws://"
	if r.TLS != nil {
		scheme = "wss://"
	}
	path, _, _ := strings.Cut(r.RequestURI, "?") // the path of r.URL may be that of a session in a file
	return scheme + r.Host + path
}
