package ingest

import (
	"sync/atomic"

	"tapedeck/ingest/dialect/dialects"
	"tapedeck/ingest/redact"
	"tapedeck/schema"
)

// Recorder opens streams that record to one publisher.
type Recorder struct {
	publisher Publisher
	settings  Settings
	redact    atomic.Pointer[redact.Engine] // for streams that are opened from now on
}

// NewRecorder returns a recorder of streams whose blocks p publishes.
func NewRecorder(p Publisher, s Settings) *Recorder {
	r := &Recorder{publisher: p, settings: s.withDefaults()}
	r.SetRedact(r.settings.Redact)
	return r
}

// ID returns the id of the recording process, which is stored with its streams.
func (r *Recorder) ID() string { return r.settings.ID }

// Mask returns a text with its secrets masked, as they are masked in frames.
func (r *Recorder) Mask(text string) string {
	if !r.Redacts() {
		return text
	}
	return r.redact.Load().NewMasker().Text(text)
}

// MaskNames masks secrets in the source and the tags of a stream, as Open does, for callers that
// store them before they call Open.
func (r *Recorder) MaskNames(opts *StreamOptions) error {
	engine := r.redact.Load()
	if !engine.Enabled() {
		return nil
	}
	return maskNames(engine.NewMasker(), opts)
}

// Redacts reports whether the recorder masks secrets.
func (r *Recorder) Redacts() bool { return r.redact.Load().Enabled() }

// SetRedact sets the engine that finds the secrets of streams that are opened from now on. Open
// streams keep their engine, since a secret may be divided between several of their frames.
func (r *Recorder) SetRedact(e *redact.Engine) { r.redact.Store(e) }

// Open begins a stream. It fails if options are invalid, such as an unknown dialect or an invalid
// session id.
func (r *Recorder) Open(opts StreamOptions) (*Stream, error) {
	if opts.Tenant == "" {
		opts.Tenant = DefaultTenant
	}
	if err := CheckTenant(opts.Tenant); err != nil {
		return nil, err
	}
	if opts.Session != "" {
		if err := CheckSession(opts.Session); err != nil {
			return nil, err
		}
	}
	by := schema.StreamState{Recorder: r.settings.ID, DecoderVersion: dialects.Version}
	return newStream(r.publisher, &r.settings, r.redact.Load(), by, opts)
}
