package ingest

import (
	"errors"
	"maps"
	"slices"

	"tapedeck/ingest/redact"
	"tapedeck/schema"
)

// mask is the first stage of a stream: it masks secrets before anything else reads a frame,
// so that no envelope and no fact has them. It holds frames back while a secret may begin in
// them that the next ones complete.
type mask struct {
	masker  *redact.Masker      // nil without redaction
	pass    func(*schema.Frame) // passes a frame to the next stage
	wake    *wakeup
	summary *Summary
}

// newMasker returns what masks the secrets of a stream, nil if the engine masks nothing. It masks
// the secrets in the stream's options.
func newMasker(engine *redact.Engine, settings *Settings, opts *StreamOptions) (*redact.Masker, error) {
	if !engine.Enabled() {
		return nil, nil
	}
	m := engine.NewMasker()
	m.Report(settings.Masked)
	return m, maskNames(m, opts)
}

// ErrSecretName is the error of a session whose name holds a secret: sessions are distinguished by their
// names, so it cannot be masked.
var ErrSecretName = errors.New("the session's name holds a secret; name it otherwise")

func maskNames(m *redact.Masker, opts *StreamOptions) error {
	if m.Text(opts.Session) != opts.Session {
		return ErrSecretName
	}
	m.Resume([]byte(opts.Source))
	opts.Source = m.Text(opts.Source)
	if len(opts.Tags) == 0 {
		return nil
	}
	names := slices.Sorted(maps.Keys(opts.Tags)) // so that numbers are the same each time
	for _, name := range names {
		m.Resume([]byte(name + " " + opts.Tags[name]))
	}
	tags := make(map[string]string, len(names))
	for _, name := range names {
		tags[m.Text(name)] = m.Text(opts.Tags[name])
	}
	opts.Tags = tags
	return nil
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
		m.wake.within(redact.HoldFor / 8)
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

// text masks the secrets of a text that is no frame's.
func (m *mask) text(s string) string {
	if m.masker == nil {
		return s
	}
	return m.masker.Text(s)
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
		m.summary.Redacted = maps.Clone(counts)
	}
}
