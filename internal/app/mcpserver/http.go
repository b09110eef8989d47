package mcpserver

import (
	"context"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"tapedeck/internal/apiclient"
)

// bodyLimit bounds a request in bytes. The arguments of all tools take less than 128 KB.
const bodyLimit = 256 << 10

// Handler returns the handler of Path. Its tools call the API in process with the token, the tenant
// and the address of each request, so that they read, count and record in the audit log what a
// request to the API does. It holds no state between requests.
func Handler(version string, api http.Handler) http.Handler {
	clients := func(ctx context.Context) *apiclient.Client { return inProcess(api, requestOf(ctx)) }
	s := New(version, clients, nil)
	h := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, MaxRequestBodyBytes: bodyLimit, PropagateRequestCancellation: true,
		DisableLocalhostProtection: true, // the server checks the names of hosts before
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := context.WithValue(r.Context(), outerKey{}, &outer{request: r, turn: make(chan struct{}, 1)})
		h.ServeHTTP(w, r.WithContext(ctx))
	})
}

// outer is the request to Path that contains the calls of tools.
type outer struct {
	request *http.Request
	turn    chan struct{} // holds a value while a call runs
}

type outerKey struct{}

func requestOf(ctx context.Context) *http.Request {
	return ctx.Value(outerKey{}).(*outer).request
}

// oneAtATime waits until no other call of the same request runs: earlier versions of the protocol
// allow many calls in one request. The context ends with the request. Calls over standard input run
// concurrently.
func oneAtATime(ctx context.Context) (context.Context, func()) {
	of, within := ctx.Value(outerKey{}).(*outer)
	if !within {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	ended := of.request.Context()
	stop := context.AfterFunc(ended, func() { cancel(context.Cause(ended)) })
	select {
	case of.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx, func() { stop(); cancel(nil) }
	}
	return ctx, func() { <-of.turn; stop(); cancel(nil) }
}
