package ingest

import (
	"maps"

	"tapedeck/ingest/redact"
	"tapedeck/schema"
)

// mask is the first stage of a stream: it masks secrets before anything else reads a frame,
// so that no envelope and no fact has them. It holds frames back while a secret may begin in
// them that the next ones complete.
type mask struct {
	stream *Stream
	masker *redact.Masker // nil without redaction
	pass   func(*schema.Frame)
}

// open prepares the stage and masks secrets in what describes the stream.
func (m *mask) open(s *Stream) {
	m.stream, m.pass = s, s.admit
	engine := s.recorder.redact.Load()
	if !engine.Enabled() {
		return
	}
	m.masker = engine.NewMasker()
	m.masker.Report(s.recorder.settings.Masked)
	s.opts.Source = m.masker.Text(s.opts.Source)
	if len(s.opts.Tags) > 0 {
		tags := maps.Clone(s.opts.Tags)
		for name, value := range tags {
			tags[name] = m.masker.Text(value)
		}
		s.opts.Tags = tags
	}
}

// Mask returns a text with the secrets in it masked, as they are in frames.
func (r *Recorder) Mask(text string) string {
	if !r.Redacts() {
		return text
	}
	return r.settings.Redact.NewMasker().Text(text)
}

// push takes a frame. The caller's bytes stay as they are.
func (m *mask) push(f *schema.Frame) {
	if m.masker == nil {
		m.pass(f)
		return
	}
	raw, cuts := f.Raw, f.Cuts
	m.masker.Push(f, m.pass)
	f.Raw, f.Cuts = raw, cuts
	m.wait()
}

// wait has tick called while frames are held back.
func (m *mask) wait() {
	if m.masker.Holds() {
		m.stream.wake.within(redact.HoldFor / 8)
	}
}

// tick releases frames that were held back for as long as they may.
func (m *mask) tick() {
	if m.masker == nil {
		return
	}
	if m.masker.Expired() {
		m.masker.Release(m.pass)
	}
	m.wait()
}

// release passes all frames on. What may be the beginning of a secret is masked.
func (m *mask) release() {
	if m.masker != nil {
		m.masker.Release(m.pass)
	}
}

// end passes all frames on at the end of the stream. Unless it is the last one, the stream may be resumed, so
// that a secret may go on.
func (m *mask) end(last bool) {
	if m.masker == nil {
		return
	}
	if last {
		m.masker.End(m.pass)
	} else {
		m.masker.Release(m.pass)
	}
	if counts := m.masker.Counts(); len(counts) > 0 {
		m.stream.summary.Redacted = maps.Clone(counts)
	}
}
