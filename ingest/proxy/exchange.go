package proxy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"

	"tapedeck/schema"
)

// exchange is a request with its answer, or an upgraded connection, while it is
// forwarded. Both directions call it, each from a goroutine of its own.
type exchange struct {
	proxy *Proxy
	ctx   context.Context // the request's
	shown string          // method and URL, for the log
	rec   *recording      // nil if there was no room for one more

	mu       sync.Mutex // guards all below
	missed   miss
	ended    [2]bool // the body of each direction, or there is none
	complete bool    // the answer came to its end
	tunnel   bool    // the connection was upgraded
	failure  string  // what went wrong first
}

// miss counts what passed and was not recorded.
type miss struct {
	reads int
	bytes int
}

// errUnrecorded cuts an exchange off that cannot be recorded, with Options.Strict.
var errUnrecorded = errors.New("this exchange cannot be recorded, and the proxy was told to hold up such exchanges")

// note records a head, or trailers.
func (ex *exchange) note(way schema.Direction, text []byte) error {
	return ex.put(item{way: way, note: text})
}

// begin says what the bytes of a direction are from here on.
func (ex *exchange) begin(way schema.Direction, b *body) error {
	return ex.put(item{way: way, body: b})
}

// data records bytes of a body, which are copied. It is followed by passed.
func (ex *exchange) data(way schema.Direction, p []byte) error {
	passedBytes[way].Add(float64(len(p)))
	return ex.queue(item{way: way, data: p})
}

// passed says that what data was given has been passed on, so that it is now the
// turn of the recorder.
func (ex *exchange) passed() {
	if ex.rec != nil {
		ex.rec.queue.signal()
	}
}

// end says that a body has ended, and whether it is complete. Only the first
// call of a direction counts.
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

// put records an item. There is an error in strict mode only.
func (ex *exchange) put(it item) error {
	defer ex.passed()
	return ex.queue(it)
}

// queue queues an item, its data copied, for the recorder to take after passed.
// There is an error in strict mode only.
func (ex *exchange) queue(it item) error {
	if ex.rec == nil || ex.rec.dead.Load() {
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
		ex.rec.dead.Store(true)
		overloads.Inc()
		ex.proxy.opts.Log.Warn("recorder overloaded: the rest of an exchange is not recorded", "exchange", ex.shown)
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

// fail notes what went wrong; the first call counts.
func (ex *exchange) fail(what string, err error) {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	if ex.failure == "" {
		ex.failure = "error: " + what + ": " + root(err).Error()
	}
}

// asked reports whether the request has ended.
func (ex *exchange) asked() bool {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	return ex.ended[schema.Send]
}

func (ex *exchange) upgraded() {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	ex.tunnel = true
}

// finish ends the recording, which goes on beside until all is durable.
func (ex *exchange) finish() {
	if ex.rec == nil {
		return
	}
	ex.mu.Lock()
	reason, failure := ex.reason(), ex.failure
	ex.mu.Unlock()
	ex.rec.finish(reason, failure)
}

// reason is the stream's end reason; "" is for the recording to tell, from how
// a tunnel was closed. mu is held.
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

// root is the innermost error: the words around it name what the reader knows.
func root(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}

type exchangeKey struct{}

func exchangeOf(r *http.Request) *exchange {
	return r.Context().Value(exchangeKey{}).(*exchange)
}
