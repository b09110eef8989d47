package ingest

import (
	"errors"
	"maps"
	"slices"

	"tapedeck/ingest/redact"
	"tapedeck/schema"
)

// mask is the first stage of a stream. It masks secrets before any other stage reads a frame, so
// that no envelope and no fact contains them. It holds frames back while their end may be the
// beginning of a secret.
type mask struct {
	masker  *redact.Masker      // nil without redaction
	pass    func(*schema.Frame) // passes a frame to the next stage
	wake    *wakeup
	summary *Summary
}

// newMasker returns the masker of a stream, nil if the engine masks nothing. It masks the secrets
// in the stream's options.
func newMasker(engine *redact.Engine, settings *Settings, opts *StreamOptions) (*redact.Masker, error) {
	if !engine.Enabled() {
		return nil, nil
	}
	m := engine.NewMasker()
	m.SetDialect(opts.Dialect)
	m.Report(settings.Masked)
	return m, maskNames(m, opts)
}

// ErrSecretName is the error for a session whose name contains a secret. Sessions are distinguished
// by their names, so the name cannot be masked.
var ErrSecretName = errors.New("the session's name holds a secret; name it otherwise")

func maskNames(m *redact.Masker, opts *StreamOptions) error {
	if m.Text(opts.Session) != opts.Session {
		return ErrSecretName
	}
	m.Resume([]byte(opts.Source))
	opts.Source = m.Text(opts.Source)
	opts.Title = m.Text(opts.Title)
	if len(opts.Tags) == 0 {
		return nil
	}
	names := slices.Sorted(maps.Keys(opts.Tags)) // so that the numbers of placeholders are deterministic
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

// push processes a frame. It does not change the caller's bytes.
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

// wait requests a call of tick while frames are held back.
func (m *mask) wait() {
	if m.masker.Holds() {
		m.wake.within(redact.HoldFor / 8)
	}
}

// tick releases frames that were held back for the maximum time.
func (m *mask) tick() {
	if m.masker == nil {
		return
	}
	if m.masker.Expired() {
		m.masker.Release(m.pass)
	}
	m.wait()
}

// release passes all frames on. It masks a possible beginning of a secret.
func (m *mask) release() {
	if m.masker != nil {
		m.masker.Release(m.pass)
	}
}

// text masks the secrets in a text that is not part of a frame.
func (m *mask) text(s string) string {
	if m.masker == nil {
		return s
	}
	return m.masker.Text(s)
}

// end passes all frames on at the end of the stream. Unless last is set, the stream may be resumed,
// so that a secret may continue.
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
