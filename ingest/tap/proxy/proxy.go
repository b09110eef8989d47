package proxy

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"tapedeck/internal/httplog"
	"tapedeck/internal/problem"
	"tapedeck/schema"
)

// Proxy is a recording proxy to one upstream. It is an http.Handler.
type Proxy struct {
	opts      Options
	upstream  *url.URL
	redact    heads
	reverse   *httputil.ReverseProxy
	transport *http.Transport
	total     *semaphore.Weighted // bytes in all queues

	serving    drainGroup
	recordings sync.WaitGroup
	cutCtx     context.Context // ends exchanges, with errShutdown
	cut        context.CancelCauseFunc
	recordCtx  context.Context // ends recordings
	stop       context.CancelFunc
}

// errShutdown ends exchanges that outlast a shutdown.
var errShutdown = errors.New("the proxy was shut down")

// New returns a proxy.
func New(opts Options) (*Proxy, error) {
	opts = opts.withDefaults()
	upstream, err := opts.check()
	if err != nil {
		return nil, err
	}
	p := &Proxy{opts: opts, upstream: upstream, redact: newHeads(&opts), total: semaphore.NewWeighted(opts.TotalBytes)}
	p.serving.init()
	p.cutCtx, p.cut = context.WithCancelCause(context.Background())
	p.recordCtx, p.stop = context.WithCancel(context.Background())
	p.transport = &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		TLSClientConfig:       opts.TLS,
		TLSHandshakeTimeout:   10 * time.Second,
		ForceAttemptHTTP2:     true,
		DisableCompression:    true, // neither request it nor decode it
		MaxIdleConnsPerHost:   256,
		IdleConnTimeout:       90 * time.Second,
		ExpectContinueTimeout: time.Second,
		ReadBufferSize:        copySize,
	}
	p.reverse = &httputil.ReverseProxy{
		Rewrite: p.rewrite, Transport: tapped{p}, FlushInterval: -1, BufferPool: copyBuffers{},
		ModifyResponse: p.rewriteAnswer, ErrorHandler: p.refuse, ErrorLog: httplog.New(opts.Log),
	}
	return p, nil
}

// ServeHTTP forwards a request and records the exchange.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var bad *problem.Problem
	if p.opts.forward {
		bad = p.otherHost(r)
	} else if bad = p.misdirected(r); bad == nil {
		bad = p.foreign(r)
	}
	if bad != nil {
		problem.Write(w, bad)
		return
	}
	if !p.serving.enter() {
		problem.Write(w, &problem.Problem{Status: http.StatusServiceUnavailable, Detail: "The recording proxy is shutting down."})
		return
	}
	defer p.serving.leave()
	exchanges.Inc()
	active.Inc()
	defer active.Dec()

	ctx, cancel := context.WithCancelCause(r.Context())
	defer cancel(nil)
	defer context.AfterFunc(p.cutCtx, func() { cancel(errShutdown) })()
	so := p.streamOptions(r)
	ex := &exchange{proxy: p, label: so.Source, own: ownAddress(r), rec: p.record(ctx, so), http2: r.ProtoMajor >= 2}
	ex.ctx = context.WithValue(ctx, exchangeKey{}, ex)
	if ex.rec == nil {
		overloads.Inc()
		p.opts.Log.Warn("proxy: overloaded, an exchange is not recorded", "exchange", so.Source)
	}
	defer ex.finish()
	b := p.newRequestBody(r.Header)
	err := errors.Join(
		ex.note(schema.Send, p.redact.requestHead(r, b.coding)),
		ex.begin(schema.Send, b),
	)
	if err != nil {
		p.refuse(w, r.WithContext(ex.ctx), err)
		return
	}
	p.reverse.ServeHTTP(writer{w, ex}, r.WithContext(ex.ctx))
}
