package ingesthttp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/keys"
	"tapedeck/ingest/tap/copier"
	"tapedeck/internal/problem"
	"tapedeck/internal/quota"
	"tapedeck/schema"
)

// recording is one body that is being recorded.
type recording struct {
	opts     Options
	from     *deadlineReader
	framer   ingest.Framer
	decoding *copier.Decoding // nil if the body is not encoded
	stream   *ingest.Stream   // with a key, nil until a new byte has arrived
	streamID string
	offsets  *copier.Offsets
	digest   string // expected SHA-256 of the body; "" if it is not checked
	keyed    *keyed // nil without an idempotency key
	timer    *time.Timer
	charged  *copier.Charged // waits for memory for a large frame
}

var (
	errOverloaded = errors.New("the recorder is overloaded")
	errShutdown   = errors.New("the server is shutting down")
	errGone       = errors.New("the body broke off: the client cancelled the request")
	errSilence    = errors.New("the client sent nothing")
)

// run records the body. ctx ends when the server shuts down or the client disconnects. Either the
// answer or the failure is nil.
func (rec *recording) run(ctx context.Context) (*Answer, *Failure) {
	if rec.decoding != nil {
		defer rec.decoding.Stop()
	}
	stop := context.AfterFunc(ctx, rec.from.interrupt)
	err := rec.record(ctx)
	if !stop() {
		<-rec.from.done // the connection must not be used after the handler returns
	}
	if ended := context.Cause(ctx); ended != nil && (err == ended || errors.Is(err, os.ErrDeadlineExceeded)) {
		switch {
		case errors.Is(ended, keys.ErrSuperseded):
			err = ended
		case errors.Is(ended, context.Canceled): // a server that shuts down states a cause of its own
			err = &copier.ReadError{Err: errGone}
		default:
			err = errShutdown
		}
	}
	closeCtx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), rec.opts.Timeout, errOverloaded)
	defer cancel()
	if rec.keyed != nil {
		return rec.keyed.end(closeCtx, err)
	}
	sum, closeErr := rec.stream.Close(closeCtx, copier.Reason(err))
	if ingest.IsDeleted(closeErr) {
		return nil, rec.deleted(closeErr)
	}
	if closeErr != nil {
		return nil, rec.failure(statusOf(closeErr), closeErr)
	}
	rec.offsets.Durable(sum.Frames)
	if err == nil {
		err = rec.checkDigest(sum)
	}
	if err == nil {
		return rec.answer(sum), nil
	}
	return nil, rec.failure(statusOf(err), err)
}

// errDigest reports a body whose SHA-256 differs from the one that the request names.
var errDigest = errors.New("the body has another digest")

// checkDigest compares the digest of the body's bytes with the request's. It accepts a body whose
// digest is not known.
func (rec *recording) checkDigest(sum ingest.Summary) error {
	got := sum.Digest
	if rec.keyed != nil {
		got = rec.keyed.claim.Digest()
	}
	if rec.digest == "" || sum.Frames == 0 || got == "" || rec.digest == got {
		return nil
	}
	return fmt.Errorf("%w: its SHA-256 is %s, not %s as the parameter digest says; all of it is recorded", errDigest,
		got, rec.digest)
}

// statusOf returns the HTTP status for a body that was not recorded to its end.
func statusOf(err error) int {
	_, unreadable := errors.AsType[*copier.ReadError](err)
	_, beyond := errors.AsType[*ingest.LimitError](err)
	_, large := errors.AsType[*ingest.TooLargeError](err)
	_, held := errors.AsType[*quota.RateError](err)
	full, isFull := errors.AsType[*problem.Problem](err)
	switch {
	case isFull:
		return full.Status
	case held:
		return http.StatusTooManyRequests
	case beyond, large:
		return http.StatusRequestEntityTooLarge
	case errors.Is(err, errDigest):
		return http.StatusUnprocessableEntity
	case errors.Is(err, errSilence):
		return http.StatusRequestTimeout
	case unreadable:
		return http.StatusBadRequest
	}
	return http.StatusServiceUnavailable
}

// record records the body to its end. For each read, it waits for a publisher under backpressure
// for at most the timeout.
func (rec *recording) record(ctx context.Context) error {
	recordCtx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(context.Canceled)
	rec.timer = time.AfterFunc(rec.opts.Timeout, func() { cancel(errOverloaded) })
	rec.timer.Stop()
	defer rec.timer.Stop()
	rec.charged.Context = recordCtx
	defer rec.charged.Release()
	framer := &timedFramer{rec.framer, rec.timer, rec.opts.Timeout}
	record := rec.bounded(func(f *schema.Frame) error {
		rec.offsets.Add(len(f.Raw))
		return rec.stream.Record(recordCtx, f)
	})
	if rec.keyed != nil {
		return rec.keyed.recordBody(ctx, recordCtx, framer, record)
	}
	return copier.Copy(ctx, copier.NewReader(rec.from), framer, record)
}

// timedFramer is a framer that runs a timer during its calls.
type timedFramer struct {
	framer  ingest.Framer
	timer   *time.Timer
	timeout time.Duration
}

// Split implements ingest.Framer.
func (p *timedFramer) Split(b []byte, at int64, emit func(*schema.Frame) error) error {
	p.timer.Reset(p.timeout)
	defer p.timer.Stop()
	return p.framer.Split(b, at, emit)
}

// End implements ingest.Framer.
func (p *timedFramer) End(at int64, emit func(*schema.Frame) error) error {
	p.timer.Reset(p.timeout)
	defer p.timer.Stop()
	return p.framer.End(at, emit)
}

// deadlineReader reads a body and fails after a silence or an interrupt.
type deadlineReader struct {
	body        io.Reader
	control     *http.ResponseController
	silence     time.Duration
	charges     func() bool   // reports whether an incomplete frame is charged
	read        int64         // number of bytes that were read
	limited     bool          // a deadline was set for the last read
	interrupted chan struct{} // closed when interrupt is called; done is closed when it returns
	done        chan struct{}
}

// Read implements io.Reader.
func (d *deadlineReader) Read(p []byte) (int, error) {
	silence, began := d.silence, time.Now()
	if d.charges() && (silence == 0 || silence > copier.ChargedSilence) {
		silence = copier.ChargedSilence
	}
	if silence > 0 {
		_ = d.control.SetReadDeadline(began.Add(silence))
	} else if d.limited {
		_ = d.control.SetReadDeadline(time.Time{})
	}
	d.limited = silence > 0
	if d.ended() {
		return 0, os.ErrDeadlineExceeded
	}
	n, err := d.body.Read(p)
	d.read += int64(n)
	switch {
	case err == nil || errors.Is(err, io.EOF):
	case !errors.Is(err, os.ErrDeadlineExceeded):
		err = fmt.Errorf("the body broke off: %w", err)
	case silence > 0 && time.Since(began) >= silence:
		err = fmt.Errorf("%w for %v", errSilence, silence)
	}
	return n, err
}

// ended reports whether interrupt was called, after which the connection is of no further use.
func (d *deadlineReader) ended() bool {
	select {
	case <-d.interrupted:
		return true
	default:
		return false
	}
}

// interrupt ends a pending read and all later ones. It must be called only once.
func (d *deadlineReader) interrupt() {
	close(d.interrupted)
	_ = d.control.SetReadDeadline(time.Unix(1, 0)) // in the past
	close(d.done)
}
