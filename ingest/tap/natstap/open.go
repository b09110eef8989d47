package natstap

import (
	"fmt"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/framing"
	"tapedeck/schema"
)

// open opens the stream of a source, either a new stream or the one to resume.
func (t *tap) open(k key, resume *ingest.Resume) (*source, error) {
	s := &source{tap: t, key: k, shown: t.show(k), number: t.opened, buffer: framing.New(schema.NATS), used: time.Now()}
	t.opened++
	so := t.so
	if so.Session == "" {
		so.Session = s.shown.Session
	}
	so.Source = "nats " + k.Subject
	if t.opts.Stream != "" {
		so.Source = "nats " + t.opts.Stream + " " + k.Subject
	}
	so.Durable, so.Resume = s.settle, resume
	if resume != nil {
		s.durable, s.assigned, s.attempt = resume.NextSeq, resume.NextSeq, resume.Attempt
	}
	var err error
	if s.stream, err = t.rec.Open(so); err != nil {
		return nil, fmt.Errorf("record subject %s: %w", s.shown.Subject, err)
	}
	s.element = t.order.PushFront(s)
	t.sources[k] = s
	t.mu.Lock()
	t.result.Streams++
	if t.result.First == "" {
		t.result.First = s.stream.ID()
	}
	t.result.Last = s.stream.ID()
	t.mu.Unlock()
	return s, nil
}

// take records a message.
func (t *tap) take(s *source, m *message) error {
	t.mu.Lock()
	t.result.Messages++
	t.mu.Unlock()
	return t.failed(s, s.record(m))
}

// skips reports whether a message is not recorded because of its subject, and counts it.
func (t *tap) skips(m *message) bool {
	if !isOwn(t.opts.Subject, m.subject) {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.result.Skipped == 0 {
		t.log.Warn("nats tap: messages of tapedeck and of NATS itself are not recorded", "subject", t.rec.Mask(m.subject), "pattern", t.opts.Subject)
	}
	t.result.Skipped++
	return true
}
