package proxy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"

	"tapedeck/internal/rootcause"
	"tapedeck/schema"
)

// exchange is a request with its response, or an upgraded connection, while it is forwarded. Two
// goroutines call it, one for each direction.
type exchange struct {
	proxy *Proxy
	ctx   context.Context // the request's
	label string          // method and URL, for the log
	own   string          // base URL by which the client called the proxy
	rec   *recording      // nil if the queues had no room for another recording
	http2 bool            // other requests share the connection

	mu       sync.Mutex // guards all below
	missed   miss
	ended    [2]bool // the body of each direction has ended, or there is none
	complete bool    // the response was forwarded to its end
	tunnel   bool    // the connection was upgraded
	failure  string  // the first failure
}

// miss counts what was forwarded and not recorded.
type miss struct {
	reads int
	bytes int
}

// errUnrecorded ends an exchange whose recording failed, with Options.Strict.
var errUnrecorded = errors.New("this exchange cannot be recorded, and the proxy is strict")

// note records a head, or trailers.
func (ex *exchange) note(way schema.Direction, text []byte) error {
	return ex.put(item{way: way, note: text})
}

// begin sets the body that the following bytes of a direction belong to.
func (ex *exchange) begin(way schema.Direction, b *body) error {
	return ex.put(item{way: way, body: b})
}

// data records a copy of bytes of a body. The caller then calls forwarded.
func (ex *exchange) data(way schema.Direction, p []byte) error {
	passedBytes[way].Add(float64(len(p)))
	return ex.queue(item{way: way, data: p})
}

// forwarded reports that the bytes passed to data have been forwarded, and notifies the
// recorder.
func (ex *exchange) forwarded() {
	if ex.rec != nil {
		ex.rec.queue.signal()
	}
}

// end ends a body; whole reports that the body is complete. Only the first call for a direction
// counts.
func (ex *exchange) end(way schema.Direction, whole bool) error {
	ex.mu.Lock()
	again := ex.ended[way]
	ex.ended[way] = true
	if way == schema.Receive && whole && !again {
		ex.complete = true
	}
	ex.mu.Unlock()
	if again {
		return nil
	}
	return ex.put(item{way: way, end: true, whole: whole})
}

// put records an item. It fails in strict mode only.
func (ex *exchange) put(it item) error {
	defer ex.forwarded()
	return ex.queue(it)
}

// queue queues an item with a copy of its data; forwarded notifies the recorder. queue fails in
// strict mode only.
func (ex *exchange) queue(it item) error {
	if ex.rec == nil || ex.rec.stopped.Load() {
		return ex.miss(&it)
	}
	q := ex.rec.queue
	var room bool
	if ex.proxy.opts.Strict {
		room = q.reserve(ex.ctx, q.weight(&it))
	} else {
		room = q.reserveWithin(q.weight(&it), ex.proxy.opts.Timeout)
	}
	if !room {
		ex.rec.stopped.Store(true)
		overloads.Inc()
		ex.proxy.opts.Log.Warn("proxy: overloaded, the rest of an exchange is not recorded", "exchange", ex.label)
		return ex.miss(&it)
	}
	it.data = bytes.Clone(it.data)
	q.put(it)
	return nil
}

// miss counts an item that is not recorded.
func (ex *exchange) miss(it *item) error {
	if n := len(it.data) + len(it.note); n > 0 {
		missedFrames.Inc()
		missedBytes.Add(float64(n))
		ex.mu.Lock()
		ex.missed.reads++
		ex.missed.bytes += n
		ex.mu.Unlock()
	}
	if ex.proxy.opts.Strict {
		return errUnrecorded
	}
	return nil
}

// fail records the reason of a failure; only the first call counts.
func (ex *exchange) fail(what string, err error) {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	if ex.failure == "" {
		ex.failure = "error: " + what + ": " + rootcause.Of(err).Error()
	}
}

// requestEnded reports whether the request has ended.
func (ex *exchange) requestEnded() bool {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	return ex.ended[schema.Send]
}

func (ex *exchange) upgraded() {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	ex.tunnel = true
}

// finish ends the recording, which continues in the background until all of it is durable.
func (ex *exchange) finish() {
	if ex.rec == nil {
		return
	}
	ex.mu.Lock()
	reason, failure := ex.reason(), ex.failure
	ex.mu.Unlock()
	ex.rec.finish(reason, failure)
}

// reason returns the stream's end reason; "" if the recording derives it from the end of
// the tunnel. mu is held.
func (ex *exchange) reason() string {
	switch cause := context.Cause(ex.ctx); {
	case ex.missed.reads > 0:
		return fmt.Sprintf("error: recorder overloaded: the last %d reads, %d bytes, were not recorded",
			ex.missed.reads, ex.missed.bytes)
	case ex.complete:
		return schema.EndEOF
	case errors.Is(cause, errShutdown):
		return "error: " + errShutdown.Error()
	case ex.tunnel:
		return ""
	case cause == nil && ex.failure != "":
		return ex.failure
	}
	return schema.EndClientGone
}

type exchangeKey struct{}

func exchangeOf(r *http.Request) *exchange {
	return r.Context().Value(exchangeKey{}).(*exchange)
}
