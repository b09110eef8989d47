package proxy

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/framing"
	"tapedeck/ingest/tap/websocket"
	"tapedeck/internal/secrets"
	"tapedeck/schema"
)

// recording records one exchange, in a goroutine of its own.
type recording struct {
	proxy *Proxy
	queue *queue
	opts  ingest.StreamOptions
	// reason is why the exchange ended. For a tunnel that was not closed, failure is the reason.
	// Both are set before the queue is closed.
	reason, failure string
	// stopped is set when nothing more is queued, because there is no room or because recording
	// failed.
	stopped atomic.Bool

	// The fields below are used only by the recording's goroutine.

	stream *ingest.Stream
	failed error
	bodies [2]*body
	notes  [2]framing.Buffer
	at     int64 // of the item that is being recorded
}

// recordingWeight is the weight of a recording without its queue in the bound of all queues, bytes.
// It is mainly the memory of its stream.
const recordingWeight = 16 << 10

// closeTimeout bounds how long the end of a stream may take to become durable.
const closeTimeout = 30 * time.Second

// record starts a recording. It returns nil if there is no room for another recording.
func (p *Proxy) record(ctx context.Context, so ingest.StreamOptions) *recording {
	if !p.total.TryAcquire(recordingWeight) && (!p.opts.Strict || p.total.Acquire(ctx, recordingWeight) != nil) {
		return nil
	}
	r := &recording{proxy: p, queue: newQueue(p.opts.QueueBytes, p.total), opts: so}
	for way := range r.notes {
		r.notes[way] = framing.New(schema.HTTP)
	}
	p.recordings.Go(r.run)
	return r
}

// finish ends the recording once all queued items are recorded. If reason is "", the end of the
// tunnel determines the end reason.
func (r *recording) finish(reason, failure string) {
	r.reason, r.failure = reason, failure
	r.queue.close()
}

func (r *recording) run() {
	defer r.proxy.total.Release(recordingWeight)
	stream, err := r.proxy.opts.Recorder.Open(r.opts)
	if err != nil {
		r.fail(fmt.Errorf("open a stream: %w", err))
	}
	r.stream = stream
	for items := r.queue.take(nil); items != nil; items = r.queue.take(items) {
		for i := range items {
			r.item(&items[i])
			r.queue.release(&items[i])
		}
	}
	r.end()
}

// item records one item.
func (r *recording) item(it *item) {
	r.at = it.at
	if r.failed != nil {
		if len(it.data)+len(it.note) > 0 {
			missedFrames.Inc()
			missedBytes.Add(float64(len(it.data) + len(it.note)))
		}
		return
	}
	emit := r.emitter(it.way)
	var err error
	switch b := r.bodies[it.way]; {
	case it.note != nil:
		err = r.note(it.way, it.note, emit)
	case it.body != nil:
		r.bodies[it.way] = it.body
	case b == nil:
	case it.end:
		r.bodies[it.way] = nil
		err = b.end(it.at, it.whole, emit)
	default:
		err = b.write(it.data, it.at, emit, func(text string) error { return r.note(it.way, []byte(text), emit) })
		if err == nil {
			err = r.noteClose(it.way, b, emit)
		}
	}
	if err != nil {
		r.fail(err)
	}
}

// emitter returns the function that records frames of a direction.
func (r *recording) emitter(way schema.Direction) func(*schema.Frame) error {
	return func(f *schema.Frame) error {
		f.Direction = way
		return r.stream.Record(r.proxy.recordCtx, f)
	}
}

func (r *recording) note(way schema.Direction, text []byte, emit func(*schema.Frame) error) error {
	flags := schema.FlagNote
	if bytes.Contains(text, []byte(secrets.Mask)) {
		flags |= schema.FlagRedacted
	}
	r.notes[way].Begin(r.at)
	return r.notes[way].Emit(text, flags, emit)
}

// noteClose records how a WebSocket is closed, once.
func (r *recording) noteClose(way schema.Direction, b *body, emit func(*schema.Frame) error) error {
	ws, ok := b.framer.(*websocket.Framer)
	if !ok || b.closing {
		return nil
	}
	code, reason, closed := ws.Closed()
	if !closed {
		return nil
	}
	b.closing = true
	text := "close " + strconv.Itoa(code)
	if reason != "" {
		text += " " + strings.ToValidUTF8(reason, "\uFFFD")
	}
	return emit(&schema.Frame{At: r.at, Transport: schema.WebSocket, Flags: schema.FlagNote, Raw: []byte(text)})
}

// fail ends recording; the exchange continues.
func (r *recording) fail(err error) {
	r.failed = err
	r.stopped.Store(true)
	r.proxy.opts.Log.Warn("proxy: an exchange was not recorded to its end", "exchange", r.opts.Source, "error", err)
}

// end ends the open bodies and the stream.
func (r *recording) end() {
	if r.reason == "" {
		r.reason = r.closeReason()
	}
	for way, b := range r.bodies {
		if b == nil {
			continue
		}
		emit := r.emitter(schema.Direction(way))
		if r.failed != nil {
			emit = func(*schema.Frame) error { return r.failed }
		}
		if err := b.end(r.at, false, emit); err != nil && r.failed == nil {
			r.fail(err)
		}
	}
	if r.stream == nil {
		return
	}
	ctx, cancel := context.WithTimeout(r.proxy.recordCtx, closeTimeout)
	defer cancel()
	if _, err := r.stream.Close(ctx, r.reason); err != nil && r.failed == nil {
		r.proxy.opts.Log.Warn("proxy: the end of an exchange was not recorded", "exchange", r.opts.Source, "error", err)
	}
}

// closeReason returns the end reason of a tunnel from its close frames. The upstream's close frame
// takes precedence.
func (r *recording) closeReason() string {
	isWebSocket := false
	for _, b := range r.bodies {
		if b == nil {
			continue
		}
		if ws, ok := b.framer.(*websocket.Framer); ok {
			isWebSocket = true
			if code, reason, closed := ws.Closed(); closed {
				return websocket.EndReason(code, reason)
			}
		}
	}
	if r.failure != "" {
		return r.failure
	}
	if isWebSocket {
		return "error: the connection was cut without a close frame"
	}
	return "eof"
}
