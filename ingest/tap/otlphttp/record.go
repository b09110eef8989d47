package otlphttp

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"

	"tapedeck/ingest"
	"tapedeck/ingest/dialect/otlp"
	"tapedeck/internal/otlpwire"
	"tapedeck/internal/problem"
	"tapedeck/internal/quota"
	"tapedeck/schema"
)

// rejections counts the items that were not recorded although the request was.
type rejections struct {
	count int
	why   string
}

func (r *rejections) add(p *part, why string) {
	p.rejected = true
	r.count += p.items
	r.why = why
}

// record records each part as a stream of one frame, and returns when all are durable. After an
// error the client repeats the whole request: parts that are durable then replace themselves.
func (h *Handler) record(ctx context.Context, tenant string, signal otlpwire.Signal, parts []part) (rejected rejections, err error) {
	ctx, cancel := h.timeout(ctx)
	defer cancel()
	streams := make([]*ingest.Stream, len(parts))
	defer func() {
		for i, s := range streams { // those that were not closed
			if s == nil {
				continue
			}
			if _, failed := s.Close(ctx, schema.EndEOF); ingest.IsDeleted(failed) {
				rejected.add(&parts[i], "Their session was deleted while they were recorded.")
			} else if failed != nil && err == nil {
				err = failed
			}
		}
	}()
	for i := range parts {
		s, err := h.recorder.Open(h.options(tenant, signal, &parts[i]))
		if errors.Is(err, ingest.ErrSecretName) {
			rejected.add(&parts[i], "Session not recorded: "+err.Error()+".")
			continue
		}
		if err != nil {
			return rejected, err
		}
		streams[i] = s
		f := schema.Frame{At: ingest.Now(), Direction: schema.Receive, Transport: schema.HTTP, Raw: parts[i].data}
		if err := s.Record(ctx, &f); err != nil {
			return rejected, err
		}
	}
	return rejected, nil
}

// options returns the options of a part's stream.
func (h *Handler) options(tenant string, signal otlpwire.Signal, p *part) ingest.StreamOptions {
	so := ingest.StreamOptions{
		Tenant: tenant, Session: p.session, Dialect: otlp.Dialect.Name, Evidence: "an export request of OTLP: spans and events, not a recorded stream",
		Transport: schema.HTTP, Source: "OTLP " + string(signal), FrameClock: true,
	}
	tags := map[string]string{"service": p.service}
	if p.service != "" && h.opts.Limits.CheckTags(tags) == nil {
		so.Source += " of " + p.service
		so.Tags = tags
	}
	if id := streamID(tenant, p); id != "" {
		so.Resume = &ingest.Resume{StreamID: id}
	}
	return so
}

// streamID returns an id that follows from the bytes of a part, so that a request that is sent again
// replaces itself. It is a UUIDv7 with the time of the part; "" for a part without a time.
func streamID(tenant string, p *part) string {
	if p.at == 0 {
		return ""
	}
	hash := sha256.New()
	for _, text := range []string{tenant, p.session} {
		_, _ = fmt.Fprintf(hash, "%d %s ", len(text), text) // a hash does not return errors
	}
	_, _ = hash.Write(p.data)
	var id uuid.UUID
	copy(id[:], hash.Sum(nil))
	ms := p.at / int64(time.Millisecond)
	for i := range 6 {
		id[i] = byte(ms >> (8 * (5 - i)))
	}
	id[6] = id[6]&0x0f | 0x70 // version 7
	id[8] = id[8]&0x3f | 0x80 // variant of RFC 9562
	return id.String()
}

// failure returns the response for a request that was not recorded.
func failure(err error) *problem.Problem {
	if held, ok := errors.AsType[*quota.RateError](err); ok {
		p := *held.Refuse()
		p.Status = http.StatusTooManyRequests
		return &p
	}
	if p, ok := errors.AsType[*problem.Problem](err); ok {
		return p
	}
	if large, ok := errors.AsType[*ingest.TooLargeError](err); ok {
		return tooLarge(large.Error())
	}
	if limit, ok := errors.AsType[*ingest.LimitError](err); ok {
		return tooLarge(limit.Error())
	}
	return &problem.Problem{
		Status: http.StatusServiceUnavailable, Detail: "The request was not recorded: " + err.Error() + ".",
		Hint: "Send it again.", RetryAfter: retryAfter,
	}
}

// retryAfter is the Retry-After of a response to a request that was not recorded.
const retryAfter = 5 * time.Second
