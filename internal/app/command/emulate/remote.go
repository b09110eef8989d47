package emulate

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
	"tapedeck/internal/commandline"
	"tapedeck/internal/httplog"
	"tapedeck/internal/problem"
	"tapedeck/replay/emulate/isolate"
)

// openRemote finds a session on the server. Until the session is closed or ctx ends, the server is asked for
// it again and again, so that it stays in the server's memory.
func (o *Options) openRemote(ctx context.Context) (*Session, error) {
	if o.Name == "" {
		return nil, commandline.Errorf("name a session: \"tapedeck sessions\" lists those there are")
	}
	path := apiclient.SessionPath(o.Name, "emulation")
	cl, err := o.Server()
	if err != nil {
		return nil, err
	}
	ask := func(ctx context.Context) error {
		speaks, err := cl.Open(ctx, http.MethodGet, path, url.Values{"protocol": {o.Protocol}}, "application/json")
		if err == nil {
			_ = speaks.Close() // only the status is needed
		}
		return err
	}
	if err := ask(ctx); err != nil {
		return nil, err
	}
	held, release := context.WithCancel(ctx)
	go hold(held, ask)
	take := ""
	if o.Protocol != "loom" { // with loom every connection starts at the beginning
		take = fmt.Sprintf("emulate-%x", rand.Uint64())
	}
	return &Session{ID: o.Name, protocol: o.Protocol, Handler: forward(cl, o.prefix(o.Name, take), o.Log), close: release}, nil
}

// askAsRecorded requests answers as recorded from the server. This port is an origin of its own, so
// a browser may open the answers here. It removes the browser's Sec-Fetch fields, since they
// describe a request to this origin and not to the server's. host is the host of this port, for
// addresses in answers.
func askAsRecorded(h http.Header, host string) {
	for name := range h {
		if strings.HasPrefix(name, "Sec-Fetch-") || name == "Service-Worker" {
			h.Del(name)
		}
	}
	h.Set(isolate.OwnOrigin, "http://"+host)
}

// forward passes requests to the server, below a path.
func forward(cl *apiclient.Client, prefix string, log *slog.Logger) http.Handler {
	own := cl.HTTP.Transport.(*http.Transport)
	trust := own.TLSClientConfig.Clone() // nil if own has none
	if trust != nil {
		trust.NextProtos = nil // own has added HTTP/2
	}
	base := strings.TrimSuffix(cl.Base.String(), "/") + prefix
	return &httputil.ReverseProxy{
		FlushInterval: -1, // keeps the chunks of the answer
		Transport: &http.Transport{
			DialContext: own.DialContext, TLSClientConfig: trust, DisableCompression: true,
		},
		Rewrite: func(r *httputil.ProxyRequest) {
			u, err := url.Parse(base + r.In.URL.EscapedPath())
			if err != nil { // cannot happen: the same parser read base
				log.Error("emulate: a request has an invalid address", "path", r.In.URL.Path, "error", err)
				return
			}
			u.RawQuery = r.In.URL.RawQuery
			r.Out.URL, r.Out.Host = u, u.Host
			askAsRecorded(r.Out.Header, r.In.Host)
			if cl.Token != "" {
				cl.Authorize(r.Out.Header)
			}
		},
		ErrorLog: httplog.New(log),
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			if r.Context().Err() != nil {
				return // the client has disconnected
			}
			problem.Write(w, &problem.Problem{
				Title: "Server not reachable", Status: http.StatusBadGateway, Detail: apiclient.Unreachable(cl.Base.String(), err).Error(),
			})
		},
	}
}
