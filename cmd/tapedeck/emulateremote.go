package main

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"

	"tapedeck/internal/apiclient"
	"tapedeck/internal/problem"
	"tapedeck/replay/emulate/isolate"
)

// openRemote finds a session on the server.
func (c *emulateCommand) openRemote(ctx context.Context, g *global, log *slog.Logger) (*emulated, error) {
	path, err := pathOf(c.Session, "emulation")
	if err != nil {
		return nil, err
	}
	cl, err := g.client()
	if err != nil {
		return nil, err
	}
	speaks, err := cl.Open(ctx, http.MethodGet, path, url.Values{"protocol": {c.Protocol}}, "application/json")
	if err != nil {
		return nil, err
	}
	_ = speaks.Close() // that it can be played is all we ask
	take := ""
	if c.Protocol != "loom" { // where a connection begins anew by itself
		take = fmt.Sprintf("emulate-%x", rand.Uint64())
	}
	return &emulated{c.Session, forward(cl, c.prefix(c.Session, take), log), func() {}}, nil
}

// askAsRecorded requests answers as recorded from the server: this port is an origin of
// its own, so a browser may open them here. The browser's Sec-Fetch fields are removed,
// since they describe a request to this origin and not to the server's.
func askAsRecorded(h http.Header) {
	for name := range h {
		if strings.HasPrefix(name, "Sec-Fetch-") || name == "Service-Worker" {
			h.Del(name)
		}
	}
	h.Set(isolate.OwnOrigin, "1")
}

// forward passes requests on to the server, below a path.
func forward(cl *apiclient.Client, prefix string, log *slog.Logger) http.Handler {
	base := strings.TrimSuffix(cl.Base.String(), "/") + prefix
	return &httputil.ReverseProxy{
		FlushInterval: -1, // chunks stay as they are
		Transport: &http.Transport{
			DialContext: cl.HTTP.Transport.(*http.Transport).DialContext, DisableCompression: true,
		},
		Rewrite: func(r *httputil.ProxyRequest) {
			u, err := url.Parse(base + r.In.URL.EscapedPath())
			if err != nil { // base was read by the same parser: it does not come to this
				log.Error("an address cannot be passed on", "path", r.In.URL.Path, "error", err)
				return
			}
			u.RawQuery = r.In.URL.RawQuery
			r.Out.URL, r.Out.Host = u, u.Host
			askAsRecorded(r.Out.Header)
			if cl.Token != "" {
				cl.Authorize(r.Out.Header)
			}
		},
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			if r.Context().Err() != nil {
				return // the client has left
			}
			problem.Write(w, &problem.Problem{
				Title: "Server not reachable", Status: http.StatusBadGateway, Detail: apiclient.Unreachable(cl.Base.String(), err).Error(),
			})
		},
	}
}
